// SPDX-License-Identifier: BSD-3-Clause
// The point-spread function of a trajectory with density weights: how wide a point becomes and how high its side lobes are.
#pragma once
#include <array>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/recipe/recon.hpp"

namespace findrho {

struct PsfFacts {
  std::array<double, 3> fwhm_voxels{0, 0,
                                    0};  // full width at half maximum of |psf| along each axis; z: 0 in 2D
  std::array<double, 3> main_lobe_voxels{0, 0, 0};  // from the centre to the first minimum along each axis
  double side_lobe = 0;                             // highest |psf| outside the main lobe over the peak
  double side_lobe_dB = 0;                          // 20 log10 of it
  std::array<double, 3> side_lobe_at{0, 0, 0};      // where that is, in voxels
  Array<float> image;                               // (z, y, x): |psf| over the peak, two places per voxel
};

/// psf(r) = sum_m w_m exp(+i 2 pi k_m . r) / sum_m w_m, within half a FOV of the centre. The main lobe is the ellipse or
/// ellipsoid through the first minima along the axes. The image is the adjoint NUFFT on a grid twice as fine as the matrix; widths
/// and the highest side lobe are then refined by the exact sum.
///   weights  one per sample; empty: 1
/// Errors  bad_shape, bad_option (no samples, weights that add up to nothing)
/// Cost    one adjoint on 2^dims times the voxels, and some hundred exact sums over the samples
PsfFacts psf_of(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                std::vector<double> const& weights);

/// Density weights of a trajectory by the method asked for; automatic: analytic, else Pipe-Menon. Empty for none.
/// Emits a note that names the method.
/// Errors  bad_option (no closed form; Voronoi in 3D; weights of a file, which a trajectory has none of)
///   cuda  where Pipe-Menon's iterations run; nothing: the processor
std::vector<double> density_of(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                               DensityKind kind, std::optional<CudaSession> const& cuda = {});

}  // namespace findrho
