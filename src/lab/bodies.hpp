// SPDX-License-Identifier: BSD-3-Clause
// Team bodies of the lab: transpose, 3x3 filter and histogram, as the GPU runs them and as CPU tests check them.
#pragma once
#include <cstddef>
#include <cstdint>

#include "findrho/backend/team.hpp"

namespace findrho {

/// out[x][y] = in[y][x] by tiles: rows are read, rows are written, the turn happens in the scratch.
/// pad 0: a column of the tile lies in one bank of shared memory; pad 1: in 32.
template <int Tile = 32>
struct TransposeBody {
  static constexpr int kTile = Tile, kLanes = 256;
  int rows, columns, pad;
  float const* in;
  float* out;

  FINDRHO_HD static int tiles(int n) { return (n + kTile - 1) / kTile; }
  std::int64_t blocks() const { return std::int64_t{tiles(rows)} * tiles(columns); }
  std::size_t scratch_bytes() const {
    return static_cast<std::size_t>(kTile * (kTile + pad)) * sizeof(float);
  }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    auto* const tile = reinterpret_cast<float*>(scratch);
    auto const across = static_cast<unsigned>(tiles(columns));
    auto const b = static_cast<unsigned>(block);  // 64-bit division is slow
    int const y0 = static_cast<int>(b / across) * kTile, x0 = static_cast<int>(b % across) * kTile;
    int const width = kTile + pad, high = rows - y0, wide = columns - x0;
    float const* const from = in + std::int64_t{y0} * columns + x0;
    float* const to = out + std::int64_t{x0} * rows + y0;
    team.sync();  // the block before may still be written from the scratch
    team.each(kTile * kTile, [&](int i) {
      int const y = i / kTile, x = i % kTile;
      if (y < high && x < wide) tile[y * width + x] = read_only(from + std::int64_t{y} * columns + x);
    });
    team.sync();
    team.each(kTile * kTile, [&](int i) {
      int const x = i / kTile, y = i % kTile;
      if (y < high && x < wide) to[std::int64_t{x} * rows + y] = tile[y * width + x];
    });
  }
};

/// Sixteen bytes, which a lane moves with one instruction.
struct alignas(16) Four {
  float v[4];
};
FINDRHO_HD inline Four read_only_four(float const* from) {
#if defined(__CUDA_ARCH__)
  float4 const f = __ldg(reinterpret_cast<float4 const*>(from));
  return {f.x, f.y, f.z, f.w};
#else
  return {from[0], from[1], from[2], from[3]};
#endif
}

/// The same by sixteen bytes: a lane turns a square of 4 x 4 in its registers, squares turn in the scratch. Its rows
/// hold whole fours, so padding by a word is out; each row of squares is rotated by its number instead, which spreads
/// eight lanes over all banks on both sides.
/// Shapes  rows and columns multiples of 4, in and out aligned to 16 bytes
template <int Tile = 64, int Lanes = 256>
struct TransposeFoursBody {
  static constexpr int kTile = Tile, kLanes = Lanes, kFours = Tile / 4;
  int rows, columns;
  float const* in;
  float* out;

  FINDRHO_HD static int tiles(int n) { return (n + kTile - 1) / kTile; }
  std::int64_t blocks() const { return std::int64_t{tiles(rows)} * tiles(columns); }
  std::size_t scratch_bytes() const { return sizeof(float) * kTile * kTile; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    auto* const tile = reinterpret_cast<Four*>(scratch);
    auto const across = static_cast<unsigned>(tiles(columns));
    auto const b = static_cast<unsigned>(block);
    int const y0 = static_cast<int>(b / across) * kTile, x0 = static_cast<int>(b % across) * kTile;
    int const high = rows - y0, wide = columns - x0;
    float const* const from = in + std::int64_t{y0} * columns + x0;
    float* const to = out + std::int64_t{x0} * rows + y0;
    team.sync();  // the block before may still be written from the scratch
    team.each(kFours * kFours, [&](int i) {
      int const q = i % kFours, r = i / kFours, x = 4 * q, y = 4 * r;
      if (y >= high || x >= wide) return;
      Four f[4];
      for (int j = 0; j < 4; ++j) f[j] = read_only_four(from + std::int64_t{y + j} * columns + x);
      for (int j = 0; j < 4; ++j)
        tile[(x + j) * kFours + (r + q) % kFours] = {f[0].v[j], f[1].v[j], f[2].v[j], f[3].v[j]};
    });
    team.sync();
    team.each(kTile * kFours, [&](int i) {
      int const r = i % kFours, x = i / kFours, y = 4 * r;
      if (y >= high || x >= wide) return;
      *reinterpret_cast<Four*>(to + std::int64_t{x} * rows + y) = tile[x * kFours + (r + x / 4) % kFours];
    });
  }
};

FINDRHO_HD inline int clamped(int i, int n) {
  return i < 0 ? 0 : i >= n ? n - 1 : i;
}

/// out = the 3x3 window's weighted sum, edges clamped; the tile with its halo is read once.
template <class Weights>
struct FilterBody {
  static constexpr int kWide = 32, kHigh = 32, kLanes = 256, kHaloWide = kWide + 2;
  int width, height;
  Weights weight;  // weight[0..8], row by row
  float const* in;
  float* out;

  int across() const { return (width + kWide - 1) / kWide; }
  std::int64_t blocks() const { return std::int64_t{across()} * ((height + kHigh - 1) / kHigh); }
  std::size_t scratch_bytes() const { return sizeof(float) * kHaloWide * (kHigh + 2); }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    auto* const tile = reinterpret_cast<float*>(scratch);
    int const per_row = (width + kWide - 1) / kWide;
    auto const b = static_cast<unsigned>(block), wide = static_cast<unsigned>(per_row);
    int const y0 = static_cast<int>(b / wide) * kHigh, x0 = static_cast<int>(b % wide) * kWide;
    team.sync();
    team.each(kHaloWide * (kHigh + 2), [&](int i) {
      int const y = clamped(y0 + i / kHaloWide - 1, height), x = clamped(x0 + i % kHaloWide - 1, width);
      tile[i] = read_only(in + std::int64_t{y} * width + x);
    });
    team.sync();
    team.each(kWide * kHigh, [&](int i) {
      int const y = i / kWide, x = i % kWide;
      if (y0 + y >= height || x0 + x >= width) return;
      float sum = 0;
      for (int dy = 0; dy < 3; ++dy) {
        for (int dx = 0; dx < 3; ++dx) sum += weight[3 * dy + dx] * tile[(y + dy) * kHaloWide + x + dx];
      }
      out[std::int64_t{y0 + y} * width + x0 + x] = sum;
    });
  }
};

/// Counts bytes. Each block counts its part in the scratch and adds that to the bins at its end; aggregated, a lane
/// first counts how often a value repeats, and adds once.
struct HistogramBody {
  static constexpr int kBins = 256, kLanes = 256, kWordsPerBlock = 16 * 1024;
  std::int64_t words;
  bool aggregated;
  std::uint32_t const* in;  // four bytes a word
  unsigned* bins;

  std::int64_t blocks() const { return (words + kWordsPerBlock - 1) / kWordsPerBlock; }
  std::size_t scratch_bytes() const { return kBins * sizeof(unsigned); }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    auto* const mine = reinterpret_cast<unsigned*>(scratch);
    std::int64_t const first = block * kWordsPerBlock;
    auto const here = static_cast<int>(words - first < kWordsPerBlock ? words - first : kWordsPerBlock);
    team.sync();
    team.each(kBins, [&](int i) { mine[i] = 0; });
    team.sync();
    std::uint32_t last = 0;
    unsigned repeats = 0;
    team.each(here, [&](int i) {
      std::uint32_t const word = read_only(in + first + i);
      for (int b = 0; b < 4; ++b) {
        std::uint32_t const value = word >> 8 * b & 255;
        if (!aggregated) {
          team.add(mine[value], 1u);
        } else if (value == last) {
          ++repeats;
        } else {
          if (repeats > 0) team.add(mine[last], repeats);
          last = value;
          repeats = 1;
        }
      }
    });
    if (repeats > 0) team.add(mine[last], repeats);
    team.sync();
    team.each(kBins, [&](int i) {
      if (mine[i] > 0) team.add(bins[i], mine[i]);
    });
  }
};

}  // namespace findrho
