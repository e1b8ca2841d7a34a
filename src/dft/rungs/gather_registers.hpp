// SPDX-License-Identifier: BSD-3-Clause
// Rung gather_registers: the voxel's position and its two sums live in registers for the whole loop: five more
// registers a thread, 5120 of a block of 1024, and half of the accesses gone. 7 are left as the source reads; a compiler
// that sees no store in the loop reads Mu once for both sums, which makes 5.
#pragma once
#include "dft/rungs/mu.hpp"

namespace findrho::ladder {

template <class T, class Sum>
struct GatherRegistersBody {
  Arrays<T> a;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const n = item_of(block, block_size, lane);
      if (n >= a.voxels) return;
      T const x = a.x[n], y = a.y[n], z = a.z[n];
      T re = a.out_re[n], im = a.out_im[n];
      for (std::int64_t m = 0; m < a.samples; ++m) {
        T const angle = kTwoPi<T> * (a.kx[m] * x + a.ky[m] * y + a.kz[m] * z);
        T s, c;
        sine_cosine(angle, s, c);
        re += Sum::re(a.mu_re[m], a.mu_im[m], c, s);
        im += Sum::im(a.mu_re[m], a.mu_im[m], c, s);
      }
      a.out_re[n] = re;
      a.out_im[n] = im;
    });
  }
};

template <class Sum, class T, class Machine>
void run_gather_registers(Machine& machine, Arrays<T> const& a, int block_size) {
  run_mu<Sum>(machine, a, block_size);
  machine.launch(GatherRegistersBody<T, Sum>{a, block_size}, blocks_for(a.voxels, block_size), block_size);
}

}  // namespace findrho::ladder
