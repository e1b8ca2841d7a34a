// SPDX-License-Identifier: BSD-3-Clause
// The lines of a Cartesian scan, fully sampled or accelerated with calibration lines.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"

namespace findrho {

struct CartesianOptions {
  std::int64_t acceleration = 1;       // every n-th line along y
  std::int64_t acceleration_z = 1;     // every n-th line along z (3D)
  std::int64_t calibration_lines = 0;  // width of the fully sampled centre, along y and (3D) z
  double dwell_s = 5e-6;               // time from sample to sample
};

/// One readout along x per (y, z) line, z slowest: k = -floor(N/2) .. N - floor(N/2) - 1 on every axis.
/// Units   k in cycles per FOV, integers
/// DC      on sample floor(Nx/2) of the line ky = kz = 0, which every acceleration keeps
/// Time    from the sample kx = 0 of each line
/// Errors  bad_option
Trajectory make_cartesian(Matrix const& matrix, CartesianOptions const& options = {});

}  // namespace findrho
