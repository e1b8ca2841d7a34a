// SPDX-License-Identifier: BSD-3-Clause
#include "io/nifti_affine.hpp"

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

using Vector = std::array<double, 3>;

double dot(Vector const& a, Vector const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

Vector cross(Vector const& a, Vector const& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

Vector unit(Vector const& v) {
  double const length = std::sqrt(dot(v, v));
  if (!(length > 0)) throw Error(ErrorKind::bad_option, "a direction vector of the image has length 0");
  return {v[0] / length, v[1] / length, v[2] / length};
}

/// LPS to RAS and back.
Vector flip_xy(Vector const& v) {
  return {-v[0], -v[1], v[2]};
}

std::int64_t middle(std::int64_t n) {
  return n / 2;
}

/// Unit steps of x, y and z in RAS.
std::array<Vector, 3> directions_ras(Geometry const& g) {
  return {flip_xy(unit(g.read)), flip_xy(unit(g.phase)), flip_xy(unit(g.slice))};
}

/// b, c, d of the unit quaternion (a, b, c, d), a >= 0, of a proper rotation whose columns are r.
/// Of the four ways to solve for it, the one whose divisor is largest keeps the digits.
Vector quaternion(std::array<Vector, 3> const& r) {
  auto const m = [&](int row, int column) {
    return r[static_cast<std::size_t>(column)][static_cast<std::size_t>(row)];
  };
  std::array<double, 4> const square4 = {1 + m(0, 0) + m(1, 1) + m(2, 2), 1 + m(0, 0) - m(1, 1) - m(2, 2),
                                         1 - m(0, 0) + m(1, 1) - m(2, 2), 1 - m(0, 0) - m(1, 1) + m(2, 2)};
  auto const largest = std::max_element(square4.begin(), square4.end()) - square4.begin();
  double const twice = std::sqrt(square4[static_cast<std::size_t>(largest)]);
  std::array<double, 4> q{};
  double const ab = m(2, 1) - m(1, 2), ac = m(0, 2) - m(2, 0), ad = m(1, 0) - m(0, 1);
  double const bc = m(1, 0) + m(0, 1), bd = m(0, 2) + m(2, 0), cd = m(2, 1) + m(1, 2);
  if (largest == 0) q = {twice * twice, ab, ac, ad};
  if (largest == 1) q = {ab, twice * twice, bc, bd};
  if (largest == 2) q = {ac, bc, twice * twice, cd};
  if (largest == 3) q = {ad, bd, cd, twice * twice};
  double const factor = (q[0] < 0 ? -0.5 : 0.5) / twice;
  return {q[1] * factor, q[2] * factor, q[3] * factor};
}

/// The columns of the rotation of a quaternion's b, c, d.
std::array<Vector, 3> rotation(double b, double c, double d) {
  double const a = std::sqrt(std::max(0.0, 1 - b * b - c * c - d * d));
  return {Vector{a * a + b * b - c * c - d * d, 2 * (b * c + a * d), 2 * (b * d - a * c)},
          Vector{2 * (b * c - a * d), a * a + c * c - b * b - d * d, 2 * (c * d + a * b)},
          Vector{2 * (b * d + a * c), 2 * (c * d - a * b), a * a + d * d - b * b - c * c}};
}

bool orthogonal(std::array<Vector, 3> const& r) {
  constexpr double kMost = 1e-4;  // headers give five or six digits
  return std::abs(dot(r[0], r[1])) < kMost && std::abs(dot(r[0], r[2])) < kMost &&
         std::abs(dot(r[1], r[2])) < kMost;
}

/// The FOV along an axis of one voxel says only how thick it is: nothing else depends on it.
bool fov_known(Geometry const& g, Matrix const& matrix) {
  for (int d = 0; d < 3; ++d) {
    if (matrix[d] > 1 && !(g.fov_mm[static_cast<std::size_t>(d)] > 0)) return false;
  }
  return true;
}

/// The affine that a header states, if it states one.
bool stated_affine(NiftiHeader const& h, Affine& a) {
  if (h.sform_code > 0) {
    for (std::size_t i = 0; i < 3; ++i) std::copy_n(h.sform[i], 4, a[i].begin());
    return true;
  }
  if (h.qform_code <= 0) return false;
  std::array<Vector, 3> const r = rotation(h.quaternion[0], h.quaternion[1], h.quaternion[2]);
  double const sign = h.pixdim[0] < 0 ? -1 : 1;
  for (std::size_t i = 0; i < 3; ++i) {
    a[i] = {r[0][i] * h.pixdim[1], r[1][i] * h.pixdim[2], r[2][i] * h.pixdim[3] * sign, h.qform_offset[i]};
  }
  return true;
}

}  // namespace

std::array<double, 3> voxel_size_mm(Geometry const& geometry, Matrix const& matrix) {
  std::array<double, 3> size{};
  for (std::size_t d = 0; d < 3; ++d) {
    size[d] =
        geometry.fov_mm[d] > 0 ? geometry.fov_mm[d] / static_cast<double>(matrix[static_cast<int>(d)]) : 1.0;
  }
  return size;
}

Affine nifti_affine(Geometry const& geometry, Matrix const& matrix) {
  std::array<Vector, 3> const r = directions_ras(geometry);
  Vector const size = voxel_size_mm(geometry, matrix), centre = flip_xy(geometry.position_mm);
  Affine a{};
  for (std::size_t i = 0; i < 3; ++i) {
    a[i][3] = centre[i];
    for (std::size_t d = 0; d < 3; ++d) {
      a[i][d] = r[d][i] * size[d];
      a[i][3] -= a[i][d] * static_cast<double>(middle(matrix[static_cast<int>(d)]));
    }
  }
  return a;
}

void set_geometry(NiftiHeader& header, Geometry const& geometry, Matrix const& matrix) {
  bool const known = fov_known(geometry, matrix);
  Affine const a = nifti_affine(geometry, matrix);
  Vector const size = voxel_size_mm(geometry, matrix);
  std::array<Vector, 3> r = directions_ras(geometry);
  double const sign = dot(cross(r[0], r[1]), r[2]) < 0 ? -1 : 1;
  header.sform_code = known ? kCodeScanner : kCodeUnknown;
  header.qform_code = known && orthogonal(r) ? kCodeScanner : kCodeUnknown;
  header.units = known ? kUnitMillimetre : kUnitUnknown;
  for (double& component : r[2]) component *= sign;
  Vector const q = orthogonal(r) ? quaternion(r) : Vector{};
  header.pixdim[0] = static_cast<float>(sign);
  for (std::size_t i = 0; i < 3; ++i) {
    header.pixdim[i + 1] = static_cast<float>(size[i]);
    header.quaternion[i] = static_cast<float>(q[i]);
    header.qform_offset[i] = static_cast<float>(a[i][3]);
    for (std::size_t j = 0; j < 4; ++j) header.sform[i][j] = static_cast<float>(a[i][j]);
  }
}

Geometry get_geometry(NiftiHeader const& header, Matrix const& matrix) {
  int const unit_of_space = header.units & 7;
  double const mm = unit_of_space == kUnitMetre ? 1000 : unit_of_space == kUnitMicrometre ? 0.001 : 1;
  Geometry geometry;
  Affine a{};
  if (!stated_affine(header, a)) {
    for (std::size_t d = 0; d < 3 && unit_of_space != kUnitUnknown; ++d) {
      geometry.fov_mm[d] =
          std::abs(header.pixdim[d + 1]) * mm * static_cast<double>(matrix[static_cast<int>(d)]);
    }
    return geometry;
  }
  geometry.orientation_known = true;
  std::array<Vector*, 3> const directions = {&geometry.read, &geometry.phase, &geometry.slice};
  Vector centre = {a[0][3], a[1][3], a[2][3]};
  for (std::size_t d = 0; d < 3; ++d) {
    std::int64_t const n = matrix[static_cast<int>(d)];
    Vector const step = {a[0][d], a[1][d], a[2][d]};
    double const length = std::sqrt(dot(step, step));
    if (!(length > 0)) throw Error(ErrorKind::bad_file, "the NIfTI header's affine has a column of zeros");
    geometry.fov_mm[d] = length * mm * static_cast<double>(n);
    *directions[d] = flip_xy(unit(step));
    for (std::size_t i = 0; i < 3; ++i) centre[i] += step[i] * static_cast<double>(middle(n));
  }
  geometry.position_mm = flip_xy(centre);
  for (double& component : geometry.position_mm) component *= mm;
  return geometry;
}

}  // namespace findrho
