// SPDX-License-Identifier: BSD-3-Clause
// Circular loops around the object and the fields of a unit current in them, quasi-static and without constants.
#pragma once
#include <array>
#include <complex>
#include <vector>

#include "findrho/phantom/coils.hpp"

namespace findrho::detail {

/// Loops on rings around z; on two rings the second is turned by half a step.
std::vector<CoilLoop> place_loops(int dims, std::int64_t coils);

/// Bx - i By at r, by Biot-Savart.
std::complex<double> receive_field(CoilLoop const& loop, std::array<double, 3> const& r);

/// The vector potential at r; the electric field that a loop drives is proportional to it.
std::array<double, 3> vector_potential(CoilLoop const& loop, std::array<double, 3> const& r);

/// A lattice inside the disc or ball of 0.55 FOV that the polynomials are fitted in: 20 to 50 times as many points as a
/// polynomial has coefficients. The object lies within 0.5.
std::vector<std::array<double, 3>> fit_points(int dims);

}  // namespace findrho::detail
