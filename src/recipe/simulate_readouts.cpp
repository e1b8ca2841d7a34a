// SPDX-License-Identifier: BSD-3-Clause
// Simulated samples as a raw scan: header and readouts as a scanner writes them.
#include <algorithm>
#include <cmath>

#include "findrho/trajectory/facts.hpp"
#include "simulate_parts.hpp"

namespace findrho {
namespace {

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

// MRD counts lines in 16 bits: more shots than that go on in the second counter.
constexpr std::int64_t kMostLines = 65536;

RawLimit limit(std::int64_t count, std::int64_t center) {
  return {true, 0, static_cast<int>(count - 1), static_cast<int>(center)};
}

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

void append_noise_readout(View<std::complex<double> const> noise, Description const& description,
                          SimulatedScan& result) {
  RawReadout readout = make_readout(result, noise.shape.extent(Axis::sample), description);
  readout.flags = static_cast<std::uint64_t>(ReadoutFlag::noise);
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

}  // namespace

void write_readouts(SimulateOptions const& options, View<std::complex<double> const> samples,
                    View<std::complex<double> const> noise, SimulatedScan& result) {
  Description const description = describe(options.trajectory, result.trajectory);
  result.scan.group = "dataset";
  result.scan.field_T = options.field_T;
  result.scan.encodings = {make_encoding(options, description, result.shots)};
  if (noise.data != nullptr) append_noise_readout(noise, description, result);
  for (std::int64_t shot = 0; shot < result.shots; ++shot) {
    append_shot(options, description, samples, shot, result);
  }
}

}  // namespace findrho
