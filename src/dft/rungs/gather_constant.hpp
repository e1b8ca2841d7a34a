// SPDX-License-Identifier: BSD-3-Clause
// Rung gather_constant: kx, ky, kz in constant memory, whose cache hands one word to all lanes of a warp at once.
// It holds 64 KiB, so the host copies the trajectory chunk by chunk, the last chunk short, and launches once for each.
#pragma once
#include <algorithm>

#include "dft/rungs/mu.hpp"

namespace findrho::ladder {

/// Constant: what reads the bank; on the device it knows that the bank is constant memory.
template <class T, class Sum, class Constant>
struct GatherConstantBody {
  Arrays<T> a;
  Constant bank;
  int block_size, chunk;  // the three arrays lie chunk elements apart
  std::int64_t begin;     // first sample of the chunk: Mu is not in the bank and needs it
  int length;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const n = item_of(block, block_size, lane);
      if (n >= a.voxels) return;
      T const x = a.x[n], y = a.y[n], z = a.z[n];
      T re = 0, im = 0;  // the chunk's own sums: the error does not grow with the number of samples
      for (int m = 0; m < length; ++m) {
        T const angle = kTwoPi<T> * (bank.template at<T>(0, m) * x + bank.template at<T>(0, chunk + m) * y +
                                     bank.template at<T>(0, 2 * chunk + m) * z);
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

/// Bytes of a sample in constant memory.
template <class T>
inline constexpr int kConstantSampleBytes = 3 * sizeof(T);

template <class Sum, class T, class Machine>
void run_gather_constant(Machine& machine, Arrays<T> const& a, int block_size, int chunk) {
  run_mu<Sum>(machine, a, block_size);
  for (std::int64_t begin = 0; begin < a.samples; begin += chunk) {
    int const length = static_cast<int>(std::min<std::int64_t>(chunk, a.samples - begin));
    std::size_t const bytes = static_cast<std::size_t>(length) * sizeof(T);
    std::size_t const pitch = static_cast<std::size_t>(chunk) * sizeof(T);
    machine.to_constant(0, a.kx + begin, bytes);
    machine.to_constant(pitch, a.ky + begin, bytes);
    machine.to_constant(2 * pitch, a.kz + begin, bytes);
    using Body = GatherConstantBody<T, Sum, typename Machine::Constant>;
    machine.launch(Body{a, machine.constant(), block_size, chunk, begin, length},
                   blocks_for(a.voxels, block_size), block_size);
  }
}

}  // namespace findrho::ladder
