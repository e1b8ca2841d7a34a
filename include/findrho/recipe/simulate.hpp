// SPDX-License-Identifier: BSD-3-Clause
// A scan that was never measured: a phantom seen along a trajectory through coils, with motion, off-resonance, decay and
// noise.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/io/raw_scan.hpp"
#include "findrho/phantom/anatomy.hpp"
#include "findrho/phantom/field_map.hpp"
#include "findrho/phantom/library.hpp"
#include "findrho/phantom/motion.hpp"
#include "findrho/phantom/noise.hpp"
#include "findrho/phantom/phantom.hpp"
#include "findrho/trajectory/delay.hpp"
#include "findrho/trajectory/generate.hpp"

namespace findrho {

/// Whose decay the tissues of a head have.
enum class TissueDecay : std::uint8_t {
  uniform,   // SimulateOptions::decay, none by default
  by_tissue  // what each of them has
};

struct SimulateOptions {
  Matrix matrix{128, 128, 1};
  TrajectoryOptions trajectory = Spiral2dOptions{};
  std::optional<Phantom> phantom{};          // none: Shepp-Logan of modified contrast; see named_phantom
  std::shared_ptr<Anatomy const> anatomy{};  // a head instead of solids
  Nucleus nucleus = Nucleus::hydrogen;       // that the head shows
  std::int64_t coils = 1;
  CoilModel coil_model = CoilModel::polynomial;
  GradientDelay delay{};                            // the scan states the trajectory without it
  Motion motion{};                                  // of the object, from readout to readout
  FieldMap field{};                                 // off-resonance
  Decay decay{};                                    // of solids without a decay of their own, and of the head
  TissueDecay tissue_decay = TissueDecay::uniform;  // of the head
  std::int64_t supersampling = 0;  // voxels of the sum per image voxel and axis; 0: 4 in 2D, 2 in 3D
  double snr = 0;                  // as in docs/conventions.md; 0: no noise
  std::optional<NoiseCovariance> noise_covariance{};  // of the coils; none: white
  std::uint64_t seed = 1;                             // of the noise
  std::int64_t noise_samples = 0;               // length of a readout of noise alone before the scan; 0: none
  double repetition_time_s = 0.01;              // from shot to shot; 0: 10 ms, or the readout and 5 ms
  std::array<double, 3> fov_mm{220, 220, 220};  // z of a 2D scan: slice thickness
  double field_T = 3;
};

struct SimulatedScan {
  RawScan scan;
  Trajectory trajectory;
  Array<std::complex<double>> truth;  // (z, y, x): voxel averages, the object at rest
  Array<std::complex<double>> maps;   // (coil, z, y, x)
  Array<double> field_hz;             // (z, y, x); empty without off-resonance
  double noise_sigma = 0;             // of the samples, per real component
  double coil_fit_error = 0;          // of polynomial sensitivities, relative to the loops' field (rms)
  std::int64_t shots = 0;             // readouts, the noise readout not counted
  double scan_time_s = 0;             // shots x repetition time
  std::string method;                 // "closed form" or "sum over 512 x 512 voxels"
};

/// A head from a NIfTI file, turned to the axes of an Anatomy where the file knows them.
/// Errors  bad_file
Anatomy read_anatomy(std::string const& path);

/// One readout per spoke, interleave or line. Non-Cartesian readouts carry their trajectory in cycles per
/// FOV; Cartesian ones carry the line numbers ky, kz instead, as scanners write them.
///   samples = what the coils receive + Gaussian noise, rho in the phantom's densities
/// Solids seen through polynomial coils are in closed form; a head, loops and fields that are not linear in position are summed
/// over voxels (voxel_samples).
/// Errors  bad_option, bad_shape, out_of_memory, cancelled
SimulatedScan simulate(Context const& context, SimulateOptions const& options);

}  // namespace findrho
