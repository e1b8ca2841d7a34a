// SPDX-License-Identifier: BSD-3-Clause
// The closed forms behind analytic_density_if_known, one file each.
#pragma once
#include <cstdint>
#include <optional>

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

}  // namespace findrho::detail
