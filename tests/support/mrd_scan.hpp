// SPDX-License-Identifier: BSD-3-Clause
// Small raw scans for tests: a radial scan of two coils and a Cartesian one, with samples that tell where
// they are from.
#pragma once
#include <cmath>
#include <cstdint>
#include <numbers>
#include <string>

#include "findrho/io/raw_scan.hpp"

namespace findrho::test {

/// Channel c, sample s of readout i.
inline std::complex<float> sample_value(std::int64_t i, std::int64_t s, int c) {
  return {static_cast<float>(1 + i) + 0.01F * static_cast<float>(s), static_cast<float>(1 + c)};
}

inline void append_readout(RawScan& scan, RawReadout r) {
  auto const i = static_cast<std::int64_t>(scan.readouts.size());
  r.data_offset = static_cast<std::int64_t>(scan.data.size());
  r.trajectory_offset = static_cast<std::int64_t>(scan.trajectory.size());
  for (int c = 0; c < r.channels; ++c) {
    for (std::int64_t s = 0; s < r.samples; ++s) scan.data.push_back(sample_value(i, s, c));
  }
  scan.trajectory.resize(scan.trajectory.size() + static_cast<std::size_t>(r.samples * r.trajectory_dims));
  scan.readouts.push_back(r);
}

inline RawReadout readout_of(std::int64_t samples, int channels) {
  RawReadout r;
  r.samples = samples;
  r.channels = channels;
  r.dwell_us = 4;
  r.read_dir = {1, 0, 0};
  r.phase_dir = {0, 1, 0};
  r.slice_dir = {0, 0, 1};
  return r;
}

inline RawEncoding encoding_of(std::string const& trajectory, std::int64_t n) {
  RawEncoding e;
  e.trajectory = trajectory;
  e.encoded = {.present = true, .matrix = {n, n, 1}, .fov_mm = {200, 200, 5}};
  e.recon = e.encoded;
  return e;
}

/// Full spokes of n samples from -n/2 to n/2 - 1 cycles per FOV, scaled into another unit.
inline RawScan radial_scan(std::int64_t n = 16, std::int64_t spokes = 6, int channels = 2, double scale = 1) {
  RawScan scan;
  scan.path = "radial";
  scan.encodings.push_back(encoding_of("radial", n));
  for (std::int64_t i = 0; i < spokes; ++i) {
    RawReadout r = readout_of(n, channels);
    r.trajectory_dims = 2;
    r.ky = static_cast<int>(i);
    append_readout(scan, r);
    double const angle = std::numbers::pi * static_cast<double>(i) / static_cast<double>(spokes);
    for (std::int64_t s = 0; s < n; ++s) {
      auto const k = static_cast<double>(s - n / 2) * scale;
      auto const at = static_cast<std::size_t>(scan.readouts.back().trajectory_offset + 2 * s);
      scan.trajectory[at] = static_cast<float>(k * std::cos(angle));
      scan.trajectory[at + 1] = static_cast<float>(k * std::sin(angle));
    }
  }
  return scan;
}

/// n lines of n samples with their centre in the middle.
inline RawScan cartesian_scan(std::int64_t n = 8, int channels = 2) {
  RawScan scan;
  scan.path = "cartesian";
  scan.encodings.push_back(encoding_of("cartesian", n));
  auto const lines = static_cast<int>(n);
  scan.encodings.back().ky = {.present = true, .minimum = 0, .maximum = lines - 1, .center = lines / 2};
  for (int line = 0; line < lines; ++line) {
    RawReadout r = readout_of(n, channels);
    r.center_sample = n / 2;
    r.ky = line;
    append_readout(scan, r);
  }
  return scan;
}

}  // namespace findrho::test
