// SPDX-License-Identifier: BSD-3-Clause
// Rung separable_vector: the exact sums between scattered points and a grid as matrix products, on the CPU.
//   gather   out[n] = sum_m mu[m] exp(+i 2 pi k_m . r_n)     r_n on the grid: F^H d, Q
//   forward  out[m] = sum_n mu[n] exp(+i 2 pi k_m . r_n)     F rho, with the grid's positions negated
#pragma once
#include <complex>

#include "dft/separable_plan.hpp"
#include "findrho/core/context.hpp"

namespace findrho::ladder {

inline constexpr std::int64_t kCoilsTogether = 8;

/// Scattered points, in what makes cycles with the grid's positions.
struct ScatteredPoints {
  std::array<std::span<double const>, 3> k;
  std::int64_t count() const { return static_cast<std::int64_t>(k[0].size()); }
};

/// Shapes  mu [coil][point k_m], out [coil][grid]; phases are made once for up to kCoilsTogether coils, whose sums take 16
///         bytes a point and coil
/// Errors  cancelled
template <class T>
void separable_gather(Context const& context, Grid const& grid, ScatteredPoints const& points,
                      std::int64_t coils, std::complex<T> const* mu, std::complex<T>* out);

/// Shapes  mu [coil][grid], out [coil][point k_m]
/// Errors  cancelled
template <class T>
void separable_forward(Context const& context, Grid const& grid, ScatteredPoints const& points,
                       std::int64_t coils, std::complex<T> const* mu, std::complex<T>* out);

}  // namespace findrho::ladder
