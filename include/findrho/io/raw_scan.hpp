// SPDX-License-Identifier: BSD-3-Clause
// A raw scan as the file has it: header, readouts, samples. Nothing is checked or interpreted yet.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace findrho {

/// MRD acquisition flags (bit n of the standard is value 1 << (n-1)), ISMRMRD 1.x.
enum class ReadoutFlag : std::uint64_t {
  noise = std::uint64_t{1} << 18,
  calibration = std::uint64_t{1} << 19,              // parallel calibration only
  calibration_and_imaging = std::uint64_t{1} << 20,  // parallel calibration and imaging
  reverse = std::uint64_t{1} << 21,
  navigation = std::uint64_t{1} << 22,
  phase_correction = std::uint64_t{1} << 23,
  hp_feedback = std::uint64_t{1} << 25,
  dummy = std::uint64_t{1} << 26,
  rt_feedback = std::uint64_t{1} << 27,
  surface_coil_correction = std::uint64_t{1} << 28,
  phase_stabilization_reference = std::uint64_t{1} << 29,
  phase_stabilization = std::uint64_t{1} << 30,
  compressed = std::uint64_t{0xF} << 52  // any of the four compression bits
};

struct RawReadout {
  std::uint64_t flags = 0;
  std::uint32_t scan_counter = 0;
  int channels = 0;
  std::int64_t samples = 0;
  std::int64_t discard_pre = 0, discard_post = 0, center_sample = 0;
  int encoding = 0;
  int trajectory_dims = 0;
  float dwell_us = 0;
  std::array<float, 3> position{}, read_dir{}, phase_dir{}, slice_dir{};
  int ky = 0, kz = 0, average = 0, slice = 0, contrast = 0, phase = 0, repetition = 0, set = 0, segment = 0;
  std::int64_t data_offset = 0;        // into RawScan::data; channel-major: channels x samples
  std::int64_t trajectory_offset = 0;  // into RawScan::trajectory; sample-major: samples x trajectory_dims
  bool has(ReadoutFlag flag) const { return (flags & static_cast<std::uint64_t>(flag)) != 0; }
};

struct RawSpace {
  bool present = false;
  std::array<std::int64_t, 3> matrix{0, 0, 0};
  std::array<double, 3> fov_mm{0, 0, 0};
};

struct RawLimit {
  bool present = false;
  int minimum = 0, maximum = 0, center = 0;
};

struct RawEncoding {
  std::string trajectory;  // "cartesian", "radial", "spiral", "other", ...
  RawSpace encoded, recon;
  RawLimit ky, kz, average, slice, contrast, phase, repetition, set, segment;
};

struct RawScan {
  std::string path, group;
  std::string xml;  // the header, verbatim
  std::vector<RawEncoding> encodings;
  double field_T = 0;
  double resonance_Hz = 0;              // of hydrogen; 0: not stated
  double receiver_noise_bandwidth = 1;  // noise bandwidth of a readout over 1/dwell
  std::vector<RawReadout> readouts;
  std::vector<std::complex<float>> data;
  std::vector<float> trajectory;
};

}  // namespace findrho
