// SPDX-License-Identifier: BSD-3-Clause
// Rung separable_vector: the exact sums between scattered points and a grid as matrix products, on the CPU.
//   gather   out[n] = sum_m mu[m] exp(+i 2 pi k_m . r_n)     r_n on the grid: F^H d, Q
//   forward  out[m] = sum_n mu[n] exp(+i 2 pi k_m . r_n)     F rho, with the grid's positions negated
#pragma once
#include <complex>

#include "dft/separable_plan.hpp"
#include "findrho/core/context.hpp"

namespace findrho::ladder {

/// Scattered points, in what makes cycles with the grid's positions.
struct ScatteredPoints {
  std::array<std::span<double const>, 3> k;
  std::int64_t count() const { return static_cast<std::int64_t>(k[0].size()); }
};

/// Shapes  mu [batch][point k_m], out [batch][grid]; phases are made once for all of the batch
/// Errors  cancelled
template <class T>
void separable_gather(Context const& context, Grid const& grid, ScatteredPoints const& points,
                      std::int64_t batch, std::complex<T> const* mu, std::complex<T>* out);

/// Shapes  mu [batch][grid], out [batch][point k_m]
/// Errors  cancelled
template <class T>
void separable_forward(Context const& context, Grid const& grid, ScatteredPoints const& points,
                       std::int64_t batch, std::complex<T> const* mu, std::complex<T>* out);

}  // namespace findrho::ladder
