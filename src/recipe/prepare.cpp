// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/prepare.hpp"

#include <fmt/format.h>

#include <numeric>
#include <set>

#include "findrho/core/error.hpp"
#include "prepare_parts.hpp"

namespace findrho {

using namespace prepare_parts;

namespace {

std::vector<int> choose_coils(RawScan const& scan, int channels, std::vector<int> const& asked) {
  std::vector<int> coils = asked;
  if (coils.empty()) {
    coils.resize(static_cast<std::size_t>(channels));
    std::iota(coils.begin(), coils.end(), 0);
  }
  for (int const coil : coils) {
    if (coil >= 0 && coil < channels) continue;
    throw Error(ErrorKind::bad_option, fmt::format("{}: there is no coil {}", scan.path, coil),
                fmt::format("coils are 0..{}", channels - 1));
  }
  if (std::set<int>(coils.begin(), coils.end()).size() < coils.size()) {
    throw Error(ErrorKind::bad_option, "a coil is named twice");
  }
  return coils;
}

bool same(Spaces const& a, Spaces const& b) {
  return a.image == b.image && a.encoded == b.encoded && a.encoded_to_image == b.encoded_to_image &&
         a.image_fov_mm == b.image_fov_mm;
}

/// The one dwell time of all readouts, 0 when they differ or do not know.
double common_dwell_s(RawScan const& scan, Readouts const& readouts) {
  float const first = readout(scan, readouts.front()).dwell_us;
  for (std::int64_t const i : readouts) {
    if (readout(scan, i).dwell_us != first) return 0;
  }
  return has_dwell(readout(scan, readouts.front())) ? first * 1e-6 : 0;
}

/// Readouts by encoding; a dataset has one matrix, so encodings that differ cannot go together.
std::map<int, Readouts> by_encoding(RawScan const& scan, Chosen const& chosen) {
  std::map<int, Readouts> result;
  for (std::int64_t const i : chosen.imaging) result[readout(scan, i).encoding].push_back(i);
  return result;
}

[[noreturn]] void throw_encodings_differ(RawScan const& scan, int first, int second, char const* what) {
  throw Error(ErrorKind::bad_option,
              fmt::format("{}: encodings {} and {} differ in {}", scan.path, first, second, what),
              fmt::format("take one with --select encoding={}", first));
}

}  // namespace

Dataset prepare(Context const& context, RawScan const& scan, PrepareOptions const& options) {
  Phase const phase(context, "prepare");
  Chosen const chosen = choose_readouts(context, scan, options);
  check_readouts(scan, chosen);

  std::map<int, Readouts> const encodings = by_encoding(scan, chosen);
  int const first = encodings.begin()->first;
  Spaces const space = settle_spaces(context, scan, scan.encodings[static_cast<std::size_t>(first)], options);
  for (auto const& [encoding, readouts] : encodings) {
    if (encoding == first) continue;
    Context quiet = context;  // the first encoding's notes hold for all
    quiet.set_event_sink({});
    if (!same(space,
              settle_spaces(quiet, scan, scan.encodings[static_cast<std::size_t>(encoding)], options))) {
      throw_encodings_differ(scan, first, encoding, "matrix or FOV");
    }
  }
  check_voxels_per_sample(scan, chosen, space);
  check_finite(context, scan, chosen);

  std::map<int, Positions> positions;
  for (auto const& [encoding, readouts] : encodings) {
    positions[encoding] = locate_samples(context, scan, readouts, space, options);
    if (positions[encoding].cartesian != positions[first].cartesian) {
      throw_encodings_differ(scan, first, encoding, "kind: one is Cartesian");
    }
  }

  std::vector<int> const coils =
      choose_coils(scan, readout(scan, chosen.imaging.front()).channels, options.coils);
  require_memory(scan, chosen, positions[first].cartesian ? space.encoded.voxels() : 0, coils.size());
  Dataset dataset;
  dataset.source = scan.path;
  dataset.matrix = space.image;
  dataset.cartesian = positions[first].cartesian;
  dataset.encoded = space.encoded;
  dataset.encoded_to_image = space.encoded_to_image;
  dataset.coils = std::ssize(coils);
  dataset.dwell_s = common_dwell_s(scan, chosen.imaging);
  gather_frames(context, scan, chosen, space, positions, coils, dataset);
  gather_noise(context, scan, chosen, coils, dataset);
  return dataset;
}

}  // namespace findrho
