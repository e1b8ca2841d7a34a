// SPDX-License-Identifier: BSD-3-Clause
// Rung tuned: voxels per thread R, unrolling U, block size, chunk and the memory that samples are read from, all free:
// the search (tune.hpp) picks them. Samples are packed; the angle is made in radians directly, since the units drop
// whole turns themselves and the positions carry the factor 2 pi.
#pragma once
#include "dft/rungs/padded_chunk.hpp"
#include "dft/rungs/parts.hpp"

namespace findrho::ladder {

/// Samples of a chunk wherever they lie: constant memory (PaddedChunk), global memory or shared memory (this).
struct SampleRows {
  Quad<float> const* k_rows;
  Pair<float> const* mu_rows;
  int length;
  FINDRHO_HD Quad<float> k(int m) const { return k_rows[m]; }
  FINDRHO_HD Pair<float> mu(int m) const { return mu_rows[m]; }
};

/// The voxels of one thread.
template <int R>
struct Voxels {
  float x[R], y[R], z[R], re[R], im[R];

  FINDRHO_HD Voxels(Arrays<float> const& a, std::int64_t first, int stride) {
    FINDRHO_UNROLL
    for (int r = 0; r < R; ++r) {
      std::int64_t const n = first + static_cast<std::int64_t>(r) * stride;
      bool const inside = n < a.voxels;
      x[r] = inside ? kTwoPi<float> * a.x[n] : 0;
      y[r] = inside ? kTwoPi<float> * a.y[n] : 0;
      z[r] = inside ? kTwoPi<float> * a.z[n] : 0;
      re[r] = im[r] = 0;
    }
  }
  FINDRHO_HD void store(Arrays<float> const& a, std::int64_t first, int stride) const {
    FINDRHO_UNROLL
    for (int r = 0; r < R; ++r) {
      std::int64_t const n = first + static_cast<std::int64_t>(r) * stride;
      if (n >= a.voxels) continue;
      a.out_re[n] += re[r];
      a.out_im[n] += im[r];
    }
  }
  template <class Sum>
  FINDRHO_HD void add(Quad<float> const& k, Pair<float> const& mu) {
    FINDRHO_UNROLL
    for (int r = 0; r < R; ++r) {
      float s, c;
      fast_sine_cosine(k.x * x[r] + k.y * y[r] + k.z * z[r], s, c);
      Sum::add(re[r], im[r], mu.re, mu.im, c, s);
    }
  }
  template <int U, class Sum, class Samples>
  FINDRHO_HD void add_all(Samples const& samples) {
    int m = 0;
    // U alone says how often the loop is unrolled.
    FINDRHO_KEEP_ROLLED
    for (; m + U <= samples.length; m += U) {
      FINDRHO_UNROLL
      for (int u = 0; u < U; ++u) add<Sum>(samples.k(m + u), samples.mu(m + u));
    }
    FINDRHO_KEEP_ROLLED
    for (; m < samples.length; ++m) add<Sum>(samples.k(m), samples.mu(m));
  }
};

/// Threads of the largest block: eight voxels a thread need more than 64 registers, and an SM has 65,536.
template <int R>
inline constexpr int kMaxBlockFor = R >= 8 ? 512 : 1024;

/// One chunk, read in place.
template <int R, int U, class Sum, class Samples>
struct TunedBody {
  Arrays<float> a;
  Samples samples;
  int block_size;
  static constexpr int kMaxBlock = kMaxBlockFor<R>;
  std::size_t scratch_bytes() const { return 0; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char*) const {
    team.each(block_size, [&](int lane) {
      std::int64_t const first = block * block_size * R + lane;
      Voxels<R> voxels(a, first, block_size);
      voxels.template add_all<U, Sum>(samples);
      voxels.store(a, first, block_size);
    });
  }
};

/// All samples in one launch: the block brings tile after tile into shared memory, every parts-th of them. Sums go home
/// after each tile, so that no lane carries state over a barrier and the error does not grow with the number of tiles.
template <int R, int U, class Sum>
struct TunedSharedBody {
  Arrays<float> a;
  int block_size, tile, parts;
  std::int64_t blocks;  // of a part
  static constexpr int kMaxBlock = kMaxBlockFor<R>;
  std::size_t scratch_bytes() const { return static_cast<std::size_t>(tile) * kPaddedSampleBytes<float>; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    auto* const k_rows = reinterpret_cast<Quad<float>*>(scratch);
    auto* const mu_rows = reinterpret_cast<Pair<float>*>(k_rows + tile);
    std::int64_t const part = block / blocks, home = block % blocks;
    Arrays<float> mine = a;
    if (parts > 1) {
      mine.out_re = a.parts_re + part * a.voxels;
      mine.out_im = a.parts_im + part * a.voxels;
    }
    for (std::int64_t begin = part * tile; begin < a.samples; begin += std::int64_t{parts} * tile) {
      int const length = static_cast<int>(a.samples - begin < tile ? a.samples - begin : tile);
      team.each(length, [&](int m) {
        k_rows[m] = reinterpret_cast<Quad<float> const*>(a.packed_k)[begin + m];
        mu_rows[m] = reinterpret_cast<Pair<float> const*>(a.packed)[begin + m];
      });
      team.sync();
      team.each(block_size, [&](int lane) {
        std::int64_t const first = home * block_size * R + lane;
        Voxels<R> voxels(a, first, block_size);
        voxels.template add_all<U, Sum>(SampleRows{k_rows, mu_rows, length});
        voxels.store(mine, first, block_size);
      });
      team.sync();
    }
  }
};

template <int R, int U, class Sum, class Machine>
void run_tuned_constant(Machine& machine, Arrays<float> const& a, int block_size, int chunk) {
  for_padded_chunks<Sum>(machine, a, block_size, chunk, [&](auto const& part) {
    using Body = TunedBody<R, U, Sum, PaddedChunk<float, typename Machine::Constant>>;
    machine.launch(Body{a, part, block_size}, blocks_for(a.voxels, std::int64_t{block_size} * R), block_size);
  });
}

template <int R, int U, class Sum, class Machine>
void run_tuned_global(Machine& machine, Arrays<float> const& a, int block_size, int chunk) {
  run_mu<Sum>(machine, a, block_size);
  run_pack_padded(machine, a, block_size);
  for (std::int64_t begin = 0; begin < a.samples; begin += chunk) {
    SampleRows const rows{reinterpret_cast<Quad<float> const*>(a.packed_k) + begin,
                          reinterpret_cast<Pair<float> const*>(a.packed) + begin,
                          static_cast<int>(std::min<std::int64_t>(chunk, a.samples - begin))};
    machine.launch(TunedBody<R, U, Sum, SampleRows>{a, rows, block_size},
                   blocks_for(a.voxels, std::int64_t{block_size} * R), block_size);
  }
}

template <int R, int U, class Sum, class Machine>
void run_tuned_shared(Machine& machine, Arrays<float> const& a, int block_size, int tile, int asked_parts) {
  run_mu<Sum>(machine, a, block_size);
  run_pack_padded(machine, a, block_size);
  std::int64_t const blocks = blocks_for(a.voxels, std::int64_t{block_size} * R);
  auto const most = static_cast<int>(std::min<std::int64_t>(a.most_parts, blocks_for(a.samples, tile)));
  int const parts = asked_parts > 0 ? std::min(asked_parts, std::max(1, most))
                                    : parts_that_fill(blocks, machine.slots(block_size), most);
  if (parts > 1) {
    machine.launch(ClearPartsBody<float>{a, parts, block_size}, blocks_for(a.voxels * parts, block_size),
                   block_size);
  }
  machine.launch(TunedSharedBody<R, U, Sum>{a, block_size, tile, parts, blocks}, blocks * parts, block_size);
  if (parts > 1)
    machine.launch(AddPartsBody<float>{a, parts, block_size}, blocks_for(a.voxels, block_size), block_size);
}

}  // namespace findrho::ladder
