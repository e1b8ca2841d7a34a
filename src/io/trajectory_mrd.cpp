// SPDX-License-Identifier: BSD-3-Clause
// A trajectory as an MRD scan of one channel whose samples are 0.
#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/io/mrd_read.hpp"
#include "findrho/io/mrd_write.hpp"
#include "trajectory_formats.hpp"

namespace findrho::detail {
namespace {

constexpr std::int64_t kMostLines =
    65536;  // MRD counts lines in 16 bits: more shots go on in the second counter

RawLimit limit(std::int64_t count) {
  return {true, 0, static_cast<int>(count - 1), 0};
}

/// The sample whose time is nearest to 0.
std::int64_t center_of(Trajectory const& t) {
  if (t.time_s.empty()) return 0;
  auto const end = t.time_s.begin() + static_cast<std::ptrdiff_t>(t.samples_per_readout);
  auto const nearer = [](float a, float b) { return std::abs(a) < std::abs(b); };
  return std::min_element(t.time_s.begin(), end, nearer) - t.time_s.begin();
}

double dwell_of(Trajectory const& t) {
  std::int64_t const n = t.samples_per_readout;
  if (t.time_s.empty() || n < 2) return 0;
  return (double{t.time_s[static_cast<std::size_t>(n - 1)]} - double{t.time_s[0]}) /
         static_cast<double>(n - 1);
}

}  // namespace

void write_mrd_trajectory(std::string const& path, Trajectory const& t, TrajectoryHeader const& header) {
  std::int64_t const n = t.samples_per_readout, shots = t.size() / n;
  RawScan scan;
  RawEncoding encoding;
  encoding.trajectory = header.kind;
  encoding.encoded = {true, {header.matrix.x, header.matrix.y, header.matrix.z}, header.fov_mm};
  encoding.recon = encoding.encoded;
  encoding.ky = limit(std::min(shots, kMostLines));
  encoding.kz = limit((shots + kMostLines - 1) / kMostLines);
  encoding.average = encoding.slice = encoding.contrast = encoding.phase = encoding.repetition =
      encoding.set = encoding.segment = limit(1);
  scan.encodings = {encoding};
  scan.data.resize(static_cast<std::size_t>(t.size()));
  for (std::int64_t i = 0; i < shots; ++i) {
    RawReadout r;
    r.scan_counter = static_cast<std::uint32_t>(i);
    r.channels = 1;
    r.samples = n;
    r.center_sample = center_of(t);
    r.dwell_us = static_cast<float>(dwell_of(t) * 1e6);
    r.trajectory_dims = t.dims;
    r.ky = static_cast<int>(i % kMostLines);
    r.kz = static_cast<int>(i / kMostLines);
    r.read_dir = {1, 0, 0};
    r.phase_dir = {0, 1, 0};
    r.slice_dir = {0, 0, 1};
    r.data_offset = i * n;
    r.trajectory_offset = i * n * t.dims;
    scan.readouts.push_back(r);
    for (std::int64_t m = i * n; m < (i + 1) * n; ++m) {
      for (int d = 0; d < t.dims; ++d) {
        scan.trajectory.push_back(static_cast<float>(t[d][static_cast<std::size_t>(m)]));
      }
    }
  }
  write_mrd(path, scan);
}

TrajectoryFile read_mrd_trajectory(Context const& context, std::string const& path) {
  RawScan const scan = read_mrd(context, path);
  TrajectoryFile file;
  std::vector<double> values;
  std::vector<float> times;
  std::int64_t samples = 0;
  int dims = 0;
  for (RawReadout const& r : scan.readouts) {
    if (r.has(ReadoutFlag::noise)) continue;
    if (dims == 0) samples = r.samples, dims = r.trajectory_dims;
    if (r.samples != samples || r.trajectory_dims != dims || dims < 2 || dims > 3) {
      throw Error(ErrorKind::bad_file,
                  path + ": a readout of " + std::to_string(r.samples) + " samples with " +
                      std::to_string(r.trajectory_dims) + " trajectory columns",
                  "give a scan with 2 or 3 columns and readouts of equal length");
    }
    for (std::int64_t i = 0; i < samples * dims; ++i) {
      values.push_back(scan.trajectory[static_cast<std::size_t>(r.trajectory_offset + i)]);
    }
    for (std::int64_t j = 0; j < samples && r.dwell_us > 0; ++j) {
      times.push_back(
          static_cast<float>(static_cast<double>(j - r.center_sample) * double{r.dwell_us} * 1e-6));
    }
  }
  if (dims == 0) throw Error(ErrorKind::bad_file, path + ": no readouts", "give a scan with a trajectory");
  file.trajectory = from_values(path, values, dims, samples);
  if (times.size() == file.trajectory.kx.size()) file.trajectory.time_s = std::move(times);
  if (!scan.encodings.empty()) {
    RawSpace const& space = scan.encodings[0].encoded;
    file.header = {{space.matrix[0], space.matrix[1], std::max<std::int64_t>(space.matrix[2], 1)},
                   space.fov_mm,
                   scan.encodings[0].trajectory};
  }
  return file;
}

}  // namespace findrho::detail
