// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/montage.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/io/nifti.hpp"
#include "io/picture.hpp"

namespace findrho {
namespace {

using Vector = std::array<double, 3>;

double dot(Vector const& a, Vector const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

struct Orientation {
  Turn turn;
  std::string words;
};

/// The plane is that of the patient's axis nearest to the slice normal. Of the eight ways to lay a slice on
/// the screen, the one whose right and down are nearest to that plane's convention. LPS: +x patient's left,
/// +y back, +z head.
Orientation radiological(Geometry const& geometry) {
  struct Plane {
    Vector right, down;
    char const* words;
  };
  static Plane const planes[3] = {
      {{0, 1, 0}, {0, 0, -1}, "radiological (sagittal: head up, anterior on the viewer's left)"},
      {{1, 0, 0}, {0, 0, -1}, "radiological (coronal: head up, patient's left on the viewer's right)"},
      {{1, 0, 0}, {0, 1, 0}, "radiological (axial: anterior up, patient's left on the viewer's right)"}};
  std::size_t normal = 2;
  for (std::size_t d = 0; d < 3; ++d) {
    if (std::abs(geometry.slice[d]) > std::abs(geometry.slice[normal])) normal = d;
  }
  Plane const& plane = planes[normal];
  double best = -1e9;
  Orientation result{{}, plane.words};
  for (bool transpose : {false, true}) {
    Vector const& right = transpose ? geometry.phase : geometry.read;
    Vector const& down = transpose ? geometry.read : geometry.phase;
    double const score = std::abs(dot(right, plane.right)) + std::abs(dot(down, plane.down));
    if (score <= best) continue;
    best = score;
    result.turn = {transpose, dot(right, plane.right) < 0, dot(down, plane.down) < 0};
  }
  return result;
}

struct Factors {
  std::int64_t x = 1, y = 1;
};

/// Pixels per voxel along the slice's x and y that keep its proportions: 1 x 2 for voxels of 1 mm x 2 mm.
Factors proportions(Geometry const& geometry, Matrix const& matrix) {
  std::array<double, 3> const size = voxel_size_mm(geometry, matrix);
  double const least = std::min(size[0], size[1]);
  return {std::lround(size[0] / least), std::lround(size[1] / least)};
}

/// Every slice of every frame of every volume.
std::vector<View<float const>> slices_of(std::vector<View<float const>> const& volumes) {
  std::vector<View<float const>> slices;
  for (View<float const> const& volume : volumes) {
    require_shape(volume.shape, volumes[0].shape, "a volume of a montage");
    Shape const plane{{Axis::y, volume.shape.extent(Axis::y)}, {Axis::x, volume.shape.extent(Axis::x)}};
    if (volume.shape.rank() < 2 || volume.size() == 0 ||
        volume.shape[volume.shape.rank() - 1].axis != Axis::x ||
        volume.shape[volume.shape.rank() - 2].axis != Axis::y) {
      throw Error(ErrorKind::bad_shape,
                  "a montage needs volumes (z, y, x), got (" + volume.shape.str() + ")");
    }
    for (std::int64_t i = 0; i < volume.size(); i += plane.size()) slices.push_back({volume.data + i, plane});
  }
  return slices;
}

}  // namespace

Montage make_montage(std::vector<View<float const>> const& volumes, Geometry const& geometry,
                     MontageOptions const& options) {
  std::vector<View<float const>> const slices = slices_of(volumes);
  if (slices.empty()) throw Error(ErrorKind::bad_shape, "a montage of no volumes");
  Orientation orientation{{}, "array order (row 0 at the top, column 0 on the left)"};
  if (geometry.orientation_known) orientation = radiological(geometry);

  Shape const& plane = slices[0].shape;
  Factors factor =
      proportions(geometry, {plane.extent(Axis::x), plane.extent(Axis::y), volumes[0].shape.extent(Axis::z)});
  std::int64_t width = plane.extent(Axis::x), height = plane.extent(Axis::y);
  if (orientation.turn.transpose) {
    std::swap(width, height);
    std::swap(factor.x, factor.y);
  }
  auto const count = static_cast<std::int64_t>(slices.size());
  auto const columns = static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(count))));
  std::int64_t const rows = (count + columns - 1) / columns;
  std::int64_t const enlarged = std::max(enlargement(columns * width * factor.x, options.least_width),
                                         enlargement(width * factor.x, options.least_slice_width));
  factor = {factor.x * enlarged, factor.y * enlarged};
  width *= factor.x;
  height *= factor.y;

  Montage montage{GreyImage(columns * width, rows * height), options.window.value_or(Window{}),
                  orientation.words};
  if (!options.window) montage.window = percentile_window(volumes, options.percentile);
  for (std::int64_t i = 0; i < count; ++i) {
    draw_slice(montage.image, i % columns * width, i / columns * height, slices[static_cast<std::size_t>(i)],
               montage.window, orientation.turn, factor.x, factor.y);
  }
  return montage;
}

}  // namespace findrho
