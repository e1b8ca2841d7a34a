// SPDX-License-Identifier: BSD-3-Clause
// Rung pair: the first of the three ways to cut the loop nest: one thread per (sample, voxel) pair.
// As many threads as pairs, far more than any device runs at once; each repeats the index arithmetic and Mu, and all
// pairs of a voxel add to the same two numbers atomically. For small sizes only.
#pragma once
#include "dft/rungs/arrays.hpp"

namespace findrho::ladder {

template <class T, class Sum>
struct PairBody {
  Arrays<T> a;
  int block_size;
  static constexpr bool kAtomic = true;  // blocks add to the same voxels
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const pair = item_of(block, block_size, lane);
      std::int64_t const m = pair / a.voxels, n = pair % a.voxels;
      if (m >= a.samples) return;
      T const mu_re = Sum::mu_re(a.phi_re[m], a.phi_im[m], a.d_re[m], a.d_im[m]);
      T const mu_im = Sum::mu_im(a.phi_re[m], a.phi_im[m], a.d_re[m], a.d_im[m]);
      T const angle = kTwoPi<T> * (a.kx[m] * a.x[n] + a.ky[m] * a.y[n] + a.kz[m] * a.z[n]);
      T s, c;
      sine_cosine(angle, s, c);
      team.add(a.out_re[n], Sum::re(mu_re, mu_im, c, s));
      team.add(a.out_im[n], Sum::im(mu_re, mu_im, c, s));
    });
  }
};

template <class Sum, class T, class Machine>
void run_pair(Machine& machine, Arrays<T> const& a, int block_size) {
  machine.launch(PairBody<T, Sum>{a, block_size}, blocks_for(a.samples * a.voxels, block_size), block_size);
}

}  // namespace findrho::ladder
