// SPDX-License-Identifier: BSD-3-Clause
// Rung scatter_fissioned: as scatter, but Mu is read: it comes from a kernel of its own (mu.hpp). Still one thread per
// sample, still atomic additions; the loops are now perfectly nested.
#pragma once
#include "dft/rungs/mu.hpp"

namespace findrho::ladder {

template <class T, class Sum>
struct ScatterFissionedBody {
  Arrays<T> a;
  int block_size;
  static constexpr bool kAtomic = true;  // blocks add to the same voxels
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const m = item_of(block, block_size, lane);
      if (m >= a.samples) return;
      for (std::int64_t n = 0; n < a.voxels; ++n) {
        T const angle = kTwoPi<T> * (a.kx[m] * a.x[n] + a.ky[m] * a.y[n] + a.kz[m] * a.z[n]);
        T s, c;
        sine_cosine(angle, s, c);
        team.add(a.out_re[n], Sum::re(a.mu_re[m], a.mu_im[m], c, s));
        team.add(a.out_im[n], Sum::im(a.mu_re[m], a.mu_im[m], c, s));
      }
    });
  }
};

template <class Sum, class T, class Machine>
void run_scatter_fissioned(Machine& machine, Arrays<T> const& a, int block_size) {
  run_mu<Sum>(machine, a, block_size);
  machine.launch(ScatterFissionedBody<T, Sum>{a, block_size}, blocks_for(a.samples, block_size), block_size);
}

}  // namespace findrho::ladder
