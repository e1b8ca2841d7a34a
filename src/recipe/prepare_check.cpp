// SPDX-License-Identifier: BSD-3-Clause
// Readouts that contradict each other, matrices that no scan of this size can fill, samples that are no
// numbers.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "prepare_parts.hpp"

namespace findrho::prepare_parts {

namespace {

constexpr std::int64_t kVoxelsPerSample = 64;
constexpr std::int64_t kReadoutsPerTask = 256;

void check_arrays(RawScan const& scan, std::int64_t i) {
  RawReadout const& r = readout(scan, i);
  std::int64_t const data = r.samples * r.channels, trajectory = r.samples * r.trajectory_dims;
  if (r.data_offset < 0 || r.data_offset + data > std::ssize(scan.data)) {
    throw Error(ErrorKind::bad_file,
                fmt::format("{}: readout {} has {} samples of {} coils, {} values are there", scan.path, i,
                            r.samples, r.channels, std::ssize(scan.data) - r.data_offset));
  }
  if (r.trajectory_offset < 0 || r.trajectory_offset + trajectory > std::ssize(scan.trajectory)) {
    throw Error(
        ErrorKind::bad_file,
        fmt::format("{}: readout {} has {} samples, its trajectory {} values of {} columns", scan.path, i,
                    r.samples, std::ssize(scan.trajectory) - r.trajectory_offset, r.trajectory_dims));
  }
}

/// The first value of a readout that is not finite, in words; empty when all are.
std::string non_finite(RawScan const& scan, std::int64_t i) {
  RawReadout const& r = readout(scan, i);
  for (std::int64_t s = first_sample(r); s < end_sample(r); ++s) {
    for (int c = 0; c < r.channels; ++c) {
      auto const value = scan.data[static_cast<std::size_t>(r.data_offset + c * r.samples + s)];
      if (!std::isfinite(value.real()) || !std::isfinite(value.imag())) {
        return fmt::format("readout {}, sample {}, coil {} is {} + {}i", i, s, c, value.real(), value.imag());
      }
    }
    for (int d = 0; d < r.trajectory_dims; ++d) {
      float const value =
          scan.trajectory[static_cast<std::size_t>(r.trajectory_offset + s * r.trajectory_dims + d)];
      if (!std::isfinite(value))
        return fmt::format("trajectory of readout {}, sample {}, column {} is {}", i, s, d, value);
    }
  }
  return {};
}

}  // namespace

void check_readouts(RawScan const& scan, Chosen const& chosen) {
  std::int64_t const first = chosen.imaging.front();
  for (std::int64_t const i : chosen.imaging) {
    RawReadout const& r = readout(scan, i);
    check_arrays(scan, i);
    if (r.channels != readout(scan, first).channels || r.channels < 1) {
      throw Error(ErrorKind::bad_file,
                  fmt::format("{}: readout {} has {} coils, readout {} has {}", scan.path, i, r.channels,
                              first, readout(scan, first).channels),
                  "select readouts that go together with --select");
    }
    if (r.discard_pre < 0 || r.discard_post < 0 || first_sample(r) >= end_sample(r)) {
      throw Error(ErrorKind::bad_file, fmt::format("{}: readout {} discards {} + {} of its {} samples",
                                                   scan.path, i, r.discard_pre, r.discard_post, r.samples));
    }
  }
  for (std::int64_t const i : chosen.noise) check_arrays(scan, i);
}

void check_voxels_per_sample(RawScan const& scan, Chosen const& chosen, Spaces const& space) {
  for (auto const& [frame, readouts] : chosen.frames) {
    std::int64_t samples = 0;
    for (std::int64_t const i : readouts)
      samples += end_sample(readout(scan, i)) - first_sample(readout(scan, i));
    Matrix const& m = space.image;
    if (m.voxels() <= kVoxelsPerSample * samples) continue;
    throw Error(
        ErrorKind::bad_file,
        fmt::format(
            "{}: matrix {} x {} x {} has {:.0f} voxels per sample ({} samples{}); more than {} are not "
            "believed",
            scan.path, m.x, m.y, m.z, static_cast<double>(m.voxels()) / static_cast<double>(samples), samples,
            chosen.frames.size() > 1 ? " in one frame" : "", kVoxelsPerSample),
        chosen.frames.size() > 1 ? "pool frames with --merge, or give the image's size with --matrix"
                                 : "give the image's size with --matrix; the header's is suspicious");
  }
}

void check_finite(Context const& context, RawScan const& scan, Chosen const& chosen) {
  Readouts used = chosen.imaging;
  used.insert(used.end(), chosen.noise.begin(), chosen.noise.end());
  std::sort(used.begin(), used.end());
  std::int64_t const tasks = (std::ssize(used) + kReadoutsPerTask - 1) / kReadoutsPerTask;
  std::vector<std::string> found(static_cast<std::size_t>(tasks));
  context.pool().each(tasks, [&](std::int64_t task) {
    std::int64_t const end = std::min(std::ssize(used), (task + 1) * kReadoutsPerTask);
    std::string& text = found[static_cast<std::size_t>(task)];
    for (std::int64_t i = task * kReadoutsPerTask; i < end && text.empty(); ++i) {
      text = non_finite(scan, used[static_cast<std::size_t>(i)]);
    }
  });
  auto const bad =
      std::find_if(found.begin(), found.end(), [](std::string const& text) { return !text.empty(); });
  if (bad == found.end()) return;
  throw Error(ErrorKind::bad_file, scan.path + ": " + *bad,
              "leave the readout out with --select, or repair the file");
}

void require_memory(RawScan const& scan, Chosen const& chosen, std::int64_t grid, std::size_t coils) {
  std::int64_t samples = 0;
  for (std::int64_t const i : chosen.imaging) samples += readout(scan, i).samples;
  // Samples of all coils; per sample also k (3 doubles), time, and where it came from (32 bytes, one frame at
  // a time).
  auto const per_sample = static_cast<std::int64_t>(8 * coils + 3 * 8 + 4 + 32);
  std::int64_t const bytes = samples * per_sample + 8 * grid;
  findrho::require_memory(static_cast<double>(bytes),
                          fmt::format("{}: sorting {} samples of {} coils takes", scan.path, samples, coils),
                          "take part of the scan with --select or --coils");
}

}  // namespace findrho::prepare_parts
