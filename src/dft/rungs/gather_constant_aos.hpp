// SPDX-License-Identifier: BSD-3-Clause
// Rung gather_constant_aos: kx, ky, kz of a sample side by side. A step of a warp then touches one line of the
// constant cache instead of three, and a chunk is one copy instead of three.
#pragma once
#include <algorithm>

#include "dft/rungs/pack.hpp"

namespace findrho::ladder {

template <class T, class Sum, class Constant>
struct GatherConstantAosBody {
  Arrays<T> a;
  Constant bank;
  int block_size;
  std::int64_t begin;
  int length;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const n = item_of(block, block_size, lane);
      if (n >= a.voxels) return;
      T const x = a.x[n], y = a.y[n], z = a.z[n];
      T re = 0, im = 0;
      for (int m = 0; m < length; ++m) {
        Triple<T> const k = bank.template at<Triple<T>>(0, m);
        T const angle = kTwoPi<T> * (k.x * x + k.y * y + k.z * z);
        T s, c;
        sine_cosine(angle, s, c);
        T const mu_re = a.mu_re[begin + m], mu_im = a.mu_im[begin + m];
        re += Sum::re(mu_re, mu_im, c, s);
        im += Sum::im(mu_re, mu_im, c, s);
      }
      a.out_re[n] += re;
      a.out_im[n] += im;
    });
  }
};

template <class Sum, class T, class Machine>
void run_gather_constant_aos(Machine& machine, Arrays<T> const& a, int block_size, int chunk) {
  run_mu<Sum>(machine, a, block_size);
  run_pack_triples(machine, a, block_size);
  for (std::int64_t begin = 0; begin < a.samples; begin += chunk) {
    int const length = static_cast<int>(std::min<std::int64_t>(chunk, a.samples - begin));
    machine.to_constant(0, a.packed_k + 3 * begin, static_cast<std::size_t>(length) * sizeof(Triple<T>));
    using Body = GatherConstantAosBody<T, Sum, typename Machine::Constant>;
    machine.launch(Body{a, machine.constant(), block_size, begin, length}, blocks_for(a.voxels, block_size),
                   block_size);
  }
}

}  // namespace findrho::ladder
