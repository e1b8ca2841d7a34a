// SPDX-License-Identifier: BSD-3-Clause
#include "density.hpp"

#include <numeric>

#include "findrho/core/error.hpp"
#include "findrho/nufft/cuda_nufft.hpp"
#include "findrho/nufft/pipe_menon.hpp"
#include "findrho/recipe/psf.hpp"
#include "findrho/trajectory/density.hpp"
#include "findrho/trajectory/voronoi.hpp"

namespace findrho {

std::vector<double> density_weights(Context const& context, Frame const& frame, Matrix const& matrix,
                                    DensityKind kind, std::optional<CudaSession> const& cuda) {
  Trajectory const& trajectory = *frame.trajectory;
  if (kind == DensityKind::none) return {};
  if (kind == DensityKind::file || (kind == DensityKind::automatic && !frame.density.empty())) {
    if (frame.density.empty()) {
      throw Error(ErrorKind::bad_option, "the scan carries no density weights",
                  "use --density auto, analytic, voronoi or pipe_menon");
    }
    std::vector<double> weights(frame.density.begin(), frame.density.end());
    double const sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    double const scale = sampled_area(trajectory, matrix) / static_cast<double>(matrix.voxels()) / sum;
    for (double& w : weights) w *= scale;
    context.note("density weights: the file's, scaled to the sampled k-space area");
    return weights;
  }
  return density_of(context, trajectory, matrix, kind, cuda);
}

std::vector<double> density_of(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                               DensityKind kind, std::optional<CudaSession> const& cuda) {
  if (kind == DensityKind::none) return {};
  if (kind == DensityKind::file) {
    throw Error(ErrorKind::bad_option, "a trajectory alone carries no density weights",
                "use analytic, voronoi or pipe_menon");
  }
  if (kind == DensityKind::voronoi) {
    context.note("density weights: Voronoi cells");
    return voronoi_density(trajectory, matrix);
  }
  if (kind == DensityKind::analytic || kind == DensityKind::automatic) {
    if (auto known = analytic_density_if_known(trajectory, matrix)) {
      context.note("density weights: " + known->method);
      return std::move(known->weights);
    }
    if (kind == DensityKind::analytic) {
      throw Error(ErrorKind::bad_option, "no closed form of the density is known for this trajectory",
                  "use --density voronoi (2D) or pipe_menon");
    }
  }
  context.note("density weights: Pipe-Menon, " + std::to_string(kPipeMenonIterations) + " iterations");
  if (!cuda) return pipe_menon_weights(context, trajectory, matrix);
  CudaTrajectoryCopy const there(*cuda, trajectory);
  CudaVector<float> const weights(*cuda, trajectory.size());
  cuda_pipe_menon_weights(*cuda, there.view(), matrix, weights.data());
  std::vector<float> const result = weights.download();
  return {result.begin(), result.end()};
}

}  // namespace findrho
