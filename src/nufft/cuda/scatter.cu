// SPDX-License-Identifier: BSD-3-Clause
// Spreading, driven by the input: a warp sums the patches of one piece of a bin in a box in shared memory. No two warps
// share a box and no two lanes a cell, so nothing is added atomically. The boxes go to slots; then each tile of the grid
// adds up the boxes that reach it, in their order. Against spread.cu every sample is worked on once and not in each tile
// that it reaches, but the boxes pass through memory.
#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "nufft/cuda/boxes.hpp"

namespace findrho::nufft {
namespace {

constexpr int kJoinLanes = 512;

/// box += patch * value, all lanes together. value: of the halves of a quad.
template <class Shape>
__device__ void add_patch(BoxRows<Shape> const& rows, Patch<Shape> const& patch, float4 value, float4* box) {
  float2 const a{patch.a * value.x, patch.a * value.y}, b{patch.b * value.z, patch.b * value.w};
  float4* const first = box + patch.quad;
  float4 cells[Shape::steps];
  // All reads before the first write: they are of different cells, which the compiler cannot know. A lane without a row
  // reads none, for another lane writes every cell.
#pragma unroll
  for (int k = 0; k < Shape::steps; ++k) {
    cells[k] = float4{0, 0, 0, 0};
    if (rows.has(k)) cells[k] = first[rows.from[k]];
  }
#pragma unroll
  for (int k = 0; k < Shape::steps; ++k) {
    cells[k].x += patch.row[k] * a.x;
    cells[k].y += patch.row[k] * a.y;
    cells[k].z += patch.row[k] * b.x;
    cells[k].w += patch.row[k] * b.y;
  }
#pragma unroll
  for (int k = 0; k < Shape::steps; ++k) {
    if (rows.has(k)) first[rows.from[k]] = cells[k];
  }
}

/// A sample on its way from memory. value: for the halves of a quad, of two coils, or one coil's twice. The second coil of
/// the last box may be missing.
template <class Shape>
struct Coming {
  Cell cell;
  Fraction<Shape::dims> fraction;
  float4 value;
  __device__ Coming(BoxesJob const& job, unsigned sample, unsigned index)
      : cell(job.samples.cell[sample]), fraction(job.samples, sample) {
    std::int64_t const coil = static_cast<std::int64_t>(blockIdx.y) * Shape::coils, count = job.samples.count;
    float2 const* const values = job.values + index;
    float2 const a = values[coil * count];
    float2 b = a;
    if constexpr (Shape::coils == 2) b = coil + 1 < job.coils ? values[(coil + 1) * count] : float2{0, 0};
    value = {a.x, a.y, b.x, b.y};
  }
};

/// One warp a block. blockIdx.y: box of the piece.
template <class Shape>
__global__ void __launch_bounds__(32) scatter_kernel(__grid_constant__ BoxesJob const job) {
  extern __shared__ __align__(16) unsigned char scratch[];
  TileGrid const& g = job.tiles;
  constexpr Box box = Shape::box;
  constexpr int stride = Shape::stride, quads = box.quads();
  unsigned const lane = threadIdx.x;
  float4* const quad = reinterpret_cast<float4*>(scratch);
  float4* const value = quad + quads;
  float* const weights = reinterpret_cast<float*>(value + 32);
  Piece const piece = job.pieces[blockIdx.x];
  BinPlace const bin(g, piece.bin);
  BoxRows<Shape> const rows;
  // The next 32 samples are on their way while these are summed, and the places of the 32 after them; lanes beyond the last
  // sample take it again.
  auto const mine = [&](unsigned base) { return min(base + lane, piece.last - 1); };
  auto const index_of = [&](unsigned base) { return job.samples.index[mine(base)]; };
  Coming<Shape> coming(job, mine(piece.first), index_of(piece.first));
  unsigned next_index = index_of(piece.first + 32);
  for (unsigned i = lane; i < quads; i += 32) quad[i] = float4{0, 0, 0, 0};
  for (unsigned base = piece.first; base < piece.last; base += 32) {
    int const count = min(32U, piece.last - base), at = bin.in_box(box, coming.cell);
    __syncwarp();
    value[lane] = coming.value;
    write_box_weights<Shape>(job.kernel, coming.fraction, weights + lane * stride);
    __syncwarp();
    coming = Coming<Shape>(job, mine(base + 32), next_index);
    next_index = index_of(base + 64);
    // The next sample's weights are read before this one's cells are written.
    Patch<Shape> patch(rows, weights, __shfl_sync(kAllLanes, at, 0));
    float4 v = value[0];
    for (int i = 0; i < count; ++i) {
      int const n = min(i + 1, count - 1);
      Patch<Shape> const next(rows, weights + n * stride, __shfl_sync(kAllLanes, at, n));
      float4 const next_v = value[n];
      add_patch(rows, patch, v, quad);
      __syncwarp();
      patch = next;
      v = next_v;
    }
  }
  __syncwarp();
  std::int64_t const slot = static_cast<std::int64_t>(blockIdx.y) * gridDim.x + blockIdx.x;
  float4* const to = reinterpret_cast<float4*>(job.slots) + slot * quads;
  for (unsigned i = lane; i < quads; i += 32) to[i] = quad[i];
}

__device__ void add(float4& to, float4 const& v) {
  to.x += v.x;
  to.y += v.y;
  to.z += v.z;
  to.w += v.w;
}

/// A bin whose boxes reach a tile: its slots, and where the tile's first cell lies in its boxes.
struct Reaching {
  unsigned first, last;
  int x, y, z;
};

/// What one warp finds out about a tile for its block. 3 bins an axis reach a tile at most: tiles hold 8 cells or more,
/// kernels have 7, and only the last tile may be short.
struct TileBins {
  int tile[3], count;
  Reaching bin[32];
};

__device__ int first_in_box(TileGrid const& g, int axis, int tile, int bin) {
  int const at = g.first_cell(axis, tile) - g.first_cell(axis, bin);
  return at < 0 ? at + g.grid[axis] : at;
}

/// For one warp: a lane a bin.
__device__ void find_bins_of(BoxesJob const& job, int tile, TileBins& to) {
  TileGrid const& g = job.tiles;
  int const x = tile % g.tiles[0], y = tile / g.tiles[0] % g.tiles[1], z = tile / (g.tiles[0] * g.tiles[1]);
  BinRun const run_x = bins_reaching(g, 0, x), run_y = bins_reaching(g, 1, y), run_z = bins_reaching(g, 2, z);
  int const count = run_x.count * run_y.count * run_z.count, i = threadIdx.x;
  if (i == 0) {
    to.tile[0] = x;
    to.tile[1] = y;
    to.tile[2] = z;
    to.count = count;
  }
  if (i >= count) return;
  int const bx = (run_x.first + i % run_x.count) % g.tiles[0];
  int const by = (run_y.first + i / run_x.count % run_y.count) % g.tiles[1];
  int const bz = (run_z.first + i / (run_x.count * run_y.count)) % g.tiles[2];
  int const bin = g.index(bx, by, bz);
  to.bin[i] = {job.piece_first[bin], job.piece_first[bin + 1], first_in_box(g, 0, x, bx),
               first_in_box(g, 1, y, by), first_in_box(g, 2, z, bz)};
}

/// A block a tile; a lane a quad of it, so that for one coil half of the lanes take every other box. blockIdx.y: box.
template <int Coils>
__global__ void __launch_bounds__(kJoinLanes) join_kernel(__grid_constant__ BoxesJob const job) {
  constexpr int kQuads = kTileCells * Coils / 2, kGroups = kJoinLanes / kQuads;
  __shared__ float4 sums[kGroups][kGroups > 1 ? kQuads : 1];
  __shared__ TileBins bins;
  TileGrid const& g = job.tiles;
  if (threadIdx.x < 32) find_bins_of(job, static_cast<int>(blockIdx.x), bins);
  Box const box(g.dims, g.width, Coils);
  int const quads = box.quads(), quad = threadIdx.x % kQuads;
  unsigned const group = threadIdx.x / kQuads;
  // A tile has 8 rows and planes of 8 cells in 3D, 16 rows of 32 in 2D.
  bool const flat = g.dims == 2;
  int const across = (flat ? 32 : 8) / box.cells, row = quad / across;
  int const x = quad % across * box.cells, y = flat ? row : row % 8, z = flat ? 0 : row / 8;
  // A box goes round a grid that is smaller than it: then it holds a cell more than once.
  int const box_x = box.row * box.cells;
  bool const round = g.grid[0] < box_x || g.grid[1] < box.y || g.grid[2] < box.z;
  float4 const* const slots = reinterpret_cast<float4 const*>(job.slots) +
                              static_cast<std::int64_t>(blockIdx.y) * job.piece_count * quads;
  float4 sum{0, 0, 0, 0};
  auto const add_slots = [&](int at_x, int at_y, int at_z, unsigned first, unsigned last) {
    float4 const* const from = slots + at_z * box.plane + at_y * box.row + at_x / box.cells;
#pragma unroll 4
    for (unsigned i = first; i < last; i += kGroups) add(sum, from[static_cast<std::int64_t>(i) * quads]);
  };
  __syncthreads();
  unsigned turn = 0;  // boxes so far: they go to the groups in turn
  for (int n = 0; n < bins.count; ++n) {
    Reaching const r = bins.bin[n];
    unsigned const mine = r.first + (group - turn) % kGroups;
    turn += r.last - r.first;
    if (mine >= r.last) continue;
    int const lx = r.x + x, ly = r.y + y, lz = r.z + z;
    if (!round) {
      if (lx < box_x && ly < box.y && lz < box.z) add_slots(lx, ly, lz, mine, r.last);
      continue;
    }
    for (int iz = lz; iz < box.z; iz += g.grid[2]) {
      for (int iy = ly; iy < box.y; iy += g.grid[1]) {
        for (int ix = lx; ix < box_x; ix += g.grid[0]) add_slots(ix, iy, iz, mine, r.last);
      }
    }
  }
  if constexpr (kGroups > 1) {
    sums[group][quad] = sum;
    __syncthreads();
  }
  int const cell_x = g.first_cell(0, bins.tile[0]) + x, cell_y = g.first_cell(1, bins.tile[1]) + y,
            cell_z = g.first_cell(2, bins.tile[2]) + z;
  if (group != 0 || cell_x >= g.grid[0] || cell_y >= g.grid[1] || cell_z >= g.grid[2]) return;
#pragma unroll
  for (int i = 1; i < kGroups; ++i) add(sum, sums[i][quad]);
  std::int64_t const cells = static_cast<std::int64_t>(g.grid[0]) * g.grid[1] * g.grid[2];
  std::int64_t const coil = static_cast<std::int64_t>(blockIdx.y) * Coils;
  float2* const to =
      job.grid + coil * cells + (static_cast<std::int64_t>(cell_z) * g.grid[1] + cell_y) * g.grid[0] + cell_x;
  if constexpr (Coils == 1) {
    *reinterpret_cast<float4*>(to) = sum;
  } else {
    to[0] = {sum.x, sum.y};
    if (coil + 1 < job.coils) to[cells] = {sum.z, sum.w};
  }
}

template <class Shape>
void launch(cudaStream_t stream, BoxesJob const& job) {
  auto const layers = static_cast<unsigned>(box_layers(job.coils));
  if (job.piece_count > 0) {
    constexpr std::size_t scratch = Shape::scratch(1) + 32 * sizeof(float4);
    FINDRHO_CHECK(cudaFuncSetAttribute(scatter_kernel<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                       static_cast<int>(scratch)));
    scatter_kernel<Shape><<<dim3(static_cast<unsigned>(job.piece_count), layers), 32, scratch, stream>>>(job);
    check_launch("scatter");
  }
  join_kernel<Shape::coils>
      <<<dim3(static_cast<unsigned>(job.tiles.count()), layers), kJoinLanes, 0, stream>>>(job);
  check_launch("join");
}

}  // namespace

std::size_t box_elements(TileGrid const& tiles, int coils) {
  Box const box(tiles.dims, tiles.width, std::min(coils, 2));
  return static_cast<std::size_t>(box.quads()) * 2 * static_cast<std::size_t>(box_layers(coils));
}

void scatter(cudaStream_t stream, BoxesJob const& job) {
  with_kernel(job.tiles, [&](auto dims, auto width) {
    if (job.coils == 1) return launch<BoxShape<dims, width, 1>>(stream, job);
    launch<BoxShape<dims, width, 2>>(stream, job);
  });
}

}  // namespace findrho::nufft
