// SPDX-License-Identifier: BSD-3-Clause
// Few voxels, many samples: F rho has only as many threads as the trajectory has samples, too few blocks to fill a device
// evenly. So the samples are cut into parts, each summed by blocks of its own into an output of its own; then the outputs
// are added in a fixed order, so that the same input gives the same bytes, as atomics would not.
#pragma once
#include <cmath>

#include "dft/rungs/arrays.hpp"

namespace findrho::ladder {

/// Outputs that a device keeps beside the result: none where there are voxels enough to fill it.
inline int spare_outputs(std::int64_t voxels) {
  return voxels <= (1 << 20) ? 16 : 0;
}

template <class T>
struct ClearPartsBody {
  Arrays<T> a;
  std::int64_t parts;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const i = item_of(block, block_size, lane);
      if (i < parts * a.voxels) a.parts_re[i] = a.parts_im[i] = 0;
    });
  }
};

template <class T>
struct AddPartsBody {
  Arrays<T> a;
  std::int64_t parts;
  int block_size;
  static constexpr bool kAfter = true;  // the launch before it is the one to describe
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const n = item_of(block, block_size, lane);
      if (n >= a.voxels) return;
      T re = a.out_re[n], im = a.out_im[n];
      for (std::int64_t p = 0; p < parts; ++p) {
        re += a.parts_re[p * a.voxels + n];
        im += a.parts_im[p * a.voxels + n];
      }
      a.out_re[n] = re;
      a.out_im[n] = im;
    });
  }
};

/// The least number of parts whose blocks fill whole waves to 95 %, or the one that fills them best. slots: blocks that
/// run at a time.
inline int parts_that_fill(std::int64_t blocks, std::int64_t slots, int most) {
  int best = 1;
  double best_fill = 0;
  for (int parts = 1; parts <= most; ++parts) {
    auto const waves = static_cast<double>(blocks) * parts / static_cast<double>(slots);
    double const fill = waves / std::ceil(waves);
    if (fill > best_fill) {
      best = parts;
      best_fill = fill;
    }
    if (fill >= 0.95) break;
  }
  return best;
}

}  // namespace findrho::ladder
