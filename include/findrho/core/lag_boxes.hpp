// SPDX-License-Identifier: BSD-3-Clause
// Boxes of lags, on which the Toeplitz kernel Q(l) = sum_m w_m exp(+i 2 pi k_m . l / N) is made.
#pragma once
#include "findrho/core/scan.hpp"

namespace findrho {

/// All lags: voxel n is lag n - N. Those of -N are not needed.
inline Matrix doubled(Matrix const& m) {
  return {2 * m.x, 2 * m.y, m.z > 1 ? 2 * m.z : 1};
}

/// Half of them: lags 0..N-1 along the slowest axis, z or in 2D y. Q(-l) = conj(Q(l)) gives the others.
inline Matrix half_doubled(Matrix const& m) {
  return m.z > 1 ? Matrix{2 * m.x, 2 * m.y, m.z} : Matrix{2 * m.x, m.y, 1};
}

}  // namespace findrho
