// SPDX-License-Identifier: BSD-3-Clause
// Lengths, passes and roots of unity of the lane transforms.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "operator/lane_fft.hpp"

namespace findrho::lanes {

std::int64_t lane_fft_size(std::int64_t n) {
  auto const smooth = [](std::int64_t m) {
    for (int factor : {2, 3, 5}) {
      while (m % factor == 0) m /= factor;
    }
    return m == 1;
  };
  std::int64_t quarter = std::max<std::int64_t>(2, (n + 3) / 4);
  while (!smooth(quarter)) ++quarter;
  return 4 * quarter;
}

namespace {

std::vector<int> radices(std::int64_t size) {
  std::vector<int> found{4};
  std::int64_t left = size / 4;
  for (int radix : {5, 9, 3}) {
    for (; left % radix == 0; left /= radix) found.push_back(radix);
  }
  // As few passes as powers of two allow: eights, and fours where they do not come out.
  int twos = 0;
  for (std::int64_t rest = left; rest > 1; rest /= 2) ++twos;
  for (; twos % 3 != 0 && twos != 1; twos -= 2) found.push_back(4);
  for (; twos >= 3; twos -= 3) found.push_back(8);
  if (twos == 1) found.push_back(2);
  return found;
}

}  // namespace

template <class T>
LaneFft<T>::LaneFft(std::int64_t size_) : size(size_) {
  std::int64_t block = size;
  for (int radix : radices(size)) {
    passes.push_back({radix, block, static_cast<std::int64_t>(twiddles.size())});
    for (std::int64_t n = 0; n < block / radix; ++n) {
      for (int q = 1; q < radix; ++q) {
        double const angle = -2 * std::numbers::pi * static_cast<double>(n * q) / static_cast<double>(block);
        twiddles.push_back(static_cast<T>(std::cos(angle)));
        twiddles.push_back(static_cast<T>(std::sin(angle)));
      }
    }
    block /= radix;
  }
}

template struct LaneFft<float>;
template struct LaneFft<double>;

}  // namespace findrho::lanes
