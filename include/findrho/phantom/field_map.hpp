// SPDX-License-Identifier: BSD-3-Clause
// Smooth off-resonance maps: a polynomial in position plus Gaussian blobs, in Hz.
#pragma once
#include <array>
#include <string_view>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

/// f(r) = sum_a polynomial[a] (2x)^i (2y)^j (2z)^k + sum_blobs peak_hz exp(-|r - center|^2 / (2 width^2))
/// with the exponents of monomials(3, 2) and r in FOV units. It stays with the scanner where the object moves.
struct FieldMap {
  struct Blob {
    double peak_hz = 0;
    std::array<double, 3> center{0, 0, 0};
    double width = 0.1;
  };
  std::array<double, 10>
      polynomial{};  // 1, x, y, z, xx, xy, xz, yy, yz, zz, each in Hz at the edge of the FOV
  std::vector<Blob> blobs;
  bool zero() const;
  /// No blobs and no squares: the scan is one along a shifted trajectory.
  bool linear() const;
};

double frequency_hz(FieldMap const& field, std::array<double, 3> const& r);

/// "c=20,x=40,yy=-30,blob=80/0/-0.3/0/0.15": constant, linear and square terms, blobs as peak/x/y/z/width; "none".
/// Errors  bad_option
FieldMap parse_field_map(std::string_view text);

/// The map at the voxel centres. (z, y, x)
Array<double> field_map_image(FieldMap const& field, Matrix const& matrix);

/// The trajectory along which the scan without off-resonance is the scan through a linear field, up to the constant's phase:
///   exp(+i 2 pi g . r t) exp(-i 2 pi k . r) = exp(-i 2 pi (k - g t) . r)
/// Errors  bad_option (a field that is not linear, samples without times)
Trajectory shifted_by_field(Trajectory const& trajectory, FieldMap const& field);

}  // namespace findrho
