// SPDX-License-Identifier: BSD-3-Clause
// Samples packed for the rungs that read structures: Triple {kx, ky, kz}; and Quad, the padded {kx, ky, kz, -}
// in packed_k with Mu beside it as {re, im} in packed. The padding is not wasted: it holds Mu's real part once more.
#pragma once
#include "dft/rungs/mu.hpp"

namespace findrho::ladder {

template <class T>
struct Triple {
  T x, y, z;
};
template <class T>
struct alignas(4 * sizeof(T)) Quad {
  T x, y, z, spare;
};
template <class T>
struct alignas(2 * sizeof(T)) Pair {
  T re, im;
};

/// Elements of T that packed_k and packed need for a number of samples.
inline constexpr int kPackedK = 4, kPackedMu = 2;

template <class T>
struct PackTriplesBody {
  Arrays<T> a;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const m = item_of(block, block_size, lane);
      if (m < a.samples) reinterpret_cast<Triple<T>*>(a.packed_k)[m] = {a.kx[m], a.ky[m], a.kz[m]};
    });
  }
};

template <class T>
struct PackPaddedBody {
  Arrays<T> a;
  int block_size;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const m = item_of(block, block_size, lane);
      if (m >= a.samples) return;
      reinterpret_cast<Quad<T>*>(a.packed_k)[m] = {a.kx[m], a.ky[m], a.kz[m], a.mu_re[m]};
      reinterpret_cast<Pair<T>*>(a.packed)[m] = {a.mu_re[m], a.mu_im[m]};
    });
  }
};

template <class T, class Machine>
void run_pack_triples(Machine& machine, Arrays<T> const& a, int block_size) {
  machine.launch(PackTriplesBody<T>{a, block_size}, blocks_for(a.samples, block_size), block_size);
}

/// After Mu.
template <class T, class Machine>
void run_pack_padded(Machine& machine, Arrays<T> const& a, int block_size) {
  machine.launch(PackPaddedBody<T>{a, block_size}, blocks_for(a.samples, block_size), block_size);
}

}  // namespace findrho::ladder
