// SPDX-License-Identifier: BSD-3-Clause
// Written by bench/loop_counts.py from the machine code of nvcc 13.0 for sm_90a.
#pragma once
#include "findrho/dft/rung.hpp"

namespace findrho {

/// Instructions of one turn of the tuned rung's loop for F^H d: unroll samples, per_thread voxels.
inline double tuned_loop_instructions(RungOptions const& o) {
  // [constant, global, shared][voxels 1 2 4 8][unroll 1 2 4 8]
  static constexpr int kCounts[3][4][4] = {
      {{19, 35, 63, 118}, {29, 54, 102, 198}, {49, 94, 182, 358}, {91, 176, 344, 680}},
      {{23, 32, 56, 104}, {29, 52, 96, 184}, {49, 94, 176, 344}, {89, 173, 337, 665}},
      {{17, 30, 52, 98}, {27, 50, 92, 179}, {47, 90, 173, 339}, {87, 170, 333, 659}},
  };
  auto const log2 = [](int n) { return n >= 8 ? 3 : n >= 4 ? 2 : n >= 2 ? 1 : 0; };
  return kCounts[static_cast<int>(o.memory)][log2(o.per_thread)][log2(o.unroll)];
}

}  // namespace findrho
