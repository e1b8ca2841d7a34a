// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/field_map.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "findrho/core/error.hpp"
#include "words.hpp"

namespace findrho {
namespace {

constexpr std::array<std::string_view, 10> kTerms{"c", "x", "y", "z", "xx", "xy", "xz", "yy", "yz", "zz"};

FieldMap::Blob parse_blob(std::string_view text) {
  auto const words = detail::split(text, '/');
  if (words.size() != 5) {
    throw Error(ErrorKind::bad_option,
                "the blob '" + std::string(text) + "' has " + std::to_string(words.size()) + " numbers",
                "give five: peak in Hz, x, y, z and width in FOV, as in blob=80/0/-0.3/0/0.15");
  }
  double v[5];
  for (std::size_t i = 0; i < 5; ++i) v[i] = detail::number_of("field map", "blob", words[i]);
  if (!(v[4] > 0)) {
    throw Error(ErrorKind::bad_option, "a blob of width " + std::string(words[4]),
                "give a width above 0, in FOV");
  }
  return {v[0], {v[1], v[2], v[3]}, v[4]};
}

}  // namespace

bool FieldMap::zero() const {
  return blobs.empty() && std::all_of(polynomial.begin(), polynomial.end(), [](double c) { return c == 0; });
}

bool FieldMap::linear() const {
  return blobs.empty() &&
         std::all_of(polynomial.begin() + 4, polynomial.end(), [](double c) { return c == 0; });
}

double frequency_hz(FieldMap const& field, std::array<double, 3> const& r) {
  double const x = 2 * r[0], y = 2 * r[1], z = 2 * r[2];
  double const terms[] = {1, x, y, z, x * x, x * y, x * z, y * y, y * z, z * z};
  double sum = 0;
  for (std::size_t a = 0; a < 10; ++a) sum += field.polynomial[a] * terms[a];
  for (auto const& blob : field.blobs) {
    double distance_sq = 0;
    for (std::size_t d = 0; d < 3; ++d) distance_sq += (r[d] - blob.center[d]) * (r[d] - blob.center[d]);
    sum += blob.peak_hz * std::exp(-distance_sq / (2 * blob.width * blob.width));
  }
  return sum;
}

FieldMap parse_field_map(std::string_view text) {
  FieldMap field;
  if (text == "none") return field;
  for (auto const& [key, value] : detail::key_values(text)) {
    if (key == "blob") {
      field.blobs.push_back(parse_blob(value));
      continue;
    }
    auto const found = std::find(kTerms.begin(), kTerms.end(), key);
    if (found == kTerms.end()) {
      throw Error(
          ErrorKind::bad_option, "a field map has no '" + std::string(key) + "'",
          "it has c, x, y, z, xx, xy, xz, yy, yz, zz (Hz at the edge of the FOV) and blob=peak/x/y/z/width");
    }
    field.polynomial[static_cast<std::size_t>(found - kTerms.begin())] =
        detail::number_of("field map", key, value);
  }
  return field;
}

Array<double> field_map_image(FieldMap const& field, Matrix const& matrix) {
  Array<double> image(matrix.shape());
  for (std::int64_t n = 0; n < image.size(); ++n) {
    std::int64_t const index[] = {n % matrix.x, n / matrix.x % matrix.y, n / matrix.x / matrix.y};
    std::array<double, 3> r{};
    for (std::size_t d = 0; d < 3; ++d) {
      std::int64_t const size = matrix[static_cast<int>(d)];
      r[d] = static_cast<double>(index[d] - size / 2) / static_cast<double>(size);
    }
    image[n] = frequency_hz(field, r);
  }
  return image;
}

Trajectory shifted_by_field(Trajectory const& trajectory, FieldMap const& field) {
  if (!field.linear()) {
    throw Error(ErrorKind::bad_option, "the field map is not linear in position", "sum over voxels instead");
  }
  if (trajectory.time_s.empty()) {
    throw Error(ErrorKind::bad_option, "there is off-resonance, but the samples' times are unknown",
                "give the trajectory its times, or leave out the field map");
  }
  Trajectory shifted = trajectory;
  for (int d = 0; d < trajectory.dims; ++d) {
    double const per_fov = 2 * field.polynomial[static_cast<std::size_t>(1 + d)];  // Hz per FOV
    for (std::size_t m = 0; m < shifted.kx.size(); ++m) shifted[d][m] -= per_fov * shifted.time_s[m];
  }
  return shifted;
}

}  // namespace findrho
