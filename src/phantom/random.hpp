// SPDX-License-Identifier: BSD-3-Clause
// Random numbers by counter: number i depends on (seed, stream, i) alone, the same for every thread count and library.
#pragma once
#include <complex>
#include <cstdint>

namespace findrho::detail {

class RandomNumbers {
 public:
  /// Streams of one seed are independent.
  RandomNumbers(std::uint64_t seed, std::uint64_t stream);
  /// Two independent Gaussian numbers of mean 0 and variance 1.
  std::complex<double> gaussian_pair(std::uint64_t i) const;

 private:
  double uniform(std::uint64_t counter) const;
  std::uint64_t state_;
};

}  // namespace findrho::detail
