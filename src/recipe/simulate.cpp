// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/simulate.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/phantom/noise.hpp"
#include "findrho/trajectory/facts.hpp"

namespace findrho {
namespace {

enum NoiseStream : std::uint64_t { kScanNoise = 0, kNoiseReadout = 1 };

/// What the header and the readouts say about each kind of trajectory.
struct Description {
  std::string name;  // in the MRD header
  double dwell_s;
  std::int64_t center_sample;  // at DC
  bool cartesian;
};

Description describe(TrajectoryOptions const& options, Trajectory const& trajectory) {
  bool const cartesian = std::holds_alternative<CartesianOptions>(options);
  return {mrd_name(options), dwell_s(options), dc_sample(trajectory), cartesian};
}

void check(SimulateOptions const& options) {
  auto const refuse = [](std::string const& what, std::string const& hint) {
    throw Error(ErrorKind::bad_option, what, hint);
  };
  if (!(options.snr >= 0) || !std::isfinite(options.snr)) {
    refuse("SNR is " + std::to_string(options.snr), "give a finite number above 0, or 0 for no noise");
  }
  if (options.noise_samples < 0) {
    refuse("noise_samples is " + std::to_string(options.noise_samples),
           "give 1 or more, or 0 for no noise readout");
  }
  if (options.noise_samples > 0 && options.snr == 0) {
    refuse("a noise readout of " + std::to_string(options.noise_samples) +
               " samples was asked for without noise",
           "give an SNR");
  }
  if (!(options.repetition_time_s > 0)) {
    refuse("repetition_time_s is " + std::to_string(options.repetition_time_s), "give a time above 0");
  }
  for (double const fov : options.fov_mm) {
    if (!(fov > 0) || !std::isfinite(fov)) refuse("fov_mm is " + std::to_string(fov), "give lengths above 0");
  }
}

RawLimit limit(std::int64_t count, std::int64_t center) {
  return {true, 0, static_cast<int>(count - 1), static_cast<int>(center)};
}

// MRD counts lines in 16 bits: more shots than that go on in the second counter.
constexpr std::int64_t kMostLines = 65536;

RawEncoding make_encoding(SimulateOptions const& options, Description const& description,
                          std::int64_t shots) {
  Matrix const& m = options.matrix;
  RawEncoding encoding;
  encoding.trajectory = description.name;
  encoding.encoded = {true, {m.x, m.y, m.z}, options.fov_mm};
  encoding.recon = encoding.encoded;
  if (description.cartesian) {
    encoding.ky = limit(m.y, m.y / 2);
    encoding.kz = limit(m.z, m.z / 2);
  } else {
    encoding.ky = limit(std::min(shots, kMostLines), 0);
    encoding.kz = limit((shots + kMostLines - 1) / kMostLines, 0);
  }
  encoding.average = encoding.slice = encoding.contrast = encoding.phase = encoding.repetition =
      encoding.set = encoding.segment = limit(1, 0);
  return encoding;
}

RawReadout make_readout(SimulatedScan const& result, std::int64_t samples, Description const& description) {
  RawReadout readout;
  readout.scan_counter = static_cast<std::uint32_t>(result.scan.readouts.size());
  readout.channels = static_cast<int>(result.maps.shape().extent(Axis::coil));
  readout.samples = samples;
  readout.dwell_us = static_cast<float>(description.dwell_s * 1e6);
  readout.read_dir = {1, 0, 0};
  readout.phase_dir = {0, 1, 0};
  readout.slice_dir = {0, 0, 1};
  readout.data_offset = static_cast<std::int64_t>(result.scan.data.size());
  readout.trajectory_offset = static_cast<std::int64_t>(result.scan.trajectory.size());
  return readout;
}

void append_noise_readout(Context const& context, SimulateOptions const& options,
                          Description const& description, SimulatedScan& result) {
  RawReadout readout = make_readout(result, options.noise_samples, description);
  readout.flags = static_cast<std::uint64_t>(ReadoutFlag::noise);
  Array<std::complex<double>> noise(sample_shape(options.coils, options.noise_samples));
  add_noise(context, noise, result.noise_sigma, options.seed, kNoiseReadout);
  for (auto const& value : noise) result.scan.data.emplace_back(value);
  result.scan.readouts.push_back(readout);
}

void append_shot(SimulateOptions const& options, Description const& description,
                 View<std::complex<double> const> samples, std::int64_t shot, SimulatedScan& result) {
  Trajectory const& t = result.trajectory;
  std::int64_t const n = t.samples_per_readout, begin = shot * n;
  RawReadout readout = make_readout(result, n, description);
  readout.center_sample = description.center_sample;
  if (description.cartesian) {
    auto const first = static_cast<std::size_t>(begin);
    readout.ky = static_cast<int>(std::lround(t.ky[first]) + options.matrix.y / 2);
    if (t.dims == 3) readout.kz = static_cast<int>(std::lround(t.kz[first]) + options.matrix.z / 2);
  } else {
    readout.ky = static_cast<int>(shot % kMostLines);
    readout.kz = static_cast<int>(shot / kMostLines);
    readout.trajectory_dims = t.dims;
    for (std::int64_t m = begin; m < begin + n; ++m) {
      for (int d = 0; d < t.dims; ++d) {
        result.scan.trajectory.push_back(static_cast<float>(t[d][static_cast<std::size_t>(m)]));
      }
    }
  }
  for (std::int64_t c = 0; c < options.coils; ++c) {
    for (std::int64_t m = begin; m < begin + n; ++m) result.scan.data.emplace_back(samples[c * t.size() + m]);
  }
  result.scan.readouts.push_back(readout);
}

std::vector<Placement> placements(SimulateOptions const& options, std::int64_t shots) {
  std::vector<Placement> result;
  if (options.motion.kind == MotionKind::none) return result;
  for (Pose const& pose : poses(options.motion, shots, options.repetition_time_s)) {
    result.push_back(placement(pose, options.fov_mm, options.matrix.dims()));
  }
  return result;
}

}  // namespace

SimulatedScan simulate(Context const& context, SimulateOptions const& options) {
  check(options);
  Phase const phase(context, "simulate");
  Matrix const& matrix = options.matrix;
  SimulatedScan result;
  TrajectoryOptions trajectory = options.trajectory;
  set_fov(trajectory, options.fov_mm);
  result.trajectory = make_trajectory(matrix, trajectory);
  std::int64_t const per_readout = result.trajectory.samples_per_readout;
  Description const description = describe(options.trajectory, result.trajectory);
  Phantom const phantom = options.phantom ? *options.phantom : shepp_logan(matrix.dims(), options.contrast);
  CoilSet const coils = make_coils(matrix.dims(), options.coils);
  result.truth = phantom_image(context, phantom, matrix);
  result.maps = coil_maps(matrix, coils);

  result.shots = result.trajectory.size() / per_readout;
  auto samples =
      phantom_samples(context, phantom, matrix, result.trajectory, coils, placements(options, result.shots));
  if (options.snr > 0) {
    result.noise_sigma = sample_noise_sigma(mean_inside(phantom, result.truth, matrix), options.snr, matrix);
    add_noise(context, samples, result.noise_sigma, options.seed, kScanNoise);
  }

  result.scan_time_s = static_cast<double>(result.shots) * options.repetition_time_s;
  result.scan.group = "dataset";
  result.scan.field_T = options.field_T;
  result.scan.encodings = {make_encoding(options, description, result.shots)};
  if (options.noise_samples > 0) append_noise_readout(context, options, description, result);
  for (std::int64_t shot = 0; shot < result.shots; ++shot) {
    append_shot(options, description, samples, shot, result);
  }
  return result;
}

}  // namespace findrho
