// SPDX-License-Identifier: BSD-3-Clause
// What a device must do before it is trusted: arithmetic, shared memory, barriers and atomics, in one body.
//   out[i] = v[i] + v[mirror of i within its block] + (number of odd v in the block),  v[i] = i mod 1024
#pragma once
#include <cstddef>
#include <cstdint>

#include "findrho/backend/team.hpp"

namespace findrho {

struct SelfTestBody {
  static constexpr int kLanes = 256;
  int count;
  float* out;

  std::int64_t blocks() const { return (count + kLanes - 1) / kLanes; }
  std::size_t scratch_bytes() const { return (kLanes + 1) * sizeof(float); }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    auto* const value = reinterpret_cast<float*>(scratch);
    float* const odd = value + kLanes;
    std::int64_t const first = block * kLanes;
    int const here = static_cast<int>(count - first < kLanes ? count - first : kLanes);
    team.sync();  // the scratch may still be read for the block before
    team.each(1, [&](int) { *odd = 0; });
    team.each(here, [&](int i) { value[i] = static_cast<float>((first + i) % 1024); });
    team.sync();
    team.each(here, [&](int i) {
      if (static_cast<int>(value[i]) % 2 == 1) team.add(*odd, 1.0f);
    });
    team.sync();
    team.each(here, [&](int i) { out[first + i] = value[i] + value[here - 1 - i] + *odd; });
  }
};

}  // namespace findrho
