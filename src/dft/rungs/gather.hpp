// SPDX-License-Identifier: BSD-3-Clause
// Rung gather: the loops interchanged. One thread owns one voxel and walks over all samples, so that nobody else
// writes its two sums: no atomics. Everything is still in global memory, 14 accesses a step as the source reads.
#pragma once
#include "dft/rungs/mu.hpp"

namespace findrho::ladder {

template <class T, class Sum>
struct GatherBody {
  Arrays<T> a;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const n = item_of(block, block_size, lane);
      if (n >= a.voxels) return;
      for (std::int64_t m = 0; m < a.samples; ++m) {
        T const angle = kTwoPi<T> * (a.kx[m] * a.x[n] + a.ky[m] * a.y[n] + a.kz[m] * a.z[n]);
        T s, c;
        sine_cosine(angle, s, c);
        a.out_re[n] += Sum::re(a.mu_re[m], a.mu_im[m], c, s);
        a.out_im[n] += Sum::im(a.mu_re[m], a.mu_im[m], c, s);
      }
    });
  }
};

template <class Sum, class T, class Machine>
void run_gather(Machine& machine, Arrays<T> const& a, int block_size) {
  run_mu<Sum>(machine, a, block_size);
  machine.launch(GatherBody<T, Sum>{a, block_size}, blocks_for(a.voxels, block_size), block_size);
}

}  // namespace findrho::ladder
