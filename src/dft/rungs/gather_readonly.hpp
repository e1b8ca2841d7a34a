// SPDX-License-Identifier: BSD-3-Clause
// Rung gather_readonly: const __restrict__ pointers instead of constant memory. The compiler may then read through the
// read-only path of the L1 cache: no 64 KiB limit, no host loop, no chunks.
#pragma once
#include "dft/rungs/mu.hpp"

namespace findrho::ladder {

template <class T, class Sum>
struct GatherReadonlyBody {
  Arrays<T> a;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const n = item_of(block, block_size, lane);
      if (n < a.voxels) voxel(n, a.samples, a.kx, a.ky, a.kz, a.mu_re, a.mu_im);
    });
  }

  /// A function of its own: the promise that nothing else writes these arrays can only be made for parameters.
  FINDRHO_HD void voxel(std::int64_t n, std::int64_t samples, T const* __restrict__ kx,
                        T const* __restrict__ ky, T const* __restrict__ kz, T const* __restrict__ mu_re,
                        T const* __restrict__ mu_im) const {
    T const x = a.x[n], y = a.y[n], z = a.z[n];
    T re = a.out_re[n], im = a.out_im[n];
    for (std::int64_t m = 0; m < samples; ++m) {
      T const angle = kTwoPi<T> * (read(kx, m) * x + read(ky, m) * y + read(kz, m) * z);
      T s, c;
      sine_cosine(angle, s, c);
      T const mr = read(mu_re, m), mi = read(mu_im, m);
      re += Sum::re(mr, mi, c, s);
      im += Sum::im(mr, mi, c, s);
    }
    a.out_re[n] = re;
    a.out_im[n] = im;
  }

  FINDRHO_HD static T read(T const* __restrict__ values, std::int64_t i) {
#if defined(__CUDA_ARCH__)
    return __ldg(values + i);
#else
    return values[i];
#endif
  }
};

template <class Sum, class T, class Machine>
void run_gather_readonly(Machine& machine, Arrays<T> const& a, int block_size) {
  run_mu<Sum>(machine, a, block_size);
  machine.launch(GatherReadonlyBody<T, Sum>{a, block_size}, blocks_for(a.voxels, block_size), block_size);
}

}  // namespace findrho::ladder
