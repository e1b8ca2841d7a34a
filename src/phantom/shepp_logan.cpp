// SPDX-License-Identifier: BSD-3-Clause
#include <numbers>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/phantom/phantom.hpp"

namespace findrho {
namespace {

// Coordinates -1..1, y up; angle counter-clockwise in degrees. z entries are used in 3D only.
struct Row {
  double original, modified;
  double a, b, c, x, y, z, angle;
};

constexpr Row k2d[] = {{2.00, 1.0, 0.6900, 0.920, 0, 0.00, 0.0000, 0, 0},     // skull
                       {-0.98, -0.8, 0.6624, 0.874, 0, 0.00, -0.0184, 0, 0},  // brain
                       {-0.02, -0.2, 0.1100, 0.310, 0, 0.22, 0.0000, 0, -18},
                       {-0.02, -0.2, 0.1600, 0.410, 0, -0.22, 0.0000, 0, 18},
                       {0.01, 0.1, 0.2100, 0.250, 0, 0.00, 0.3500, 0, 0},
                       {0.01, 0.1, 0.0460, 0.046, 0, 0.00, 0.1000, 0, 0},
                       {0.01, 0.1, 0.0460, 0.046, 0, 0.00, -0.1000, 0, 0},
                       {0.01, 0.1, 0.0460, 0.023, 0, -0.08, -0.6050, 0, 0},
                       {0.01, 0.1, 0.0230, 0.023, 0, 0.00, -0.6060, 0, 0},
                       {0.01, 0.1, 0.0230, 0.046, 0, 0.06, -0.6050, 0, 0}};

constexpr Row k3d[] = {{2.00, 1.0, 0.6900, 0.920, 0.810, 0.00, 0.0000, 0.00, 0},
                       {-0.98, -0.8, 0.6624, 0.874, 0.780, 0.00, -0.0184, 0.00, 0},
                       {-0.02, -0.2, 0.1100, 0.310, 0.220, 0.22, 0.0000, 0.00, -18},
                       {-0.02, -0.2, 0.1600, 0.410, 0.280, -0.22, 0.0000, 0.00, 18},
                       {0.01, 0.1, 0.2100, 0.250, 0.410, 0.00, 0.3500, -0.15, 0},
                       {0.01, 0.1, 0.0460, 0.046, 0.050, 0.00, 0.1000, 0.25, 0},
                       {0.01, 0.1, 0.0460, 0.046, 0.050, 0.00, -0.1000, 0.25, 0},
                       {0.01, 0.1, 0.0460, 0.023, 0.050, -0.08, -0.6050, 0.00, 0},
                       {0.01, 0.1, 0.0230, 0.023, 0.020, 0.00, -0.6060, 0.00, 0},
                       {0.01, 0.1, 0.0230, 0.046, 0.020, 0.06, -0.6050, 0.00, 0}};

}  // namespace

Phantom shepp_logan(int dims, SheppLoganContrast contrast) {
  if (dims != 2 && dims != 3) {
    throw Error(ErrorKind::bad_option, "a phantom of " + std::to_string(dims) + " dimensions", "give 2 or 3");
  }
  Phantom phantom{dims, {}};
  for (Row const& row : dims == 2 ? k2d : k3d) {
    // Half the size, and y turned downwards, which also turns the sense of the angle.
    phantom.solids.push_back(
        {.density = contrast == SheppLoganContrast::original ? row.original : row.modified,
         .center = {0.5 * row.x, -0.5 * row.y, 0.5 * row.z},
         .semi_axis = {0.5 * row.a, 0.5 * row.b, 0.5 * row.c},
         .rotation_rad = -row.angle * std::numbers::pi / 180});
  }
  return phantom;
}

}  // namespace findrho
