// SPDX-License-Identifier: BSD-3-Clause
// A scan that was never measured: an analytic phantom seen along a trajectory through coils, with noise.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <optional>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/io/raw_scan.hpp"
#include "findrho/phantom/motion.hpp"
#include "findrho/phantom/phantom.hpp"
#include "findrho/trajectory/generate.hpp"

namespace findrho {

struct SimulateOptions {
  Matrix matrix{128, 128, 1};
  TrajectoryOptions trajectory = Spiral2dOptions{};
  std::optional<Phantom> phantom{};  // none: Shepp-Logan
  SheppLoganContrast contrast = SheppLoganContrast::modified;
  std::int64_t coils = 1;
  Motion motion{};                              // of the object, from readout to readout
  double snr = 0;                               // as in docs/conventions.md; 0: no noise
  std::uint64_t seed = 1;                       // of the noise
  std::int64_t noise_samples = 0;               // length of a readout of noise alone before the scan; 0: none
  double repetition_time_s = 0.01;              // from shot to shot
  std::array<double, 3> fov_mm{220, 220, 220};  // z of a 2D scan: slice thickness
  double field_T = 3;
};

struct SimulatedScan {
  RawScan scan;
  Trajectory trajectory;
  Array<std::complex<double>> truth;  // (z, y, x): voxel averages, the object at rest
  Array<std::complex<double>> maps;   // (coil, z, y, x)
  double noise_sigma = 0;             // of the samples, per real component
  std::int64_t shots = 0;             // readouts, the noise readout not counted
  double scan_time_s = 0;             // shots x repetition time
};

/// One readout per spoke, interleave or line. Non-Cartesian readouts carry their trajectory in cycles per
/// FOV; Cartesian ones carry the line numbers ky, kz instead, as scanners write them.
///   samples = phantom_samples + Gaussian noise, rho in the phantom's densities
/// Errors  bad_option, bad_shape, cancelled
SimulatedScan simulate(Context const& context, SimulateOptions const& options);

}  // namespace findrho
