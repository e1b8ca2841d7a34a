// SPDX-License-Identifier: BSD-3-Clause
// Rung sequential: the loop nest as one would write it for one core. Samples outside, voxels inside, Mu in the outer
// body. The reference for time; the reference for values is the same sum in double (src/dft/exact_sum.cpp).
#pragma once
#include "dft/rungs/arrays.hpp"

namespace findrho::ladder {

template <class T, class Sum>
struct SequentialBody {
  Arrays<T> a;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t, unsigned char*) const {
    team.each(1, [&](int) {
      for (std::int64_t m = 0; m < a.samples; ++m) {
        a.mu_re[m] = Sum::mu_re(a.phi_re[m], a.phi_im[m], a.d_re[m], a.d_im[m]);
        a.mu_im[m] = Sum::mu_im(a.phi_re[m], a.phi_im[m], a.d_re[m], a.d_im[m]);
        for (std::int64_t n = 0; n < a.voxels; ++n) {
          T const angle = kTwoPi<T> * (a.kx[m] * a.x[n] + a.ky[m] * a.y[n] + a.kz[m] * a.z[n]);
          T s, c;
          sine_cosine(angle, s, c);
          a.out_re[n] += Sum::re(a.mu_re[m], a.mu_im[m], c, s);
          a.out_im[n] += Sum::im(a.mu_re[m], a.mu_im[m], c, s);
        }
      }
    });
  }
};

template <class Sum, class T, class Machine>
void run_sequential(Machine& machine, Arrays<T> const& a) {
  machine.launch(SequentialBody<T, Sum>{a}, 1, 1);
}

}  // namespace findrho::ladder
