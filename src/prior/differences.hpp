// SPDX-License-Identifier: BSD-3-Clause
// Forward differences of an image along x, y (and z), each with a weight, and their adjoint and normal
// operator. One row of voxels is one step of the loops; a task is a run of rows.
#pragma once
#include <algorithm>
#include <complex>
#include <cstdint>

#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho::differences {

inline Shape range(Matrix const& m) {
  return {{Axis::dim, m.dims()}, {Axis::z, m.z}, {Axis::y, m.y}, {Axis::x, m.x}};
}

/// Distance in memory between neighbours along d.
inline std::int64_t stride(Matrix const& m, int d) {
  return d == 0 ? 1 : d == 1 ? m.x : m.x * m.y;
}

/// body(offset of the row's first voxel, y, z) for each row along x.
template <class Body>
void for_rows(Context const& context, Matrix const& m, Body const& body) {
  std::int64_t const rows = m.y * m.z;
  std::int64_t const per_task = std::max<std::int64_t>(1, 8192 / m.x);
  context.pool().each((rows + per_task - 1) / per_task, [&](std::int64_t task) {
    std::int64_t const end = std::min(rows, (task + 1) * per_task);
    for (std::int64_t row = task * per_task; row < end; ++row) body(row * m.x, row % m.y, row / m.y);
  });
}

/// Voxels of the row with a neighbour above (n + e_d) are [0, count_above); below (n - e_d) are [first_below,
/// N_x).
struct Neighbours {
  std::int64_t count_above, first_below;
  Neighbours(Matrix const& m, int d, std::int64_t y, std::int64_t z) {
    std::int64_t const position = d == 1 ? y : z;
    count_above = d == 0 ? m.x - 1 : position + 1 < m[d] ? m.x : 0;
    first_below = d == 0 ? 1 : position > 0 ? 0 : m.x;
  }
};

/// y[d, n] (+)= w(d, n) (x[n + e_d] - x[n])
template <class T, class Weight>
void forward(Context const& context, Matrix const& m, Weight const& w, std::complex<T> const* x,
             std::complex<T>* y, Write write) {
  for_rows(context, m, [&](std::int64_t row, std::int64_t iy, std::int64_t iz) {
    for (int d = 0; d < m.dims(); ++d) {
      std::int64_t const step = stride(m, d), above = Neighbours(m, d, iy, iz).count_above;
      std::complex<T>* const out = y + d * m.voxels() + row;
      std::complex<T> const* const in = x + row;
      if (write == Write::replace) std::fill_n(out, m.x, std::complex<T>{});
      for (std::int64_t i = 0; i < above; ++i) out[i] += w(d, row + i) * (in[i + step] - in[i]);
    }
  });
}

/// x[n] (+)= sum_d w(d, n - e_d) y[d, n - e_d] - w(d, n) y[d, n], terms without a neighbour left out
template <class T, class Weight>
void adjoint(Context const& context, Matrix const& m, Weight const& w, std::complex<T> const* y,
             std::complex<T>* x, Write write) {
  for_rows(context, m, [&](std::int64_t row, std::int64_t iy, std::int64_t iz) {
    std::complex<T>* const out = x + row;
    if (write == Write::replace) std::fill_n(out, m.x, std::complex<T>{});
    for (int d = 0; d < m.dims(); ++d) {
      std::int64_t const step = stride(m, d);
      Neighbours const has(m, d, iy, iz);
      std::complex<T> const* const in = y + d * m.voxels() + row;
      for (std::int64_t i = 0; i < has.count_above; ++i) out[i] -= w(d, row + i) * in[i];
      for (std::int64_t i = has.first_below; i < m.x; ++i) out[i] += w(d, row + i - step) * in[i - step];
    }
  });
}

/// z = W^H W x without the differences in memory:
///   z[n] (+)= sum_d w(d, n - e_d)^2 (x[n] - x[n - e_d]) - w(d, n)^2 (x[n + e_d] - x[n])
template <class T, class Weight>
void normal(Context const& context, Matrix const& m, Weight const& w, std::complex<T> const* x,
            std::complex<T>* z, Write write) {
  for_rows(context, m, [&](std::int64_t row, std::int64_t iy, std::int64_t iz) {
    std::complex<T>* const out = z + row;
    std::complex<T> const* const in = x + row;
    if (write == Write::replace) std::fill_n(out, m.x, std::complex<T>{});
    for (int d = 0; d < m.dims(); ++d) {
      std::int64_t const step = stride(m, d);
      Neighbours const has(m, d, iy, iz);
      for (std::int64_t i = 0; i < has.count_above; ++i) {
        T const weight = w(d, row + i);
        out[i] -= weight * weight * (in[i + step] - in[i]);
      }
      for (std::int64_t i = has.first_below; i < m.x; ++i) {
        T const weight = w(d, row + i - step);
        out[i] += weight * weight * (in[i] - in[i - step]);
      }
    }
  });
}

}  // namespace findrho::differences
