// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/noise.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "findrho/core/error.hpp"
#include "random.hpp"

namespace findrho {
double sample_noise_sigma(double mean_inside, double snr, Matrix const& matrix) {
  if (!(snr > 0) || !std::isfinite(snr)) {
    throw Error(ErrorKind::bad_option, fmt::format("SNR is {}", snr), "give a finite number above 0");
  }
  return mean_inside * std::sqrt(static_cast<double>(matrix.voxels())) / snr;
}

void add_noise(Context const& context, View<std::complex<double>> samples, double sigma, std::uint64_t seed,
               std::uint64_t stream) {
  if (!(sigma >= 0) || !std::isfinite(sigma)) {
    throw Error(ErrorKind::bad_option, fmt::format("noise standard deviation is {}", sigma),
                "give a finite number, 0 or more");
  }
  detail::RandomNumbers const random(seed, stream);
  constexpr std::int64_t kTask = 1 << 14;
  context.pool().each((samples.size() + kTask - 1) / kTask, [&](std::int64_t task) {
    for (std::int64_t i = task * kTask; i < std::min(samples.size(), (task + 1) * kTask); ++i) {
      samples[i] += sigma * random.gaussian_pair(static_cast<std::uint64_t>(i));
    }
  });
}

}  // namespace findrho
