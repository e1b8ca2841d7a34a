// SPDX-License-Identifier: BSD-3-Clause
#include "image_file.hpp"

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/io/cfl.hpp"
#include "findrho/io/nifti.hpp"
#include "findrho/io/png.hpp"

namespace findrho {
namespace {

template <class Values>
Array<float> magnitudes(Values const& values, Shape const& shape) {
  Array<float> result(shape);
  std::transform(values.begin(), values.end(), result.begin(),
                 [](auto const& value) { return std::abs(value); });
  return result;
}

Shape image_shape(std::int64_t frames, std::int64_t z, std::int64_t y, std::int64_t x) {
  return {{Axis::frame, frames}, {Axis::z, z}, {Axis::y, y}, {Axis::x, x}};
}

}  // namespace

bool names_nifti(std::string const& path) {
  return path.ends_with(".nii") || path.ends_with(".nii.gz");
}
bool names_png(std::string const& path) {
  return path.ends_with(".png");
}

std::string stage_picture(OutputSet& outputs, std::string const& path) {
  if (path.empty()) return "";
  if (!names_png(path)) {
    throw Error(ErrorKind::bad_option, "a picture is written as PNG, which " + path + " is not named as",
                "give a name that ends in .png");
  }
  return outputs.stage(path);
}

Array<float> read_image_magnitude(std::string const& path) {
  if (names_nifti(path)) {
    NiftiImage const image = read_nifti(path);
    Shape const shape = image_shape(image.frames, image.matrix.z, image.matrix.y, image.matrix.x);
    return image.is_complex() ? magnitudes(image.complex, shape) : magnitudes(image.real, shape);
  }
  if (names_png(path)) {
    Array<float> const image = read_png(path);
    return magnitudes(image, image_shape(1, 1, image.shape().extent(Axis::y), image.shape().extent(Axis::x)));
  }
  if (names_cfl(path)) {
    CflArray const array = read_cfl(path);
    std::int64_t const voxels = array.dim(0) * array.dim(1) * array.dim(2);
    return magnitudes(array.data, image_shape(static_cast<std::int64_t>(array.data.size()) / voxels,
                                              array.dim(2), array.dim(1), array.dim(0)));
  }
  throw Error(ErrorKind::bad_option, path + " is not named as an image",
              "give a .nii, .nii.gz, .cfl or .png file");
}

}  // namespace findrho
