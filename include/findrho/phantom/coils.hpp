// SPDX-License-Identifier: BSD-3-Clause
// Smooth coil sensitivities that are polynomials in position, so that an ellipsoid seen through a coil still
// has k-space in closed form, and the sampled map and the k-space agree exactly.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

/// s_c(r) = sum_a coefficients[c][a] (2x)^i (2y)^j (2z)^k over all exponents (i, j, k) with i + j + k <=
/// degree, in the order of monomials(dims, degree); r in FOV units, -0.5..0.5.
struct CoilSet {
  int dims = 2;
  int degree = 0;
  std::vector<std::vector<std::complex<double>>> coefficients;
  std::int64_t coils() const { return static_cast<std::int64_t>(coefficients.size()); }
};

/// Exponents (i, j, k) with i + j + k <= degree (k = 0 in 2D), by rising total, then falling i, then falling
/// j.
std::vector<std::array<int, 3>> monomials(int dims, int degree);

/// One coil that sees every place alike.
CoilSet uniform_coil(int dims);

/// Receive sensitivities Bx - i By of circular loops 0.9 FOV from the centre that face it: one ring around z,
/// or in 3D from 8 coils on two staggered rings. The field by Biot-Savart is fitted by least squares inside
/// 0.55 FOV of the centre with a polynomial of degree 5, which IS the sensitivity from there on. Root of sum
/// of squares 1 at the centre. One coil is uniform_coil.
/// Errors  bad_option
/// Source  Guerquin-Kern et al., IEEE TMI 31:626 (2012), doi:10.1109/TMI.2011.2174158 (polynomial maps)
CoilSet make_coils(int dims, std::int64_t coils);

/// A circular loop, lengths in FOV units; the normal has length 1.
struct CoilLoop {
  std::array<double, 3> center{0.9, 0, 0}, normal{-1, 0, 0};
  double radius = 0.3;
};

enum class CoilModel : std::uint8_t {
  polynomial,  // make_coils: k-space in closed form
  loops        // the loops' field itself
};

/// Coils of either model, to be evaluated anywhere.
struct CoilArray {
  CoilModel model = CoilModel::polynomial;
  CoilSet polynomial;           // of either model
  std::vector<CoilLoop> loops;  // empty for the one uniform coil of the polynomial model
  double scale = 1;             // of the loops' field: root of sum of squares 1 at the centre
  std::int64_t coils() const { return polynomial.coils(); }
};

/// The loops of make_coils, and what it fits to them. With CoilModel::loops one coil is one loop.
/// Errors  bad_option
CoilArray make_coil_array(int dims, std::int64_t coils, CoilModel model);

/// Sensitivities at points in FOV units. (coil, sample)
/// Cost  96 chords per point and loop, or one product per monomial and coil
Array<std::complex<double>> sensitivities_at(Context const& context, CoilArray const& coils,
                                             std::vector<std::array<double, 3>> const& points);

/// Root mean square of polynomial - loops inside the fitted region, over that of the loops. 0 for a uniform coil.
double polynomial_fit_error(Context const& context, CoilArray const& coils);

/// s_c at the voxel positions, as (coil, z, y, x).
/// Errors  bad_shape, when the matrix and the coils differ in dimensions
Array<std::complex<double>> coil_maps(Matrix const& matrix, CoilSet const& coils);

/// coil_maps of make_coils for the matrix.
Array<std::complex<double>> coil_maps(Matrix const& matrix, std::int64_t coils);

}  // namespace findrho
