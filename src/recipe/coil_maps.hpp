// SPDX-License-Identifier: BSD-3-Clause
// Sensitivity maps from the scan's own centre, by adaptive combination.
#pragma once
#include <complex>
#include <optional>
#include <vector>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/nufft/cuda_nufft.hpp"

namespace findrho {

/// Unit-norm maps (root of sum of squares 1 at every voxel): the dominant eigenvector of the local coil covariance of
/// low-resolution coil images, its phase referred to the virtual coil that dominates the whole image.
/// Shapes  samples (coil, sample); result (coil, z, y, x)
/// Units   radius in cycles per FOV: samples beyond it are not used, those within weighted by a Hann window
///   cuda  where to compute; nothing, or more than 64 coils: the processor
/// Errors  bad_option when fewer than 8 samples lie within the radius; out_of_memory, device_fault
/// Source  Walsh, Gmitro and Marcellin, MRM 43:682 (2000)
Array<std::complex<float>> estimate_coil_maps(Context const& context, Trajectory const& trajectory,
                                              View<std::complex<float> const> samples,
                                              std::vector<double> const& density, Matrix const& matrix,
                                              double radius, std::optional<CudaSession> const& cuda);

/// Device memory that it takes on the device at the most, for whatever radius; 0 where the processor computes.
std::int64_t coil_maps_bytes(CudaSession const& session, CudaTrajectory const& trajectory,
                             Matrix const& matrix, std::int64_t coils);

}  // namespace findrho
