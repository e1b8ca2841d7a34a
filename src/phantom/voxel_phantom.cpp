// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/voxel_phantom.hpp"

#include <algorithm>
#include <cmath>

namespace findrho {

VoxelPhantom voxelise(Context const& context, Phantom const& phantom, Matrix const& matrix) {
  VoxelPhantom result{matrix, {}, VoxelMeaning::averages};
  std::vector<Phantom> groups;
  for (Solid const& solid : phantom.solids) {
    auto const alike = std::find_if(groups.begin(), groups.end(), [&](Phantom const& g) {
      return g.solids[0].decay == solid.decay && g.solids[0].frequency_hz == solid.frequency_hz;
    });
    if (alike == groups.end()) {
      groups.push_back({phantom.dims, {solid}});
    } else {
      alike->solids.push_back(solid);
    }
  }
  for (Phantom const& group : groups) {
    auto const image = phantom_image(context, group, matrix);
    VoxelPhantom::Tissue tissue{"solids", Array<float>(image.shape()), group.solids[0].decay,
                                group.solids[0].frequency_hz};
    for (std::int64_t n = 0; n < image.size(); ++n) tissue.density[n] = static_cast<float>(image[n].real());
    result.tissues.push_back(std::move(tissue));
  }
  return result;
}

Array<std::complex<double>> voxel_image(VoxelPhantom const& phantom) {
  Array<std::complex<double>> image(phantom.matrix.shape());
  for (auto const& tissue : phantom.tissues) {
    for (std::int64_t n = 0; n < image.size(); ++n) image[n] += static_cast<double>(tissue.density[n]);
  }
  return image;
}

double mean_inside(VoxelPhantom const& phantom) {
  double sum = 0, count = 0;
  for (std::int64_t n = 0; n < phantom.matrix.voxels(); ++n) {
    double density = 0;
    bool inside = false;
    for (auto const& tissue : phantom.tissues) {
      density += static_cast<double>(tissue.density[n]);
      inside = inside || tissue.density[n] != 0;
    }
    sum += std::abs(density);
    count += inside ? 1 : 0;
  }
  return count > 0 ? sum / count : 0;
}

}  // namespace findrho
