// SPDX-License-Identifier: BSD-3-Clause
// One coil of an ExactSum as the pointers that a rung takes, with the scratch and the output that it needs.
#pragma once
#include <algorithm>
#include <vector>

#include "dft/rungs/pack.hpp"
#include "findrho/dft/ladder.hpp"

namespace findrho::ladder {

inline std::int64_t part_of(std::int64_t asked, std::int64_t all) {
  return asked > 0 ? std::min(asked, all) : all;
}

template <class T>
class HostArrays {
 public:
  HostArrays(ExactSum<T> const& sum, SumSlice slice, std::int64_t coil, int parts)
      : samples_(part_of(slice.samples, sum.samples())),
        voxels_(part_of(slice.voxels, sum.voxels())),
        coil_(coil),
        parts_(parts),
        sum_(sum) {
    auto const m = static_cast<std::size_t>(samples_);
    mu_.resize(2 * m);
    packed_k_ = Array<T>(sample_shape(1, kPackedK * samples_));  // 64-byte aligned, as Quad wants
    packed_ = Array<T>(sample_shape(1, kPackedMu * samples_));
    re.resize(static_cast<std::size_t>(voxels_));
    im.resize(static_cast<std::size_t>(voxels_));
    outputs_.resize(2 * static_cast<std::size_t>(parts_ * voxels_));
  }

  Arrays<T> view() {
    return {.samples = samples_,
            .voxels = voxels_,
            .kx = sum_.kx.data(),
            .ky = sum_.ky.data(),
            .kz = sum_.kz.data(),
            .x = sum_.x.data(),
            .y = sum_.y.data(),
            .z = sum_.z.data(),
            .phi_re = sum_.phi_re.data(),
            .phi_im = sum_.phi_im.data(),
            .d_re = sum_.d_re.data() + coil_ * sum_.samples(),
            .d_im = sum_.d_im.data() + coil_ * sum_.samples(),
            .mu_re = mu_.data(),
            .mu_im = mu_.data() + samples_,
            .packed_k = packed_k_.data(),
            .packed = packed_.data(),
            .out_re = re.data(),
            .out_im = im.data(),
            .parts_re = outputs_.data(),
            .parts_im = outputs_.data() + parts_ * voxels_,
            .most_parts = parts_};
  }

  std::vector<T> re, im;

 private:
  std::int64_t samples_, voxels_, coil_;
  int parts_;
  ExactSum<T> const& sum_;
  std::vector<T> mu_, outputs_;
  Array<T> packed_k_, packed_;
};

}  // namespace findrho::ladder
