// SPDX-License-Identifier: BSD-3-Clause
// The host loop of the rungs whose whole step reads constant memory: {kx, ky, kz, -} of a chunk from the bank's start,
// Mu behind it.
#pragma once
#include <algorithm>

#include "dft/rungs/pack.hpp"

namespace findrho::ladder {

template <class T>
inline constexpr int kPaddedSampleBytes = sizeof(Quad<T>) + sizeof(Pair<T>);

/// What a body reads of one chunk.
template <class T, class Constant>
struct PaddedChunk {
  Constant bank;
  int length;
  unsigned mu_offset;  // bytes
  FINDRHO_HD Quad<T> k(int m) const { return bank.template at<Quad<T>>(0, m); }
  FINDRHO_HD Pair<T> mu(int m) const { return bank.template at<Pair<T>>(mu_offset, m); }
};

/// Packs, then calls launch(PaddedChunk) for every chunk.
template <class Sum, class T, class Machine, class Launch>
void for_padded_chunks(Machine& machine, Arrays<T> const& a, int block_size, int chunk, Launch launch) {
  run_mu<Sum>(machine, a, block_size);
  run_pack_padded(machine, a, block_size);
  unsigned const mu_offset = static_cast<unsigned>(chunk) * sizeof(Quad<T>);
  for (std::int64_t begin = 0; begin < a.samples; begin += chunk) {
    int const length = static_cast<int>(std::min<std::int64_t>(chunk, a.samples - begin));
    machine.to_constant(0, a.packed_k + kPackedK * begin, static_cast<std::size_t>(length) * sizeof(Quad<T>));
    machine.to_constant(mu_offset, a.packed + kPackedMu * begin,
                        static_cast<std::size_t>(length) * sizeof(Pair<T>));
    launch(PaddedChunk<T, typename Machine::Constant>{machine.constant(), length, mu_offset});
  }
}

}  // namespace findrho::ladder
