// SPDX-License-Identifier: BSD-3-Clause
// Samples and trajectory without a header become a raw scan, so that they pass the same checks.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "findrho/core/error.hpp"
#include "prepare_parts.hpp"

namespace findrho {

namespace {

using Dims = std::vector<std::int64_t>;

std::string str(Dims const& dims) {
  return fmt::format("({})", fmt::join(dims, ", "));
}

std::int64_t product(Dims const& dims, std::size_t first) {
  if (first >= dims.size()) return 1;
  return std::accumulate(dims.begin() + static_cast<std::ptrdiff_t>(first), dims.end(), std::int64_t{1},
                         std::multiplies<>());
}

std::int64_t extent(Dims const& dims, std::size_t i) {
  return i < dims.size() ? dims[i] : 1;
}

struct Sizes {
  std::int64_t columns, samples, spokes, coils, frames, trajectories;
};

Sizes sizes_of(HeaderlessScan const& scan) {
  Dims samples = scan.sample_dims, trajectory = scan.trajectory_dims;
  if (extent(trajectory, 0) != 3 && !trajectory.empty() && trajectory.back() == 3) {
    std::reverse(samples.begin(), samples.end());
    std::reverse(trajectory.begin(), trajectory.end());
  }
  Sizes const s{extent(trajectory, 0), extent(samples, 1),  extent(samples, 2),
                extent(samples, 3),    product(samples, 4), product(trajectory, 4)};
  bool const fits = s.columns == 3 && extent(samples, 0) == 1 && extent(trajectory, 1) == s.samples &&
                    extent(trajectory, 2) == s.spokes && extent(trajectory, 3) == 1 &&
                    (s.trajectories == 1 || s.trajectories == s.frames);
  if (!fits) {
    throw Error(ErrorKind::bad_shape,
                fmt::format("{}: samples {} and trajectory {} do not fit", scan.source, str(scan.sample_dims),
                            str(scan.trajectory_dims)),
                "samples are (1, readout, spokes, coils), the trajectory (3, readout, spokes)");
  }
  if (product(samples, 0) != scan.samples.size() || product(trajectory, 0) != scan.trajectory.size()) {
    throw Error(ErrorKind::bad_shape,
                fmt::format("{}: {} samples and {} trajectory values are there, for {} and {}", scan.source,
                            scan.samples.size(), scan.trajectory.size(), str(scan.sample_dims),
                            str(scan.trajectory_dims)));
  }
  return s;
}

RawReadout spoke(Sizes const& s, std::int64_t frame, std::int64_t line) {
  RawReadout r;
  r.channels = static_cast<int>(s.coils);
  r.samples = s.samples;
  r.trajectory_dims = static_cast<int>(s.columns);
  r.ky = static_cast<int>(line);
  r.repetition = static_cast<int>(frame);
  r.data_offset = (frame * s.spokes + line) * s.samples * s.coils;
  r.trajectory_offset = ((s.trajectories == 1 ? 0 : frame) * s.spokes + line) * s.samples * s.columns;
  return r;
}

RawScan to_raw(HeaderlessScan const& scan, PrepareOptions const& options) {
  Sizes const s = sizes_of(scan);
  RawScan raw;
  raw.path = scan.source;
  RawEncoding encoding;
  encoding.trajectory = "other";
  encoding.encoded = {.present = true, .matrix = options.matrix, .fov_mm = options.fov_mm};
  encoding.recon = encoding.encoded;
  raw.encodings.push_back(encoding);
  raw.data.resize(static_cast<std::size_t>(scan.samples.size()));
  for (std::int64_t f = 0; f < s.frames; ++f) {
    for (std::int64_t line = 0; line < s.spokes; ++line) {
      RawReadout const& r = raw.readouts.emplace_back(spoke(s, f, line));
      for (std::int64_t c = 0; c < s.coils; ++c) {
        std::copy_n(scan.samples.data + ((f * s.coils + c) * s.spokes + line) * s.samples, s.samples,
                    raw.data.begin() + static_cast<std::ptrdiff_t>(r.data_offset + c * s.samples));
      }
    }
  }
  raw.trajectory.resize(static_cast<std::size_t>(scan.trajectory.size()));
  std::transform(scan.trajectory.begin(), scan.trajectory.end(), raw.trajectory.begin(),
                 [](std::complex<float> k) { return k.real(); });
  return raw;
}

}  // namespace

Dataset prepare_headerless(Context const& context, HeaderlessScan const& scan,
                           PrepareOptions const& options) {
  if (options.matrix[0] < 1 || options.matrix[1] < 1) {
    throw Error(ErrorKind::bad_option,
                scan.source + ": samples without a header do not say how large the image is",
                "give --matrix (and --fov in mm)");
  }
  return prepare(context, to_raw(scan, options), options);
}

}  // namespace findrho
