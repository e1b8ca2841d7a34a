// SPDX-License-Identifier: BSD-3-Clause
// Rung mu: loop fission. Mu leaves the pair loop and becomes a kernel of its own, which costs nothing beside the sums.
// One thread owns one sample. What is left is a perfectly nested loop, which can be interchanged: see gather.hpp.
#pragma once
#include "dft/rungs/arrays.hpp"

namespace findrho::ladder {

template <class T, class Sum>
struct MuBody {
  Arrays<T> a;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const m = item_of(block, block_size, lane);
      if (m >= a.samples) return;
      a.mu_re[m] = Sum::mu_re(a.phi_re[m], a.phi_im[m], a.d_re[m], a.d_im[m]);
      a.mu_im[m] = Sum::mu_im(a.phi_re[m], a.phi_im[m], a.d_re[m], a.d_im[m]);
    });
  }
};

template <class Sum, class T, class Machine>
void run_mu(Machine& machine, Arrays<T> const& a, int block_size) {
  machine.launch(MuBody<T, Sum>{a, block_size}, blocks_for(a.samples, block_size), block_size);
}

}  // namespace findrho::ladder
