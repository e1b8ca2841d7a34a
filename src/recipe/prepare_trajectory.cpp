// SPDX-License-Identifier: BSD-3-Clause
// Samples of a scan with a trajectory: columns, unit, and whether it lies on a Cartesian grid.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "prepare_parts.hpp"

namespace findrho {

TrajectoryLayout parse_trajectory_layout(std::string_view text) {
  if (text == "auto") return TrajectoryLayout::automatic;
  if (text == "xy") return TrajectoryLayout::xy;
  if (text == "xyz") return TrajectoryLayout::xyz;
  if (text == "xyw") return TrajectoryLayout::xyw;
  throw Error(ErrorKind::bad_option, fmt::format("unknown trajectory layout \"{}\"", text),
              "one of auto, xy, xyz, xyw");
}

namespace prepare_parts {

namespace {

/// What each trajectory column reaches.
struct Columns {
  int count = 0;
  Triple smallest{}, largest{};
  double abs(std::size_t d) const { return std::max(largest[d], -smallest[d]); }
};

float const* trajectory_row(RawScan const& scan, RawReadout const& r, std::int64_t sample) {
  return scan.trajectory.data() + r.trajectory_offset + sample * r.trajectory_dims;
}

Columns measure_columns(RawScan const& scan, Readouts const& readouts) {
  Columns columns;
  columns.count = readout(scan, readouts.front()).trajectory_dims;
  bool first = true;
  for (std::int64_t const i : readouts) {
    RawReadout const& r = readout(scan, i);
    for (std::int64_t s = first_sample(r); s < end_sample(r); ++s) {
      float const* row = trajectory_row(scan, r, s);
      for (std::size_t d = 0; d < static_cast<std::size_t>(columns.count); ++d) {
        columns.smallest[d] = first ? row[d] : std::min<double>(columns.smallest[d], row[d]);
        columns.largest[d] = first ? row[d] : std::max<double>(columns.largest[d], row[d]);
      }
      first = false;
    }
  }
  return columns;
}

void check_column_counts(RawScan const& scan, Readouts const& readouts) {
  int const expected = readout(scan, readouts.front()).trajectory_dims;
  for (std::int64_t const i : readouts) {
    int const actual = readout(scan, i).trajectory_dims;
    if (actual == expected && (actual == 2 || actual == 3)) continue;
    throw Error(
        ErrorKind::bad_file,
        fmt::format("{}: readout {} has a trajectory of {} columns{}", scan.path, i, actual,
                    actual == expected ? ", 2 or 3 are known"
                                       : fmt::format(", readout {} has {}", readouts.front(), expected)));
  }
}

struct Layout {
  bool kz = false;          // the third column is kz
  bool weights = false;     // the third column is density weights
  bool partitions = false;  // kz comes from kspace_encode_step_2
};

Layout settle_layout(Context const& context, RawScan const& scan, Columns const& columns, Spaces const& space,
                     TrajectoryLayout asked) {
  bool const third = columns.count == 3, volume = space.dims == 3;
  if (!third && (asked == TrajectoryLayout::xyz || asked == TrajectoryLayout::xyw)) {
    throw Error(ErrorKind::bad_option, scan.path + ": the trajectory has 2 columns, the layout asks for 3",
                "leave --traj-layout away");
  }
  if (asked == TrajectoryLayout::xyw) return {.weights = true, .partitions = volume};
  if (!third || asked == TrajectoryLayout::xy) return {.partitions = volume};
  if (volume) return {.kz = true};
  if (columns.abs(2) == 0) {
    context.note("the trajectory's third column is 0: the scan is 2D");
    return {};
  }
  std::string const range = fmt::format("{:.6g}..{:.6g}", columns.smallest[2], columns.largest[2]);
  if (asked == TrajectoryLayout::xyz) {
    throw Error(ErrorKind::bad_option,
                fmt::format("{}: kz is {} in a scan whose matrix has z = 1", scan.path, range),
                "give a matrix with z > 1 by --matrix");
  }
  if (columns.smallest[2] >= 0 && columns.smallest[2] < columns.largest[2]) {
    context.note(
        fmt::format("third trajectory column of a 2D scan, {}: taken as density weights (--traj-layout xy "
                    "ignores them)",
                    range));
    return {.weights = true};
  }
  throw Error(ErrorKind::bad_option,
              fmt::format("{}: the third trajectory column of this 2D scan is {}: kz or density weights?",
                          scan.path, range),
              "say so with --traj-layout xy, xyz or xyw");
}

/// Factors from the file's unit to cycles per encoded FOV.
Triple settle_units(Context const& context, Columns const& columns, Layout const& layout, Spaces const& space,
                    PrepareOptions const& options) {
  TrajectoryExtent extent;
  extent.dims = layout.kz ? 3 : 2;
  for (std::size_t d = 0; d < 3; ++d) {
    auto const axis = static_cast<int>(d);
    extent.largest[d] = columns.abs(d);
    extent.matrix[d] = space.encoded[axis];
    extent.fov_mm[d] = space.encoded_fov_mm[d];
    double const asked =
        options.matrix[d] > 0 ? static_cast<double>(space.image[axis]) * space.encoded_to_image[d] : 0;
    extent.limit[d] = std::max(static_cast<double>(space.encoded[axis]), asked) / 2;
  }
  TrajectoryUnits const units = decide_trajectory_units(context, extent, options.units, "--traj-units");
  Triple factor{};
  for (std::size_t d = 0; d < 3; ++d) factor[d] = cycles_per_fov(units, extent.matrix[d], extent.fov_mm[d]);
  return factor;
}

/// Whether every sample lies on the integer grid of the encoded matrix. k comes from float32 numbers relative
/// to the edge N/2, rounded to 6e-8 of it in several steps of arithmetic: 1e-6 N allows for about thirty
/// roundings.
bool on_grid(RawScan const& scan, Readouts const& readouts, Spaces const& space, Positions const& positions) {
  for (std::int64_t const i : readouts) {
    RawReadout const& r = readout(scan, i);
    for (std::int64_t s = first_sample(r); s < end_sample(r); ++s) {
      Triple const k = positions.k(r, s);
      for (int d = 0; d < space.dims; ++d) {
        double const value = k[static_cast<std::size_t>(d)], nearest = std::round(value);
        std::int64_t const n = space.encoded[d], line = std::llround(value);
        if (std::abs(value - nearest) > 1e-6 * static_cast<double>(n)) return false;
        if (line < -(n / 2) || line >= n - n / 2) return false;
      }
    }
  }
  return true;
}

void warn_of_line_limits(Context const& context, RawEncoding const& encoding, RawScan const& scan,
                         Readouts const& readouts) {
  int largest = 0;
  for (std::int64_t const i : readouts) largest = std::max(largest, readout(scan, i).ky);
  if (!encoding.ky.present || largest <= encoding.ky.maximum) return;
  context.warn(
      fmt::format("idx.kspace_encode_step_1 reaches {}, the header's limit is {}; the trajectory says where "
                  "the samples are",
                  largest, encoding.ky.maximum));
}

}  // namespace

Positions trajectory_positions(Context const& context, RawScan const& scan, Readouts const& readouts,
                               Spaces const& space, PrepareOptions const& options) {
  check_column_counts(scan, readouts);
  RawReadout const& any = readout(scan, readouts.front());
  RawEncoding const& encoding = scan.encodings[static_cast<std::size_t>(any.encoding)];
  warn_of_line_limits(context, encoding, scan, readouts);
  Columns const columns = measure_columns(scan, readouts);
  Layout const layout = settle_layout(context, scan, columns, space, options.layout);
  Triple const factor = settle_units(context, columns, layout, space, options);
  int center_z = 0;
  if (layout.partitions) {
    center_z = line_center(context, encoding.kz, space.encoded.z, "kspace_encoding_step_2");
    for (std::int64_t const i : readouts) {
      check_on_grid(scan, i, readout(scan, i).kz - center_z, space.encoded.z, "its partition");
    }
    context.note(fmt::format("kz from the partition number, {} at kz = 0", center_z));
  }
  Positions positions;
  positions.echo = [](RawReadout const& r) { return r.center_sample; };
  positions.k = [&scan, layout, factor, center_z](RawReadout const& r, std::int64_t sample) {
    float const* row = trajectory_row(scan, r, sample);
    double const z = layout.kz ? row[2] * factor[2] : layout.partitions ? r.kz - center_z : 0;
    return Triple{row[0] * factor[0], row[1] * factor[1], z};
  };
  if (layout.weights) {
    positions.weight = [&scan](RawReadout const& r, std::int64_t sample) {
      return trajectory_row(scan, r, sample)[2];
    };
  }
  if (encoding.trajectory == "cartesian") {
    positions.cartesian = on_grid(scan, readouts, space, positions);
    context.note(positions.cartesian
                     ? "Cartesian encoding with a trajectory that lies on its grid"
                     : "Cartesian encoding with a trajectory off its grid: taken as non-Cartesian");
  }
  return positions;
}

Positions locate_samples(Context const& context, RawScan const& scan, Readouts const& readouts,
                         Spaces const& space, PrepareOptions const& options) {
  auto const bare = std::find_if(readouts.begin(), readouts.end(),
                                 [&](std::int64_t i) { return readout(scan, i).trajectory_dims == 0; });
  if (bare == readouts.end()) return trajectory_positions(context, scan, readouts, space, options);

  std::string const& kind =
      scan.encodings[static_cast<std::size_t>(readout(scan, *bare).encoding)].trajectory;
  if (kind != "cartesian" && kind != "epi") {
    throw Error(ErrorKind::bad_file,
                fmt::format("{}: readout {} has no trajectory, and its encoding is \"{}\", not cartesian",
                            scan.path, *bare, kind),
                "write the trajectory into the file");
  }
  auto const with = std::find_if(readouts.begin(), readouts.end(),
                                 [&](std::int64_t i) { return readout(scan, i).trajectory_dims > 0; });
  if (with != readouts.end()) {
    throw Error(ErrorKind::bad_file,
                fmt::format("{}: readout {} has a trajectory, readout {} has none", scan.path, *with, *bare));
  }
  return cartesian_positions(context, scan, readouts, space);
}

}  // namespace prepare_parts

}  // namespace findrho
