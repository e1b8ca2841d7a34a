// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/trajectory_file.hpp"

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/io/cfl.hpp"
#include "trajectory_formats.hpp"

namespace findrho {
namespace {

bool ends_with(std::string const& path, std::string_view ending) {
  return path.size() > ending.size() && path.compare(path.size() - ending.size(), ending.size(), ending) == 0;
}

TrajectoryFile read_cfl_trajectory(std::string const& path) {
  CflArray const array = read_cfl(path);
  std::int64_t const dims = array.dim(0), samples = array.dim(1);
  if (dims != 2 && dims != 3) {
    throw Error(ErrorKind::bad_file,
                path + ": the first dimension is " + std::to_string(dims) + ", not 2 or 3",
                "a trajectory is (3, samples, readouts)");
  }
  std::vector<double> values(array.data.size());
  std::transform(array.data.begin(), array.data.end(), values.begin(),
                 [](std::complex<float> k) { return static_cast<double>(k.real()); });
  return {detail::from_values(path, values, static_cast<int>(dims), samples), {}};
}

void write_cfl_trajectory(std::vector<std::string> const& paths, Trajectory const& t) {
  Array<std::complex<float>> data({{Axis::other, t.size()}, {Axis::dim, 3}});
  for (std::int64_t m = 0; m < t.size(); ++m) {
    for (int d = 0; d < t.dims; ++d) data[3 * m + d] = static_cast<float>(t[d][static_cast<std::size_t>(m)]);
  }
  write_cfl({paths.at(0), paths.at(1)}, {3, t.samples_per_readout, t.size() / t.samples_per_readout}, data);
}

}  // namespace

Trajectory detail::from_values(std::string const& path, std::vector<double> const& values, int dims,
                               std::int64_t samples) {
  auto const width = static_cast<std::size_t>(dims);
  std::size_t const total = values.size() / width;
  if (samples < 1 || total == 0 || total % static_cast<std::size_t>(samples) != 0) {
    throw Error(ErrorKind::bad_file, path + ": no samples", "give at least one readout");
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isfinite(values[i])) continue;
    throw Error(ErrorKind::bad_file, path + ": sample " + std::to_string(i / width) + " is not finite",
                "repair the file");
  }
  Trajectory t;
  bool flat = dims == 3;
  for (std::size_t m = 0; flat && m < total; ++m) flat = values[m * width + 2] == 0;
  t.dims = flat ? 2 : dims;
  t.samples_per_readout = samples;
  for (int d = 0; d < t.dims; ++d) {
    t[d].resize(total);
    for (std::size_t m = 0; m < total; ++m) t[d][m] = values[m * width + static_cast<std::size_t>(d)];
  }
  return t;
}

TrajectoryFormat trajectory_format(std::string const& path) {
  if (ends_with(path, ".h5") || ends_with(path, ".mrd")) return TrajectoryFormat::mrd;
  if (ends_with(path, ".cfl") || ends_with(path, ".hdr")) return TrajectoryFormat::cfl;
  if (ends_with(path, ".npy")) return TrajectoryFormat::npy;
  if (ends_with(path, ".txt")) return TrajectoryFormat::text;
  throw Error(ErrorKind::bad_option, path + ": the ending says no format of a trajectory",
              "one of .h5, .mrd, .cfl, .npy, .txt");
}

TrajectoryFile read_trajectory(Context const& context, std::string const& path) {
  switch (trajectory_format(path)) {
    case TrajectoryFormat::mrd:
      return detail::read_mrd_trajectory(context, path);
    case TrajectoryFormat::cfl:
      return read_cfl_trajectory(path);
    case TrajectoryFormat::npy:
      return {detail::read_npy_trajectory(path), {}};
    case TrajectoryFormat::text:
      break;
  }
  return {detail::read_text_trajectory(path), {}};
}

std::vector<std::string> trajectory_outputs(std::string const& path) {
  if (trajectory_format(path) != TrajectoryFormat::cfl) return {path};
  CflPaths const pair = cfl_paths(path);
  return {pair.header, pair.data};
}

void write_trajectory(std::vector<std::string> const& paths, TrajectoryFormat format, Trajectory const& t,
                      TrajectoryHeader const& header) {
  std::int64_t const n = t.samples_per_readout;
  if (n < 1 || t.size() < 1 || t.size() % n != 0) {
    throw Error(ErrorKind::bad_shape,
                std::to_string(t.size()) + " samples are no readouts of " + std::to_string(n),
                "give readouts of equal length");
  }
  switch (format) {
    case TrajectoryFormat::mrd:
      return detail::write_mrd_trajectory(paths.at(0), t, header);
    case TrajectoryFormat::cfl:
      return write_cfl_trajectory(paths, t);
    case TrajectoryFormat::npy:
      return detail::write_npy_trajectory(paths.at(0), t);
    case TrajectoryFormat::text:
      return detail::write_text_trajectory(paths.at(0), t);
  }
}

}  // namespace findrho
