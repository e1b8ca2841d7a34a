// SPDX-License-Identifier: BSD-3-Clause
// A simulated scan and its whole reconstruction with the sums of one rung: what ladder, its quality tables and its PSNR
// columns share.
#pragma once
#include <complex>
#include <optional>
#include <vector>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/dft/ladder.hpp"
#include "findrho/recipe/exact_recon.hpp"
#include "findrho/recipe/prepare.hpp"
#include "findrho/trajectory/generate.hpp"

namespace findrho {

/// A scan of the phantom from its k-space in closed form, checked and sorted, with its truth: voxel averages.
struct PhantomScan {
  Dataset dataset;
  Array<float> truth;
  double scan_time_s = 0;  // shots x 10 ms + samples x dwell
  Frame const& frame() const { return dataset.frames.front(); }
};
PhantomScan scan_phantom(Context const& context, Matrix const& matrix, TrajectoryOptions trajectory,
                         double snr, std::uint64_t seed);

/// Of magnitudes, against the truth as it stands.
double psnr_of(PhantomScan const& scan, Array<std::complex<float>> const& image);
/// Relative l2 distance of complex images.
double distance(Array<std::complex<float>> const& image, Array<std::complex<float>> const& from);

/// Where a rung runs: on the device of the session, or, with none, on the CPU.
struct RungPlace {
  Rung rung;
  RungOptions options;
  CudaSession const* session = nullptr;
};

/// F^H d and Q by the rung, in T, then cg on the CPU in T.
template <class T>
ExactRecon reconstruct_by_rung(Context const& context, PhantomScan const& scan, RungPlace const& place,
                               ExactReconOptions const& options);

}  // namespace findrho
