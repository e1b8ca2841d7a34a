// SPDX-License-Identifier: BSD-3-Clause
// Test data that host and device make alike, and the pointer chase's cycle through all nodes.
#pragma once
#include <cmath>
#include <cstdint>

#include "findrho/backend/team.hpp"

namespace findrho {

/// A well mixed 32-bit number for every index (Murmur3's finaliser, over the low and the high half).
FINDRHO_HD inline std::uint32_t mixed(std::uint64_t index) {
  auto h = static_cast<std::uint32_t>(index) ^ static_cast<std::uint32_t>(index >> 32) * 0x9e3779b9u;
  h ^= h >> 16;
  h *= 0x85ebca6bu;
  h ^= h >> 13;
  h *= 0xc2b2ae35u;
  return h ^ h >> 16;
}

/// In [-1, 1), from the top 24 bits: exact in float.
FINDRHO_HD inline float mixed_float(std::uint64_t index) {
  return static_cast<float>(static_cast<std::int32_t>(mixed(index)) >> 8) * (1.0f / (1 << 23));
}

/// The largest error so far; a NaN stays.
inline void keep_worst(double& worst, double error) {
  if (error > worst || std::isnan(error)) worst = error;
}

/// next(i) visits all of 0..n-1 before it returns, for n = 2^a or 3 * 2^a, far from neighbour to neighbour: a linear
/// congruence with multiplier - 1 divisible by 12 and an increment without the factors 2 and 3 (Hull and Dobell 1962).
struct Cycle {
  std::uint64_t n;
  FINDRHO_HD std::uint64_t next(std::uint64_t i) const { return (i * kMultiplier + kIncrement) % n; }
  static constexpr std::uint64_t kMultiplier = 12 * 137'438'95ull + 1;
  static constexpr std::uint64_t kIncrement = 1'234'567'891ull;
};
static_assert(Cycle::kIncrement % 2 == 1 && Cycle::kIncrement % 3 != 0);

}  // namespace findrho
