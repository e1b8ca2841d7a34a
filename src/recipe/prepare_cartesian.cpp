// SPDX-License-Identifier: BSD-3-Clause
// Samples of a Cartesian scan: line numbers and samples, counted from the centres that the header states.
#include <fmt/format.h>

#include <algorithm>

#include "findrho/core/error.hpp"
#include "prepare_parts.hpp"

namespace findrho::prepare_parts {

namespace {

/// Index of k = 0 among the samples in the order of increasing kx. Converters state the same centre for both
/// directions of an echo train, so it is counted after the reversal. Where none is stated (0 of many
/// samples), the middle.
std::int64_t sample_center(RawReadout const& r) {
  return r.center_sample > 0 ? r.center_sample : r.samples / 2;
}

std::int64_t kx(RawReadout const& r, std::int64_t sample) {
  std::int64_t const position = r.has(ReadoutFlag::reverse) ? r.samples - 1 - sample : sample;
  return position - sample_center(r);
}

void check_line(RawScan const& scan, std::int64_t readout, int line, RawLimit const& limit,
                char const* name) {
  if (!limit.present || (line >= limit.minimum && line <= limit.maximum)) return;
  throw Error(ErrorKind::bad_file,
              fmt::format("{}: readout {}: idx.{} {} outside {}..{}", scan.path, readout, name, line,
                          limit.minimum, limit.maximum),
              "correct the header's encodingLimits");
}

}  // namespace

void check_on_grid(RawScan const& scan, std::int64_t readout, std::int64_t k, std::int64_t n,
                   char const* what) {
  if (k >= -(n / 2) && k < n - n / 2) return;
  throw Error(ErrorKind::bad_file,
              fmt::format("{}: readout {}: {} lies at k = {}, outside {}..{} of the encoded matrix",
                          scan.path, readout, what, k, -(n / 2), n - n / 2 - 1),
              "see whether the header's matrix, centres and limits belong to these readouts");
}

int line_center(Context const& context, RawLimit const& limit, std::int64_t n, char const* name) {
  if (!limit.present) return static_cast<int>(n / 2);
  // A centre at the first of many lines is a header that was not filled in.
  if (limit.center == 0 && limit.maximum > 0) {
    int const middle = (limit.maximum + 1) / 2;
    context.note(fmt::format("{} has its centre at 0 of 0..{}: {} is taken", name, limit.maximum, middle));
    return middle;
  }
  return limit.center;
}

Positions cartesian_positions(Context const& context, RawScan const& scan, Readouts const& readouts,
                              Spaces const& space) {
  RawReadout const& any = readout(scan, readouts.front());
  RawEncoding const& encoding = scan.encodings[static_cast<std::size_t>(any.encoding)];
  int const center_y = line_center(context, encoding.ky, space.encoded.y, "kspace_encoding_step_1");
  int const center_z =
      space.dims == 3 ? line_center(context, encoding.kz, space.encoded.z, "kspace_encoding_step_2") : 0;
  bool assumed_center = false;
  for (std::int64_t const i : readouts) {
    RawReadout const& r = readout(scan, i);
    check_line(scan, i, r.ky, encoding.ky, "kspace_encode_step_1");
    check_line(scan, i, r.kz, encoding.kz, "kspace_encode_step_2");
    check_on_grid(scan, i, kx(r, first_sample(r)), space.encoded.x, "its first sample");
    check_on_grid(scan, i, kx(r, end_sample(r) - 1), space.encoded.x, "its last sample");
    check_on_grid(scan, i, r.ky - center_y, space.encoded.y, "its line");
    if (space.dims == 3) check_on_grid(scan, i, r.kz - center_z, space.encoded.z, "its partition");
    assumed_center = assumed_center || r.center_sample == 0;
  }
  if (assumed_center) context.note("center_sample is 0: the middle of the readout is taken as k = 0");
  bool const volume = space.dims == 3;
  Positions positions;
  positions.cartesian = true;
  positions.echo = [](RawReadout const& r) {
    return r.has(ReadoutFlag::reverse) ? r.samples - 1 - sample_center(r) : sample_center(r);
  };
  positions.k = [=](RawReadout const& r, std::int64_t sample) {
    return Triple{static_cast<double>(kx(r, sample)), static_cast<double>(r.ky - center_y),
                  volume ? static_cast<double>(r.kz - center_z) : 0.0};
  };
  return positions;
}

}  // namespace findrho::prepare_parts
