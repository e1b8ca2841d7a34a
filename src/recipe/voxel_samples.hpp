// SPDX-License-Identifier: BSD-3-Clause
// k-space of voxels where no closed form is: any smooth coils, off-resonance maps, decay by tissue, motion.
#pragma once
#include <complex>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/phantom/coils.hpp"
#include "findrho/phantom/field_map.hpp"
#include "findrho/phantom/motion.hpp"
#include "findrho/phantom/voxel_phantom.hpp"

namespace findrho {

struct VoxelScan {
  VoxelPhantom const& object;
  Matrix matrix;  // of the image: samples are prod N times the integral over the FOV, as phantom_samples
  Trajectory const& trajectory;
  CoilArray const& coils;
  FieldMap field{};
  std::vector<Placement> placements{};  // of each readout; empty: at rest
};

/// d[c,m] = prod N phi(k_m) sum_n s_c(r_n) rho_n(t_m) exp(+i 2 pi f(r_n) t_m) exp(-i 2 pi k_m . r_n) / voxels,
/// phi: the product of sinc(k_d / n_d), or 1 over it for averages; rho_n(t) the tissues with their decay. Where the object is moved, r_n
/// is the moved voxel and k turns with the box.
/// The exponential in t is interpolated between L Chebyshev points (time_segments), the sums are NUFFTs of accuracy 1e-7.
/// Error    coils and field are taken at voxel centres: it falls with the square of the voxel size h, as
///          h^2 2 pi |k| |grad s e^(i 2 pi f t)| / 12 of what the voxels emit; averages alias, edges in d dimensions as h^((d+3)/2)
/// Shapes   result (coil, sample)
/// Errors   bad_option (a signal that changes where the samples' times are unknown, too many segments), bad_shape, cancelled
/// Cost     coils x L NUFFTs for each place of the object
/// Source   Noll et al., IEEE TMI 10:629 (1991), doi:10.1109/42.108599 (time segments)
Array<std::complex<double>> voxel_samples(Context const& context, VoxelScan const& scan);

/// The least L for which interpolating exp(z x), -1 <= x <= 1, at L Chebyshev points errs by at most 1e-6 of exp(|Re z|):
///   |z|^L / (2^(L-1) L!)
/// Errors  bad_option, beyond 256
int time_segments(std::complex<double> z);

}  // namespace findrho
