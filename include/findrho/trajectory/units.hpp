// SPDX-License-Identifier: BSD-3-Clause
// Which unit a file's trajectory is in. MRD states none, so the unit is told from how far the samples reach.
#pragma once
#include <array>
#include <cstdint>
#include <string_view>

#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

enum class TrajectoryUnits {
  automatic,         // by evidence; refused where ambiguous
  cycles_per_fov,    // |k| <= N/2 (BART, Riesling, SigPy, mrpro)
  cycles_per_voxel,  // |k| <= 1/2 (Gadgetron, MRIReco, mri-nufft)
  radians,           // |k| <= pi, per voxel (FINUFFT, IRT, torchkbnufft)
  per_m              // cycles per metre; needs the FOV
};

char const* name(TrajectoryUnits units);
/// Errors  bad_option
TrajectoryUnits parse_trajectory_units(std::string_view text);

/// Relative excess over the exact edge of k-space that is taken for rounding: some hundred float32 roundings.
inline constexpr double kEdgeRounding = 1e-5;

/// How far a trajectory reaches, and the k-space that it should lie in.
struct TrajectoryExtent {
  int dims = 2;
  std::array<double, 3> largest{0, 0, 0};       // largest |k| per axis, in the file's unit
  std::array<std::int64_t, 3> matrix{1, 1, 1};  // that voxels are counted in
  std::array<double, 3> fov_mm{0, 0, 0};        // 0: unknown
  std::array<double, 3> limit{0, 0, 0};         // largest |k| allowed, in cycles per FOV: N/2
};

/// The unit: `asked` unless automatic, else the only one that fits; emits a note that names the evidence.
/// Automatic: a unit fits when no sample lies outside its range; where several fit, the one whose range the
/// samples fill by at least half, provided that it is the only one. Errors  bad_option (ambiguous; samples
/// outside the range, naming the unit they probably are in; per_m without FOV); `option` is where the caller's
/// user names the unit, for the hint
TrajectoryUnits decide_trajectory_units(Context const& context, TrajectoryExtent const& extent,
                                        TrajectoryUnits asked, std::string_view option = {});

/// What to multiply k with: cycles per FOV over the given unit, for an axis of n voxels and fov_mm.
double cycles_per_fov(TrajectoryUnits units, std::int64_t n, double fov_mm);

/// The same positions in another unit. Two roundings lead there and two back: within 2^-51 of the value, and exact where the
/// factor between the units is a power of two.
/// Errors  bad_option (a unit that is automatic; per_m without FOV)
Trajectory in_units(Trajectory const& trajectory, TrajectoryUnits from, TrajectoryUnits to,
                    Matrix const& matrix, std::array<double, 3> const& fov_mm);

}  // namespace findrho
