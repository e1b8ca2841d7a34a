// SPDX-License-Identifier: BSD-3-Clause
#include "random.hpp"

#include <cmath>
#include <numbers>

namespace findrho::detail {
namespace {

/// Output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, doi:10.1145/2660193.2660195).
std::uint64_t mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

}  // namespace

RandomNumbers::RandomNumbers(std::uint64_t seed, std::uint64_t stream) : state_(mix(mix(seed) + stream)) {}

/// Number `counter` of the SplitMix64 sequence, in (0, 1).
double RandomNumbers::uniform(std::uint64_t counter) const {
  std::uint64_t const bits = mix(state_ + (counter + 1) * 0x9e3779b97f4a7c15U);
  return (static_cast<double>(bits >> 11) + 0.5) * 0x1p-53;
}

std::complex<double> RandomNumbers::gaussian_pair(std::uint64_t i) const {
  double const radius = std::sqrt(-2 * std::log(uniform(2 * i)));
  double const angle = 2 * std::numbers::pi * uniform(2 * i + 1);
  return {radius * std::cos(angle), radius * std::sin(angle)};
}

}  // namespace findrho::detail
