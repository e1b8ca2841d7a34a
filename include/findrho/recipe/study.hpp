// SPDX-License-Identifier: BSD-3-Clause
// Scans judged before they are measured: trajectories x methods x SNRs x motions of one phantom whose truth is known.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/recipe/recon.hpp"
#include "findrho/recipe/simulate.hpp"

namespace findrho {

struct StudyTrajectory {
  std::string name;
  TrajectoryOptions options;
};

struct StudyMotion {
  std::string name = "none";
  Motion motion{};
};

struct StudyOptions {
  SimulateOptions scan;  // what all scans share; its trajectory, snr and motion are replaced
  ReconOptions recon;    // what all reconstructions share; its method and coil mode are replaced
  std::vector<StudyTrajectory> trajectories;
  std::vector<Method> methods;  // a Cartesian scan is done by ifft where the others are gridded
  std::vector<double> snrs{0};  // 0: no noise
  std::vector<StudyMotion> motions{StudyMotion{}};
};

/// One scan and one way to reconstruct it.
struct StudyRow {
  std::string trajectory, motion;
  Method method = Method::automatic;
  double snr = 0;
  std::int64_t shots = 0, samples = 0;
  double scan_time_s = 0, recon_seconds = 0;
  double psnr_db = 0, ssim = 0;
  double psf_width = 0;      // full width at half maximum in voxels, mean over the axes
  double psf_side_lobe = 0;  // highest magnitude outside the main lobe, over the peak
  double noise_gain = 0;     // NaN without noise
  Array<float> image;        // (z, y, x), magnitude
};

/// Every combination, trajectories slowest, then methods, SNRs, motions. Images are compared with the voxel averages of
/// the object at rest; an adjoint image, which is in other units, by the factor of least squared error. With several
/// coils the true maps are known to every method.
///   noise_gain  noise inside the object over what as many samples spread evenly over k-space would leave with the
///               same coils: rms over voxels of std(rho_n) sqrt(M sum_c |s_cn|^2) / sigma; from the difference of two
///               scans that differ in their noise alone. 1 is the least for an image without prior.
///   psf         of the trajectory with density weights, whatever the method; see psf_of()
/// A note tells of each row when it is ready.
/// Errors  those of simulate() and reconstruct(); cancelled
std::vector<StudyRow> run_study(Context const& context, StudyOptions const& options);

/// "ifft", "gridding", "adjoint", "cg".
std::string method_name(Method method);

}  // namespace findrho
