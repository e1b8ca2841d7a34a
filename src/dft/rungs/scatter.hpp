// SPDX-License-Identifier: BSD-3-Clause
// Rung scatter: the outer loop handed to threads, as it stands. One thread owns one sample and walks over all voxels.
// Threads of different samples meet in every voxel, so that each addition must be atomic. Private copies of the output
// are no way out: a block would need all voxels in its shared memory, 16 MiB at 128^3 where a few hundred KiB are there.
#pragma once
#include "dft/rungs/arrays.hpp"

namespace findrho::ladder {

template <class T, class Sum>
struct ScatterBody {
  Arrays<T> a;
  int block_size;
  static constexpr bool kAtomic = true;  // blocks add to the same voxels
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const m = item_of(block, block_size, lane);
      if (m >= a.samples) return;
      a.mu_re[m] = Sum::mu_re(a.phi_re[m], a.phi_im[m], a.d_re[m], a.d_im[m]);
      a.mu_im[m] = Sum::mu_im(a.phi_re[m], a.phi_im[m], a.d_re[m], a.d_im[m]);
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
void run_scatter(Machine& machine, Arrays<T> const& a, int block_size) {
  machine.launch(ScatterBody<T, Sum>{a, block_size}, blocks_for(a.samples, block_size), block_size);
}

}  // namespace findrho::ladder
