// SPDX-License-Identifier: BSD-3-Clause
#include "combine.hpp"

#include <cmath>

#include "findrho/operator/vector_ops.hpp"

namespace findrho {

template <class T>
void root_sum_of_squares(Context const& context, View<std::complex<T> const> coil_images,
                         View<std::complex<float>> image) {
  std::int64_t const voxels = image.size();
  std::int64_t const coils = coil_images.size() / voxels;
  for_blocks(context, voxels, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      if (coils == 1) {
        image[n] = std::complex<float>(coil_images[n]);
        continue;
      }
      T sum = 0;
      for (std::int64_t c = 0; c < coils; ++c) sum += std::norm(coil_images[c * voxels + n]);
      image[n] = static_cast<float>(std::sqrt(sum));
    }
  });
}

template <class T>
void matched_combination(Context const& context, View<std::complex<T> const> coil_images,
                         View<std::complex<T> const> maps, View<std::complex<float>> image) {
  std::int64_t const voxels = image.size();
  std::int64_t const coils = coil_images.size() / voxels;
  for_blocks(context, voxels, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t n = begin; n < end; ++n) {
      std::complex<T> sum = 0;
      T power = 0;
      for (std::int64_t c = 0; c < coils; ++c) {
        std::complex<T> const s = maps[c * voxels + n];
        sum += std::conj(s) * coil_images[c * voxels + n];
        power += std::norm(s);
      }
      image[n] = power > 0 ? std::complex<float>(sum / power) : std::complex<float>(0);
    }
  });
}

template void root_sum_of_squares(Context const&, View<std::complex<float> const>, View<std::complex<float>>);
template void root_sum_of_squares(Context const&, View<std::complex<double> const>,
                                  View<std::complex<float>>);
template void matched_combination(Context const&, View<std::complex<float> const>,
                                  View<std::complex<float> const>, View<std::complex<float>>);
template void matched_combination(Context const&, View<std::complex<double> const>,
                                  View<std::complex<double> const>, View<std::complex<float>>);

}  // namespace findrho
