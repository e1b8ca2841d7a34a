// SPDX-License-Identifier: BSD-3-Clause
// The half of Q's lags that is computed, and the grids that a reconstruction's sums are over.
#pragma once
#include <array>

#include "dft/grid.hpp"
#include "findrho/core/scan.hpp"

namespace findrho::ladder {

/// Lags -(N-1)..N-1 on the faster axes; 0..N-1 on the slowest one that there is. `center` is the index of lag 0.
struct HalfLags {
  std::array<std::int64_t, 3> size, center;
};
inline HalfLags half_lags(Matrix const& m) {
  if (m.dims() == 2) return {{2 * m.x - 1, m.y, 1}, {m.x - 1, 0, 0}};
  return {{2 * m.x - 1, 2 * m.y - 1, m.z}, {m.x - 1, m.y - 1, 0}};
}

/// Points sign (n - center) / N of an axis.
inline GridAxis axis_of(std::int64_t size, std::int64_t center, std::int64_t n, double sign = 1) {
  double const step = sign / static_cast<double>(n);
  return {.size = size, .origin = -static_cast<double>(center) * step, .step = step};
}
inline Grid image_grid(Matrix const& m, double sign) {
  return {axis_of(m.x, m.x / 2, m.x, sign), axis_of(m.y, m.y / 2, m.y, sign),
          axis_of(m.z, m.z / 2, m.z, sign)};
}
inline Grid lag_grid(Matrix const& m) {
  HalfLags const h = half_lags(m);
  return {axis_of(h.size[0], h.center[0], m.x), axis_of(h.size[1], h.center[1], m.y),
          axis_of(h.size[2], h.center[2], m.z)};
}

}  // namespace findrho::ladder
