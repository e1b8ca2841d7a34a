// SPDX-License-Identifier: BSD-3-Clause
// The closed forms behind analytic_density_if_known, one file each.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "findrho/trajectory/density.hpp"

namespace findrho::detail {

/// Samples scaled so that the edge N_d/2 of every axis is 1, in readouts of equal length.
struct UnitSamples {
  int dims = 2;
  std::int64_t readouts = 0, samples = 0;
  double cycle = 0;  // one cycle per FOV of the longest axis, in this scale
  Trajectory points;
  std::size_t at(std::int64_t readout, std::int64_t sample) const {
    return static_cast<std::size_t>(readout * samples + sample);
  }
};

// Weights are areas or volumes in units where N_d/2 is 1.
std::optional<DensityWeights> radial_density(UnitSamples const& unit);
std::optional<DensityWeights> spiral_density(UnitSamples const& unit);
std::optional<DensityWeights> arms_density(UnitSamples const& unit);    // 2D
std::optional<DensityWeights> shells_density(UnitSamples const& unit);  // 3D

/// Whether unit vectors are spread over the whole sphere as evenly as random ones, or better.
bool evenly_on_sphere(std::vector<std::array<double, 3>> const& rays);

}  // namespace findrho::detail
