// SPDX-License-Identifier: BSD-3-Clause
// Density compensation in closed form: the area (2D) or volume (3D) of k-space that each sample stands for.
// What no closed form covers is left to the iterative weights of the NUFFT.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "findrho/core/scan.hpp"

namespace findrho {

struct DensityWeights {
  std::vector<double> weights;  // one per sample; their sum is the sampled k-space area over prod N
  std::string method;           // "analytic radial 2D, 25 full spokes", for manifest and notes
};

/// Weights for a trajectory that its samples show to be one of these; otherwise nothing.
///   Cartesian  distinct integer positions: 1 cell each; samples at the same position share it
///   radial 2D  rings of one sample spacing, cut where neighbouring spokes meet; undersampled spokes share
///              the whole disc. The sample at DC gets its spoke's part of the central disc, the last one its
///              full ring.
///   radial 3D  shells, shared equally; the spoke directions have to cover the sphere evenly
///   spiral     rings between the mean radii of successive samples, shared by the interleaves: |k| d|k|
///   curves 2D  readouts that are turned copies of each other and pass through the centre (spirals of any density, in, out or
///              both; rosettes): |k| d|k| too, shared by all sweeps over a radius; the tips have to be evenly spaced
///   curves 3D  half spokes of any spacing (density-adapted), spread evenly over the sphere, and curves on cones (cones,
///              twisted projections): shells between the mean radii of successive samples, shared by the solid angle of a spoke,
///              or of the band between neighbouring cones and the curves on a cone
///   stacks     the plane's form in every plane of constant integer kz
/// Recognised as radial: straight spokes through the centre, uniform spacing, all full or all half. As a
/// spiral (Archimedean): |k| linear in the unwrapped angle to 10 % of the distance between turns, interleaves
/// equally spaced in angle, all inward or all outward. Each axis is scaled by N_d/2 first, so that elliptic
/// sampling is covered.
/// Units   k in cycles per FOV; the sum of the weights is the sampled area over prod N
/// Source  spiral: Hoge, Kwan and Pike, MRM 38:117 (1997), doi:10.1002/mrm.1910380117
std::optional<DensityWeights> analytic_density_if_known(Trajectory const& trajectory, Matrix const& matrix);

/// The same for a caller that knows that a closed form exists.
/// Errors  bad_option, where none does
std::vector<double> analytic_density(Trajectory const& trajectory, Matrix const& matrix);

}  // namespace findrho
