// SPDX-License-Identifier: BSD-3-Clause
// Spreading, driven by the output: a block owns a tile and holds it in registers, four cells of each coil a lane. It goes
// through the samples whose patches may reach the tile: those that do are staged in shared memory with their weights,
// zero outside the patch, and every warp adds those that meet its quarter of the tile. Nothing is added atomically.
#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "nufft/cuda/moves.hpp"

namespace findrho::nufft {
namespace {

constexpr int kLanes = 128, kWarps = kLanes / 32, kCells = 4;  // cells a lane, along x

/// How a tile is shared out. kWeights: weights of a sample along x, then y, then z; kStride: from sample to sample, a
/// multiple of 4 for 16-byte reads.
template <int Dims>
struct Shape;
template <>
struct Shape<3> {
  static constexpr int kY = 8, kZ = 16, kStride = 28;
  static constexpr int kBoxY = 4, kBoxZ = 4;  // of a warp: 8 x 4 x 4
  int x, y, z;
  __device__ Shape(int lane, int warp)
      : x(lane % 2 * kCells), y(lane / 2 % 4 + warp % 2 * kBoxY), z(lane / 8 + warp / 2 * kBoxZ) {}
  /// Bit w: the patch may meet warp w's quarter.
  __device__ static unsigned warps(TileGrid const& g, int const (&offset)[3]) {
    unsigned const y = halves(g, 1, offset[1], kBoxY), z = halves(g, 2, offset[2], kBoxZ);
    return ((z & 1) != 0 ? y : 0) | ((z & 2) != 0 ? y << 2 : 0);
  }
  __device__ static unsigned halves(TileGrid const& g, int axis, int offset, int half) {
    if (g.wraps_round(axis)) return 3;
    return (offset < half ? 1U : 0U) | (offset + g.width > half ? 2U : 0U);
  }
};
template <>
struct Shape<2> {
  static constexpr int kY = 32, kZ = 48, kStride = 52;
  static constexpr int kBoxX = 16, kBoxY = 8;  // of a warp
  int x, y, z;
  __device__ Shape(int lane, int warp)
      : x(lane % 4 * kCells + warp % 2 * kBoxX), y(lane / 4 + warp / 2 * kBoxY), z(0) {}
  __device__ static unsigned warps(TileGrid const& g, int const (&offset)[2]) {
    unsigned const x = Shape<3>::halves(g, 0, offset[0], kBoxX), y = Shape<3>::halves(g, 1, offset[1], kBoxY);
    return ((y & 1) != 0 ? x : 0) | ((y & 2) != 0 ? x << 2 : 0);
  }
};

/// Samples that are staged together.
template <class T, int Dims>
constexpr int kStage = sizeof(T) == 4 && Dims == 3 ? 256 : 128;

template <class T, int Dims, int Coils>
struct Scratch {
  static constexpr int kCount = kStage<T, Dims>;
  __align__(16) T weight[kCount * Shape<Dims>::kStride];
  __align__(16) Complex<T> value[kCount * Coils];
  unsigned sample[kCount];
  unsigned range_end[kMaxRanges], range_shift[kMaxRanges];
  int reached[kWarps];
  unsigned char warps[kCount];
};

/// The tile's ranges put one after the other: candidate v of range r is sorted sample v + range_shift[r].
template <class S>
__device__ void find_ranges(TileGrid const& g, unsigned const* bin_first, int tile, S& s) {
  TileRanges const ranges(g, tile);
  int const count = ranges.count(), lane = threadIdx.x;
  if (lane < count) {
    BinRange const r = ranges(g, lane);
    unsigned const first = bin_first[r.first];
    s.range_shift[lane] = first;
    s.range_end[lane] = bin_first[r.last] - first;
  }
  __syncthreads();
  if (lane == 0) {
    unsigned before = 0;
    for (int i = 0; i < count; ++i) {
      s.range_shift[i] -= before;
      before += s.range_end[i];
      s.range_end[i] = before;
    }
  }
}

/// Appends those of candidates [first, first + kLanes) that reach the tile; returns how many are staged now.
template <class T, int Dims, class S>
__device__ int collect(SpreadJob<T> const& job, Part const& part, int const (&tile)[3], unsigned first,
                       int staged, S& s) {
  unsigned const v = first + threadIdx.x;
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  bool reached = v < part.last;
  unsigned sample = 0, warps = 0;
  if (reached) {
    int r = 0;
    while (v >= s.range_end[r]) ++r;
    sample = v + s.range_shift[r];
    Cell const c = job.samples.cell[sample];
    int const start[3] = {c.x, c.y, c.z};
    int offset[Dims];
#pragma unroll
    for (int d = 0; d < Dims; ++d) {
      offset[d] = offset_in_tile(job.tiles, d, tile[d], start[d]);
      reached = reached && reaches(job.tiles, d, offset[d]);
    }
    warps = Shape<Dims>::warps(job.tiles, offset);
  }
  unsigned const who = __ballot_sync(0xffffffffU, reached);
  if (lane == 0) s.reached[warp] = __popc(who);
  __syncthreads();
  int at = staged + __popc(who & ((1U << lane) - 1)), total = staged;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    if (w < warp) at += s.reached[w];
    total += s.reached[w];
  }
  if (reached) {
    s.sample[at] = sample;
    s.warps[at] = static_cast<unsigned char>(warps);
  }
  __syncthreads();  // before the next ones are counted
  return total;
}

/// Weights, zero outside the patch, and values of the staged samples.
template <class T, int Dims, int Coils, class S>
__device__ void stage(SpreadJob<T> const& job, int const (&tile)[3], int staged, S& s) {
  using Tile = Shape<Dims>;
  constexpr int kPieces = Tile::kStride * sizeof(T) / 16;
  int4* const cleared = reinterpret_cast<int4*>(s.weight);
  for (int i = threadIdx.x; i < staged * kPieces; i += kLanes) cleared[i] = int4{0, 0, 0, 0};
  __syncthreads();
  for (int i = threadIdx.x; i < staged; i += kLanes) {
    unsigned const sample = s.sample[i];
    Cell const c = job.samples.cell[sample];
    int const start[3] = {c.x, c.y, c.z};
    constexpr int kAxis[3] = {0, Tile::kY, Tile::kZ};
    T* const weight = s.weight + i * Tile::kStride;
    int offset[Dims];
    T fraction[Dims];
    unsigned const index = job.samples.index[sample];
#pragma unroll
    for (int d = 0; d < Dims; ++d) {
      offset[d] = offset_in_tile(job.tiles, d, tile[d], start[d]);
      fraction[d] = job.samples.fraction[d][sample];
    }
#pragma unroll
    for (int q = 0; q < Coils; ++q)
      s.value[i * Coils + q] = job.values[static_cast<std::int64_t>(q) * job.samples.count + index];
    for (int j = 0; j < job.kernel.width; ++j) {
      T w[Dims];
      job.kernel.weights(j, fraction, w);
#pragma unroll
      for (int d = 0; d < Dims; ++d) {
        int const at = cell_in_tile(job.tiles, d, offset[d], j);
        if (at < 0) continue;
        T& to = weight[kAxis[d] + at];
        to = job.tiles.wraps_round(d) ? to + w[d] : w[d];
      }
    }
  }
  __syncthreads();
}

template <class T>
__device__ void read4(T const* from, T (&to)[4]) {
#pragma unroll
  for (int i = 0; i < 4; ++i) to[i] = from[i];
}
template <>
__device__ void read4(float const* from, float (&to)[4]) {
  float4 const v = *reinterpret_cast<float4 const*>(from);
  to[0] = v.x, to[1] = v.y, to[2] = v.z, to[3] = v.w;
}

/// sum += weights * values of the staged samples that meet this warp's quarter.
template <class T, int Dims, int Coils, class S>
__device__ void add_staged(S const& s, Shape<Dims> const& at, int staged, Complex<T> (&sum)[Coils][kCells]) {
  int const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int base = 0; base < staged; base += 32) {
    bool const mine = base + lane < staged && (s.warps[base + lane] >> warp & 1) != 0;
    unsigned who = __ballot_sync(0xffffffffU, mine);
    while (who != 0) {
      int const i = base + __ffs(who) - 1;
      who &= who - 1;
      T const* const weight = s.weight + i * Shape<Dims>::kStride;
      T w[kCells];
      read4(weight + at.x, w);
      T rest = weight[Shape<Dims>::kY + at.y];
      if constexpr (Dims == 3) rest *= weight[Shape<Dims>::kZ + at.z];
#pragma unroll
      for (int x = 0; x < kCells; ++x) w[x] *= rest;
#pragma unroll
      for (int q = 0; q < Coils; ++q) {
        Complex<T> const v = s.value[i * Coils + q];
#pragma unroll
        for (int x = 0; x < kCells; ++x) {
          sum[q][x].x += w[x] * v.x;
          sum[q][x].y += w[x] * v.y;
        }
      }
    }
  }
}

template <class T, int Dims, int Coils>
__device__ void store(SpreadJob<T> const& job, int const (&tile)[3], Shape<Dims> const& at,
                      Complex<T> const (&sum)[Coils][kCells]) {
  TileGrid const& g = job.tiles;
  int const x = g.first_cell(0, tile[0]) + at.x, y = g.first_cell(1, tile[1]) + at.y,
            z = g.first_cell(2, tile[2]) + at.z;
  if (y >= g.grid[1] || z >= g.grid[2]) return;
  std::int64_t const cells = static_cast<std::int64_t>(g.grid[0]) * g.grid[1] * g.grid[2];
  Complex<T>* to = job.grid + (static_cast<std::int64_t>(z) * g.grid[1] + y) * g.grid[0] + x;
#pragma unroll
  for (int q = 0; q < Coils; ++q, to += cells) {
#pragma unroll
    for (int i = 0; i < kCells; i += 2) {
      if (x + i < g.grid[0]) *reinterpret_cast<Pair<T>*>(to + i) = {sum[q][i], sum[q][i + 1]};
    }
  }
}

__device__ void split_index(TileGrid const& g, int tile, int (&at)[3]) {
  at[0] = tile % g.tiles[0];
  at[1] = tile / g.tiles[0] % g.tiles[1];
  at[2] = tile / (g.tiles[0] * g.tiles[1]);
}

template <class T, int Dims, int Coils>
__global__ void __launch_bounds__(kLanes) spread_kernel(__grid_constant__ SpreadJob<T> const job) {
  using S = Scratch<T, Dims, Coils>;
  extern __shared__ __align__(16) unsigned char scratch[];
  S& s = *reinterpret_cast<S*>(scratch);
  Part const part = job.parts[blockIdx.x];
  int tile[3];
  split_index(job.tiles, part.tile, tile);
  Shape<Dims> const at(threadIdx.x % 32, threadIdx.x / 32);
  Complex<T> sum[Coils][kCells]{};
  if (part.first < part.last) {
    find_ranges(job.tiles, job.samples.bin_first, part.tile, s);
    __syncthreads();
  }
  for (unsigned next = part.first; next < part.last;) {
    int staged = 0;
    for (; next < part.last && staged <= S::kCount - kLanes; next += kLanes)
      staged = collect<T, Dims>(job, part, tile, next, staged, s);
    stage<T, Dims, Coils>(job, tile, staged, s);
    add_staged<T, Dims, Coils>(s, at, staged, sum);
    __syncthreads();
  }
  if (part.slot < 0) return store<T, Dims, Coils>(job, tile, at, sum);
  Pair<T>* const slot =
      reinterpret_cast<Pair<T>*>(job.slots + static_cast<std::int64_t>(part.slot) * kTileCells * Coils);
#pragma unroll
  for (int q = 0; q < Coils; ++q) {
    slot[(2 * q) * kLanes + threadIdx.x] = {sum[q][0], sum[q][1]};
    slot[(2 * q + 1) * kLanes + threadIdx.x] = {sum[q][2], sum[q][3]};
  }
}

/// Adds up the slots of a tile, in their order.
template <class T, int Dims, int Coils>
__global__ void __launch_bounds__(kLanes) join_kernel(__grid_constant__ SpreadJob<T> const job) {
  SplitTile const split = job.split[blockIdx.x];
  int tile[3];
  split_index(job.tiles, split.tile, tile);
  Complex<T> sum[Coils][kCells]{};
  for (int i = 0; i < split.slots; ++i) {
    Pair<T> const* const slot = reinterpret_cast<Pair<T> const*>(
        job.slots + static_cast<std::int64_t>(split.slot + i) * kTileCells * Coils);
#pragma unroll
    for (int q = 0; q < Coils; ++q) {
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        Pair<T> const v = slot[(2 * q + half) * kLanes + threadIdx.x];
        sum[q][2 * half].x += v.a.x;
        sum[q][2 * half].y += v.a.y;
        sum[q][2 * half + 1].x += v.b.x;
        sum[q][2 * half + 1].y += v.b.y;
      }
    }
  }
  store<T, Dims, Coils>(job, tile, Shape<Dims>(threadIdx.x % 32, threadIdx.x / 32), sum);
}

template <class T, int Dims, int Coils>
void launch(cudaStream_t stream, SpreadJob<T> const& job) {
  constexpr std::size_t scratch = sizeof(Scratch<T, Dims, Coils>);
  if (scratch > 48 * 1024) {
    FINDRHO_CHECK(cudaFuncSetAttribute(spread_kernel<T, Dims, Coils>,
                                       cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(scratch)));
  }
  spread_kernel<T, Dims, Coils><<<static_cast<unsigned>(job.part_count), kLanes, scratch, stream>>>(job);
  check_launch("spread");
  if (job.split_count == 0) return;
  join_kernel<T, Dims, Coils><<<static_cast<unsigned>(job.split_count), kLanes, 0, stream>>>(job);
  check_launch("join");
}

}  // namespace

template <class T>
void spread(cudaStream_t stream, SpreadJob<T> const& job, int coils) {
  bool const flat = job.tiles.dims == 2;
  if (coils == 1) return flat ? launch<T, 2, 1>(stream, job) : launch<T, 3, 1>(stream, job);
  if (coils == 2) return flat ? launch<T, 2, 2>(stream, job) : launch<T, 3, 2>(stream, job);
  if (coils == 4) return flat ? launch<T, 2, 4>(stream, job) : launch<T, 3, 4>(stream, job);
  if constexpr (kMostCoils<T> == 8) {
    if (coils == 8) return flat ? launch<T, 2, 8>(stream, job) : launch<T, 3, 8>(stream, job);
  }
  throw ModuleFailure(CudaFault::bad_argument, "spreading " + std::to_string(coils) + " coils together");
}

template void spread(cudaStream_t, SpreadJob<float> const&, int);
template void spread(cudaStream_t, SpreadJob<double> const&, int);

}  // namespace findrho::nufft
