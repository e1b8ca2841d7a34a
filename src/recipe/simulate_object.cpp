// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/phantom/voxel_phantom.hpp"
#include "simulate_parts.hpp"
#include "voxel_samples.hpp"

namespace findrho {
namespace {

std::vector<Placement> placements(SimulateOptions const& options, std::int64_t shots) {
  std::vector<Placement> result;
  if (options.motion.kind == MotionKind::none) return result;
  for (Pose const& pose : poses(options.motion, shots, options.repetition_time_s)) {
    result.push_back(placement(pose, options.fov_mm, options.matrix.dims()));
  }
  return result;
}

/// The solids, with the decay that was asked for where they have none of their own.
Phantom solids_of(SimulateOptions const& options) {
  Phantom phantom = options.phantom ? *options.phantom : shepp_logan(options.matrix.dims());
  for (Solid& solid : phantom.solids) {
    if (solid.decay.none()) solid.decay = options.decay;
  }
  return phantom;
}

/// The head on a matrix, its tissues decaying as the options say.
VoxelPhantom head_of(Context const& context, SimulateOptions const& options, Matrix const& matrix) {
  VoxelPhantom head = head_phantom(context, *options.anatomy, matrix, options.fov_mm, options.nucleus);
  if (options.tissue_decay == TissueDecay::uniform) {
    for (auto& tissue : head.tissues) tissue.decay = options.decay;
  }
  return head;
}

Matrix fine_matrix(SimulateOptions const& options) {
  Matrix const& m = options.matrix;
  std::int64_t const n = options.supersampling > 0 ? options.supersampling : m.z > 1 ? 2 : 4;
  return {n * m.x, n * m.y, m.z > 1 ? n * m.z : 1};
}

/// The field's constant, as a phase of every sample.
void turn_by_constant(Trajectory const& trajectory, double frequency, View<std::complex<double>> samples) {
  if (frequency == 0) return;
  for (std::int64_t i = 0; i < samples.size(); ++i) {
    double const t = trajectory.time_s[static_cast<std::size_t>(i % trajectory.size())];
    samples[i] *= std::polar(1.0, 2 * std::numbers::pi * frequency * t);
  }
}

ReceivedSignal receive_solids(Context const& context, SimulateOptions const& options,
                              Trajectory const& trajectory, CoilSet const& coils, Phantom const& phantom) {
  Trajectory const seen = options.field.zero() ? trajectory : shifted_by_field(trajectory, options.field);
  ReceivedSignal result;
  result.samples = phantom_samples(context, phantom, options.matrix, seen, coils,
                                   placements(options, trajectory.size() / trajectory.samples_per_readout));
  turn_by_constant(trajectory, options.field.polynomial[0], result.samples);
  result.method = "closed form";
  return result;
}

ReceivedSignal receive_voxels(Context const& context, SimulateOptions const& options,
                              Trajectory const& trajectory, CoilArray const& coils,
                              VoxelPhantom const& object) {
  ReceivedSignal result;
  result.samples =
      voxel_samples(context, {object, options.matrix, trajectory, coils, options.field,
                              placements(options, trajectory.size() / trajectory.samples_per_readout)});
  Matrix const& n = object.matrix;
  result.method = "sum over " + std::to_string(n.x) + " x " + std::to_string(n.y) +
                  (n.z > 1 ? " x " + std::to_string(n.z) : "") + " voxels";
  return result;
}

}  // namespace

ReceivedSignal receive(Context const& context, SimulateOptions const& options, Trajectory const& trajectory,
                       CoilArray const& coils) {
  if (options.anatomy) {
    auto result =
        receive_voxels(context, options, trajectory, coils, head_of(context, options, fine_matrix(options)));
    VoxelPhantom const head = head_of(context, options, options.matrix);
    result.truth = voxel_image(head);
    result.mean_inside = mean_inside(head);
    return result;
  }
  Phantom const phantom = solids_of(options);
  bool const closed = coils.model == CoilModel::polynomial && options.field.linear();
  auto result = closed ? receive_solids(context, options, trajectory, coils.polynomial, phantom)
                       : receive_voxels(context, options, trajectory, coils,
                                        voxelise(context, phantom, fine_matrix(options)));
  result.truth = phantom_image(context, phantom, options.matrix);
  result.mean_inside = mean_inside(phantom, result.truth, options.matrix);
  return result;
}

}  // namespace findrho
