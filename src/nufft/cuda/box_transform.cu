// SPDX-License-Identifier: BSD-3-Clause
// The order of the passes between image and grid on the device.
#include "nufft/cuda/box_transform.hpp"

#include <algorithm>
#include <string>

namespace findrho::nufft {
namespace {

struct DevicePasses {
  cudaStream_t stream;
  void rows_forward(int length, BoxTransformJob<float> const& job) const {
    launch_rows_to_grid(stream, length, job);
  }
  void rows_inverse(int length, BoxTransformJob<float> const& job) const {
    launch_rows_to_image(stream, length, job);
  }
  void columns_forward(int length, ColumnsJob<float> const& job) const {
    launch_columns_to_grid(stream, length, job);
  }
  void columns_inverse(int length, ColumnsJob<float> const& job) const {
    launch_columns_to_image(stream, length, job);
  }
};

device::Complex<float>* as_complex(float2* values) {
  return reinterpret_cast<device::Complex<float>*>(values);
}

}  // namespace

bool BoxTransform::fits(TileGrid const& tiles) {
  bool fits = tiles.dims == 3;
  for (int length : tiles.grid) fits = fits && device::has_length(length, BoxLengths{});
  return fits;
}

std::shared_ptr<BoxTransform> BoxTransform::of(Session& session, TileGrid const& tiles) {
  std::string key = "box transform";
  for (int const length : tiles.grid) key += ' ' + std::to_string(length);
  return session.keep<BoxTransform>(key, [&] { return std::make_shared<BoxTransform>(session, tiles); });
}

BoxTransform::BoxTransform(Session& session, TileGrid const& tiles)
    : session_(session),
      together_(1),
      roots_{{session, device::line_turns<float>(tiles.grid[0], BoxLengths{})},
             {session, device::line_turns<float>(tiles.grid[1], BoxLengths{})},
             {session, device::line_turns<float>(tiles.grid[2], BoxLengths{})}} {
  std::size_t const coil = sizeof(float2) * static_cast<std::size_t>(tiles.grid[0]) *
                           static_cast<std::size_t>(tiles.grid[1]) * static_cast<std::size_t>(tiles.grid[2]);
  together_ = static_cast<int>(std::max<std::size_t>(kCached / coil, 1));
}

/// f(job) for each group of coils.
template <class F>
void BoxTransform::each_group(BoxJob<float> const& job, F const& f) const {
  BoxTransformJob<float> part{};
  for (int d = 0; d < 3; ++d) {
    part.axis[d] = {job.box[d], job.grid[d]};
    part.factor[d] = job.factor[d];
    part.roots[d] = roots_[d].get();
  }
  for (int first = 0; first < job.coils; first += together_) {
    part.coils = std::min(together_, job.coils - first);
    part.image = as_complex(job.image) + (job.maps == nullptr ? first * part.voxels() : 0);
    part.maps = job.maps == nullptr
                    ? nullptr
                    : reinterpret_cast<device::Complex<float> const*>(job.maps) + first * part.voxels();
    part.cells = as_complex(job.cells) + first * part.coil_cells();
    part.add = job.add != 0 || (job.maps != nullptr && first > 0) ? 1 : 0;
    f(part);
  }
}

void BoxTransform::to_grid(BoxJob<float> const& job) const {
  each_group(job, [&](auto const& part) { box_to_grid(DevicePasses{session_.stream}, part); });
}
void BoxTransform::to_image(BoxJob<float> const& job) const {
  each_group(job, [&](auto const& part) { box_to_image(DevicePasses{session_.stream}, part); });
}

}  // namespace findrho::nufft
