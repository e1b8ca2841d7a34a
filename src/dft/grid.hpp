// SPDX-License-Identifier: BSD-3-Clause
// Positions that form a regular grid, x fastest: found by looking at them, so that no description can disagree with
// them. An axis splits into pairs of points at equal distance from its centre, one pair a slot: docs/math/separable.md.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

namespace findrho::ladder {

/// Positions origin + step i, i = 0..size-1.
struct GridAxis {
  std::int64_t size = 1;
  double origin = 0, step = 0;

  double centre() const { return origin + step * 0.5 * static_cast<double>(size - 1); }
  /// Pairs of points; an odd size has its centre as a slot of its own.
  std::int64_t slots() const { return (size + 1) / 2; }
  /// Distance of slot 0 from the centre, in steps; every further slot is one step farther.
  double first_offset() const { return size % 2 == 0 ? 0.5 : 0; }
  /// The two points of a slot; the same one for the centre of an odd size.
  std::int64_t plus(std::int64_t slot) const { return size / 2 + slot; }
  std::int64_t minus(std::int64_t slot) const { return (size - 1) / 2 - slot; }
};

struct Grid {
  GridAxis x, y, z;
  std::int64_t points() const { return x.size * y.size * z.size; }
};

/// The grid that the positions form: steps of 1/N on every axis, for some integer N, from a multiple of it.
/// Nothing, where they form none. A position may be off by the rounding of T.
template <class T>
std::optional<Grid> find_grid(std::span<T const> x, std::span<T const> y, std::span<T const> z);

}  // namespace findrho::ladder
