// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/noise.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

/// Output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, doi:10.1145/2660193.2660195).
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

/// Number `counter` of the SplitMix64 sequence that starts at `state`, in (0, 1).
double uniform(std::uint64_t state, std::uint64_t counter) {
  std::uint64_t const bits = mix(state + (counter + 1) * 0x9e3779b97f4a7c15U);
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

}  // namespace

double sample_noise_sigma(double mean_inside, double snr, Matrix const& matrix) {
  if (!(snr > 0) || !std::isfinite(snr)) {
    throw Error(ErrorKind::bad_option, "SNR is " + std::to_string(snr), "give a finite number above 0");
  }
  return mean_inside * std::sqrt(static_cast<double>(matrix.voxels())) / snr;
}

void add_noise(Context const& context, View<std::complex<double>> samples, double sigma, std::uint64_t seed,
               std::uint64_t stream) {
  if (!(sigma >= 0) || !std::isfinite(sigma)) {
    throw Error(ErrorKind::bad_option, "noise standard deviation is " + std::to_string(sigma),
                "give a finite number, 0 or more");
  }
  std::uint64_t const state = mix(mix(seed) + stream);
  constexpr std::int64_t kTask = 1 << 14;
  context.pool().each((samples.size() + kTask - 1) / kTask, [&](std::int64_t task) {
    for (std::int64_t i = task * kTask; i < std::min(samples.size(), (task + 1) * kTask); ++i) {
      auto const counter = 2 * static_cast<std::uint64_t>(i);
      double const radius = sigma * std::sqrt(-2 * std::log(uniform(state, counter)));
      double const angle = 2 * std::numbers::pi * uniform(state, counter + 1);
      samples[i] += std::complex<double>(radius * std::cos(angle), radius * std::sin(angle));
    }
  });
}

}  // namespace findrho
