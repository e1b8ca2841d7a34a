// SPDX-License-Identifier: BSD-3-Clause
// Density compensation for any trajectory, by Pipe and Menon's fixed point.
#pragma once
#include <vector>

#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

inline constexpr int kPipeMenonIterations = 10;

/// Area (2D) or volume (3D) of k-space that a trajectory samples, in (cycles/FOV)^dims: the number of unit cells, centred
/// on the integers, that hold a sample, with one-cell gaps closed when both neighbours along an axis are filled. Counting
/// cells needs no model of the outline (disc, square, star) and is right for what is sampled at least once per cell;
/// of sparser regions it counts what the samples can stand for.
double sampled_area(Trajectory const& trajectory, Matrix const& matrix);

/// Weights w with sum = sampled_area / prod N, so that F^H (w d) is an image in rho's units.
///   w <- w / (C w), C the convolution with a kernel about one cycle/FOV wide, sampled at the trajectory
/// Ten iterations: later ones amplify the scatter of weights among samples closer than the kernel is wide (radial 64,
/// 128 spokes: rings within 2 % of the ramp after 10 iterations, 7 % after 30, 25 % after 100).
/// Source  Pipe and Menon, MRM 41:179 (1999); kernel width after Johnson and Pipe, MRM 61:439 (2009)
/// Errors  bad_shape, bad_option for a trajectory that is not finite
/// Cost    one spread and one interpolation per iteration
std::vector<double> pipe_menon_weights(Context const& context, Trajectory const& trajectory,
                                       Matrix const& matrix, int iterations = kPipeMenonIterations);

}  // namespace findrho
