// SPDX-License-Identifier: BSD-3-Clause
// Rung gather_coarse: a thread owns R voxels, so that a sample is read once for R of them and R independent sums hide
// each other's latency. A block's voxels lie block_size apart per thread: neighbouring lanes stay neighbours in memory.
#pragma once
#include "dft/rungs/padded_chunk.hpp"

namespace findrho::ladder {

template <int R, class Sum, class Constant>
struct GatherCoarseBody {
  Arrays<float> a;
  PaddedChunk<float, Constant> chunk;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const first = block * block_size * R + lane;
      float x[R], y[R], z[R], re[R], im[R];
      FINDRHO_UNROLL
      for (int r = 0; r < R; ++r) {
        std::int64_t const n = first + static_cast<std::int64_t>(r) * block_size;
        bool const inside = n < a.voxels;
        x[r] = inside ? a.x[n] : 0;
        y[r] = inside ? a.y[n] : 0;
        z[r] = inside ? a.z[n] : 0;
        re[r] = im[r] = 0;
      }
      // Starts at 0, which the compiler cannot see: constants at an index that it knows to be the same for all lanes
      // go through the uniform registers, 2.3 times slower here (H200, R = 8 against 4 in the tuned rung: 0.70e12, 1.66e12).
      for (int m = lane / kMaxLanes; m < chunk.length; ++m) {
        Quad<float> const k = chunk.k(m);
        float const mu_re = k.spare, mu_im = chunk.mu(m).im;
        FINDRHO_UNROLL
        for (int r = 0; r < R; ++r) {
          float const turns = fraction_of_turn(k.x * x[r] + k.y * y[r] + k.z * z[r]);
          float s, c;
          fast_sine_cosine(kTwoPi<float> * turns, s, c);
          Sum::add(re[r], im[r], mu_re, mu_im, c, s);
        }
      }
      FINDRHO_UNROLL
      for (int r = 0; r < R; ++r) {
        std::int64_t const n = first + static_cast<std::int64_t>(r) * block_size;
        if (n >= a.voxels) continue;
        a.out_re[n] += re[r];
        a.out_im[n] += im[r];
      }
    });
  }
};

template <int R, class Sum, class Machine>
void run_gather_coarse(Machine& machine, Arrays<float> const& a, int block_size, int chunk) {
  for_padded_chunks<Sum>(machine, a, block_size, chunk, [&](auto const& part) {
    machine.launch(GatherCoarseBody<R, Sum, typename Machine::Constant>{a, part, block_size},
                   blocks_for(a.voxels, std::int64_t{block_size} * R), block_size);
  });
}

}  // namespace findrho::ladder
