// SPDX-License-Identifier: BSD-3-Clause
// NIfTI-1 images (.nii, .nii.gz) with their place in the patient.
// The affine follows docs/conventions.md: columns are the steps of x, y, z; MRD's LPS becomes RAS by diag(-1, -1, 1).
// Read https://nifti.nimh.nih.gov/nifti-1 for the header.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <string>

#include "findrho/core/array.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

/// Voxel index (x, y, z, 1) to RAS mm, row by row, three rows of four.
using Affine = std::array<std::array<double, 4>, 3>;

/// Voxel sizes in mm; 1 along an axis whose FOV is unknown.
std::array<double, 3> voxel_size_mm(Geometry const& geometry, Matrix const& matrix);
/// A = diag(-1, -1, 1) [dx r | dy p | dz s], origin = position - A floor(n/2).
Affine nifti_affine(Geometry const& geometry, Matrix const& matrix);

/// What a file holds. Exactly one of real and complex is filled, with shape (frame, z, y, x) and
/// scl_slope applied.
struct NiftiImage {
  Matrix matrix;
  std::int64_t frames = 1;  // the product of the sizes beyond the third
  Geometry geometry;        // orientation_known only where the file has a qform or sform code
  Array<float> real;
  Array<std::complex<float>> complex;
  bool is_complex() const { return !complex.empty(); }
};

/// Any byte order; integers of 8 to 64 bits, float32, float64, complex64, complex128.
/// Errors  bad_file
NiftiImage read_nifti(std::string const& path);

/// Writes float32 (complex64) with qform = sform, code 1; code 0 where the FOV is unknown. A name that ends
/// in .gz is compressed. Same image, same bytes: the gzip header has neither time nor name.
/// Shapes  image (y, x), (z, y, x) or (frame, z, y, x); frames go to NIfTI's fourth dimension
/// Errors  bad_shape, cannot_write
void write_nifti(std::string const& path, View<float const> image, Geometry const& geometry);
void write_nifti(std::string const& path, View<std::complex<float> const> image, Geometry const& geometry);

}  // namespace findrho
