// SPDX-License-Identifier: BSD-3-Clause
// Rung gather_constant_padded: a structure of 16 bytes, since one of 12 straddles the cache's 64-byte lines, and Mu in
// constant memory too: no global access is left in the loop.
#pragma once
#include "dft/rungs/padded_chunk.hpp"

namespace findrho::ladder {

template <class T, class Sum, class Constant>
struct GatherConstantPaddedBody {
  Arrays<T> a;
  PaddedChunk<T, Constant> chunk;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const n = item_of(block, block_size, lane);
      if (n >= a.voxels) return;
      T const x = a.x[n], y = a.y[n], z = a.z[n];
      T re = 0, im = 0;
      for (int m = 0; m < chunk.length; ++m) {
        Quad<T> const k = chunk.k(m);
        Pair<T> const mu = chunk.mu(m);
        T const angle = kTwoPi<T> * (k.x * x + k.y * y + k.z * z);
        T s, c;
        sine_cosine(angle, s, c);
        re += Sum::re(mu.re, mu.im, c, s);
        im += Sum::im(mu.re, mu.im, c, s);
      }
      a.out_re[n] += re;
      a.out_im[n] += im;
    });
  }
};

template <class Sum, class T, class Machine>
void run_gather_constant_padded(Machine& machine, Arrays<T> const& a, int block_size, int chunk) {
  for_padded_chunks<Sum>(machine, a, block_size, chunk, [&](auto const& part) {
    machine.launch(GatherConstantPaddedBody<T, Sum, typename Machine::Constant>{a, part, block_size},
                   blocks_for(a.voxels, block_size), block_size);
  });
}

}  // namespace findrho::ladder
