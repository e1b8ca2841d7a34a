// SPDX-License-Identifier: BSD-3-Clause
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/io/nifti.hpp"
#include "findrho/recipe/simulate.hpp"

namespace findrho {
namespace {

/// For each axis of the result, the file's axis that runs most along it, and whether it runs against it.
struct Turn {
  std::array<std::size_t, 3> axis{0, 1, 2};
  std::array<bool, 3> against{false, false, false};
};

Turn towards_left_back_head(Geometry const& geometry) {
  std::array<double, 3> const directions[] = {geometry.read, geometry.phase, geometry.slice};
  Turn turn;
  std::array<bool, 3> taken{};
  for (std::size_t d = 0; d < 3; ++d) {
    double most = -1;
    for (std::size_t from = 0; from < 3; ++from) {
      if (taken[from] || std::abs(directions[from][d]) <= most) continue;
      most = std::abs(directions[from][d]);
      turn.axis[d] = from;
      turn.against[d] = directions[from][d] < 0;
    }
    taken[turn.axis[d]] = true;
  }
  return turn;
}

}  // namespace

Anatomy read_anatomy(std::string const& path) {
  NiftiImage const image = read_nifti(path);
  if (image.is_complex()) {
    throw Error(ErrorKind::bad_file, path + " is complex",
                "give a T1-weighted magnitude image without skull");
  }
  Turn const turn = image.geometry.orientation_known ? towards_left_back_head(image.geometry) : Turn{};
  auto const mm = voxel_size_mm(image.geometry, image.matrix);
  std::array<std::int64_t, 3> const file_step{1, image.matrix.x, image.matrix.x * image.matrix.y};
  Anatomy anatomy;
  std::array<std::int64_t, 3> size{}, step{};
  std::int64_t start = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    size[d] = image.matrix[static_cast<int>(turn.axis[d])];
    step[d] = file_step[turn.axis[d]];
    anatomy.voxel_mm[d] = mm[turn.axis[d]];
    if (!turn.against[d]) continue;
    start += (size[d] - 1) * step[d];
    step[d] = -step[d];
  }
  anatomy.matrix = {size[0], size[1], size[2]};
  anatomy.values = Array<float>(anatomy.matrix.shape());
  std::int64_t n = 0;
  for (std::int64_t z = 0; z < size[2]; ++z) {
    for (std::int64_t y = 0; y < size[1]; ++y) {
      for (std::int64_t x = 0; x < size[0]; ++x) {
        anatomy.values[n++] = image.real[start + x * step[0] + y * step[1] + z * step[2]];  // the first frame
      }
    }
  }
  return anatomy;
}

}  // namespace findrho
