// SPDX-License-Identifier: BSD-3-Clause
// Density compensation for any 2D trajectory: the area that is nearer to a sample than to every other one.
#pragma once
#include <vector>

#include "findrho/core/scan.hpp"

namespace findrho {

/// Area of each sample's Voronoi cell over prod N. Samples at the same place, to 2^-16 cycles per FOV, share their cell.
/// Cells end half a cycle per FOV beyond the convex hull of all samples: a sample stands for no more than that where it has
/// no neighbour.
/// Units   k in cycles per FOV
/// Errors  bad_option (3D, no samples, positions that are not finite or beyond 2^13 cycles per FOV)
/// Cost    M log M
/// Source  Rasche, Proksa, Sinkus, Bornert and Eggers, IEEE TMI 18:385 (1999), doi:10.1109/42.774166
std::vector<double> voronoi_density(Trajectory const& trajectory, Matrix const& matrix);

}  // namespace findrho
