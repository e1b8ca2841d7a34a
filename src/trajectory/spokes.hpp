// SPDX-License-Identifier: BSD-3-Clause
// Straight spokes along given directions: shared by the 2D and 3D radial generators.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/radial_3d.hpp"

namespace findrho::detail {

struct SpokeOptions {
  SpokeKind kind;
  std::int64_t samples_per_spoke, readout_oversampling;
  double dwell_s;
};

/// The options' count, or the Nyquist count over the undersampling, rounded up.
/// Errors  bad_option
std::int64_t spoke_count(std::int64_t spokes, double undersampling, double nyquist);

/// Unit vectors spread evenly over the half sphere z >= 0 (full spokes) or the sphere (half spokes).
std::vector<std::array<double, 3>> sphere_directions(std::int64_t spokes, SphereOrder order, SpokeKind kind);

/// Spokes along unit vectors, in units where the edge N_d/2 of every axis is 1.
/// Errors  bad_option
Trajectory make_spokes(Matrix const& matrix, int dims, std::vector<std::array<double, 3>> const& directions,
                       SpokeOptions const& options);

}  // namespace findrho::detail
