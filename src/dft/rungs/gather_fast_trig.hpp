// SPDX-License-Identifier: BSD-3-Clause
// Rung gather_fast_trig: sine and cosine from the special function units, two instructions a pair where the library's
// take about forty. Their error is absolute only within half a turn, so whole turns are dropped first, in cycles: a
// k.x of hundreds of cycles then loses no digits beyond those that its own sum has lost.
// With so little arithmetic left, constant loads are the bottleneck: Mu's real part comes with kz in one of 8 bytes.
#pragma once
#include "dft/rungs/padded_chunk.hpp"

namespace findrho::ladder {

template <class Sum, class Constant>
struct GatherFastTrigBody {
  Arrays<float> a;
  PaddedChunk<float, Constant> chunk;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const n = item_of(block, block_size, lane);
      if (n >= a.voxels) return;
      float const x = a.x[n], y = a.y[n], z = a.z[n];
      float re = 0, im = 0;
      for (int m = 0; m < chunk.length; ++m) {
        Quad<float> const k = chunk.k(m);
        float const mu_re = k.spare, mu_im = chunk.mu(m).im;
        float const turns = fraction_of_turn(k.x * x + k.y * y + k.z * z);
        float s, c;
        fast_sine_cosine(kTwoPi<float> * turns, s, c);
        Sum::add(re, im, mu_re, mu_im, c, s);
      }
      a.out_re[n] += re;
      a.out_im[n] += im;
    });
  }
};

template <class Sum, class Machine>
void run_gather_fast_trig(Machine& machine, Arrays<float> const& a, int block_size, int chunk) {
  for_padded_chunks<Sum>(machine, a, block_size, chunk, [&](auto const& part) {
    machine.launch(GatherFastTrigBody<Sum, typename Machine::Constant>{a, part, block_size},
                   blocks_for(a.voxels, block_size), block_size);
  });
}

}  // namespace findrho::ladder
