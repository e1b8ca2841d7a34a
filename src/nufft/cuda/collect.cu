// SPDX-License-Identifier: BSD-3-Clause
// Interpolation from boxes: warps copy the cells that the patches of one piece of a bin reach into shared memory and each
// reads the patches of its share of the samples there, four at a time. Against interpolate.cu the cells are fetched once
// for a piece, which pays when it has many samples; pairs of coils share the weights.
#include <cuda_pipeline.h>

#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "nufft/cuda/boxes.hpp"
#include "nufft/cuda/lanes.hpp"

namespace findrho::nufft {
namespace {

constexpr int kTogether = 4;  // samples
/// Warps of a block. On an H200, 284,592 samples, milliseconds a coil with the transforms: one coil anywhere 0.148 with
/// two and 0.159 with four, eight coils 0.143 and 0.130.
template <class Shape>
constexpr int kWarps = Shape::dims == 3 && Shape::coils == 1 ? 2 : 4;

__device__ int wrapped(int cell, int grid) {
  return cell < grid ? cell : cell % grid;
}

/// How a warp copies cells into a box: kX lanes a row, of each coil, and several short rows at once.
template <class Shape>
struct BoxCopy;
template <int Dims, int Width, int Coils>
struct BoxCopy<BoxShape<Dims, Width, Coils>> {
  static constexpr Box box = BoxShape<Dims, Width, Coils>::box;
  static constexpr int kX = Coils == 2 ? 16 : Dims == 3 ? 8 : 32, kY = 32 / (kX * Coils);
  static constexpr int kUsed = Coils == 2 ? box.row - 1 : box.row;  // quads of a row
  /// In 3D a step copies rows of a plane, in 2D a part of a row; a turn is a plane or a row.
  static constexpr int kSteps = Dims == 3 ? (box.y + kY - 1) / kY : (kUsed + kX - 1) / kX;
  static constexpr int kTurns = Dims == 3 ? box.z : box.y;
  static constexpr int kStep = Dims == 3 ? kY * box.row : kX, kTurn = Dims == 3 ? box.plane : box.row;

  int x, y, half;  // of this lane: its quad and row in a step, and its half of the quads
  __device__ BoxCopy()
      : x(threadIdx.x % kX), y(threadIdx.x % 32 / (kX * Coils)), half(threadIdx.x / kX % Coils) {}
  __device__ bool has(int step) const {
    return Dims == 3 ? x < kUsed && step * kY + y < box.y : step * kX + x < kUsed;
  }
  /// Cell of the grid, counted from the turn's first one.
  __device__ unsigned cell(TileGrid const& g, BinPlace const& bin, int step) const {
    int const quad = Dims == 3 ? x : step * kX + x;
    int const cell_x = wrapped(bin.first[0] + quad * box.cells, g.grid[0]);
    int const cell_y = Dims == 3 ? wrapped(bin.first[1] + step * kY + y, g.grid[1]) : 0;
    return static_cast<unsigned>(cell_y) * static_cast<unsigned>(g.grid[0]) + static_cast<unsigned>(cell_x);
  }
  __device__ std::int64_t first_cell(TileGrid const& g, BinPlace const& bin, int turn) const {
    if (Dims == 2) return static_cast<std::int64_t>(wrapped(bin.first[1] + turn, g.grid[1])) * g.grid[0];
    return static_cast<std::int64_t>(wrapped(bin.first[2] + turn, g.grid[2])) * g.grid[1] * g.grid[0];
  }
};

/// Starts to copy the bin's cells and those beyond, round the grid's end, into the box: all copies are on their way
/// together, past the registers. coil: the first of the box; where there is no second one it stands for both.
template <class Shape>
__device__ void start_box(BoxesJob const& job, BinPlace const& bin, int coil, float4* box) {
  using Copy = BoxCopy<Shape>;
  TileGrid const& g = job.tiles;
  Copy const copy;
  unsigned cell[Copy::kSteps];
#pragma unroll
  for (int k = 0; k < Copy::kSteps; ++k) cell[k] = copy.cell(g, bin, k);
  std::int64_t const cells = static_cast<std::int64_t>(g.grid[0]) * g.grid[1] * g.grid[2];
  float2 const* const grid = job.grid + min(coil + copy.half, job.coils - 1) * cells;
  for (int turn = static_cast<int>(threadIdx.x / 32); turn < Copy::kTurns; turn += kWarps<Shape>) {
    float2 const* const from = grid + copy.first_cell(g, bin, turn);
    float4* const to = box + turn * Copy::kTurn + copy.y * Shape::box.row + copy.x;
#pragma unroll
    for (int k = 0; k < Copy::kSteps; ++k) {
      if (!copy.has(k)) continue;
      float2* const quad = reinterpret_cast<float2*>(to + k * Copy::kStep) + copy.half;
      __pipeline_memcpy_async(quad, from + cell[k], 16 / Shape::coils);
    }
  }
  __pipeline_commit();
}

/// A patch's sums over this lane's quads: of both coils, or of one in the first two.
template <class Shape>
__device__ float4 read_patch(BoxRows<Shape> const& rows, Patch<Shape> const& patch, float4 const* box) {
  float4 const* const first = box + patch.quad;
  float4 sum{0, 0, 0, 0};
#pragma unroll
  for (int k = 0; k < Shape::steps; ++k) {
    if (!rows.has(k)) continue;  // others' reads are not to wait for this lane's
    float4 const v = first[rows.from[k]];
    sum.x += patch.row[k] * v.x;
    sum.y += patch.row[k] * v.y;
    sum.z += patch.row[k] * v.z;
    sum.w += patch.row[k] * v.w;
  }
  float4 const weighted{patch.a * sum.x, patch.a * sum.y, patch.b * sum.z, patch.b * sum.w};
  if constexpr (Shape::coils == 1) return {weighted.x + weighted.z, weighted.y + weighted.w, 0, 0};
  return weighted;
}

struct Target {
  BoxesJob const& job;
  float2* values;
  int coil;  // the box' first one
  int add;
};

/// One warp reads the patches of up to 32 samples, whose cells in the box and numbers the lanes hold.
template <class Shape>
__device__ void read_patches(Target const& to, BoxRows<Shape> const& rows, float4 const* box,
                             float const* weights, int at, unsigned index, int count) {
  constexpr int kValues = 2 * Shape::coils;  // of a sample
  for (int i = 0; i < count; i += kTogether) {
    float sum[kValues * kTogether];
#pragma unroll
    for (int j = 0; j < kTogether; ++j) {
      int const n = min(i + j, count - 1);
      Patch<Shape> const patch(weights + n * Shape::stride, __shfl_sync(kAllLanes, at, n));
      float4 const v = read_patch(rows, patch, box);
      sum[kValues * j] = v.x;
      sum[kValues * j + 1] = v.y;
      if constexpr (Shape::coils == 2) {
        sum[kValues * j + 2] = v.z;
        sum[kValues * j + 3] = v.w;
      }
    }
    int const which = sum_over_lanes(sum), n = i + which / kValues, coil = to.coil + which % kValues / 2;
    unsigned const m = __shfl_sync(kAllLanes, index, min(n, count - 1));
    if (threadIdx.x % (32 / (kValues * kTogether)) != 0 || n >= count || coil >= to.job.coils) continue;
    float2* const value = to.values + static_cast<std::int64_t>(coil) * to.job.samples.count + m;
    float& part = which % 2 == 0 ? value->x : value->y;
    part = to.add != 0 ? part + sum[0] : sum[0];
  }
}

/// Blocks that fill a device. Where there are fewer pieces, several blocks share a piece's coils.
constexpr int kBlocks = 2048;
int coils_of_block(BoxesJob const& job) {
  if (job.coils == 1) return 1;
  int const boxes = box_layers(job.coils), most = std::max(1, kBlocks / job.piece_count);
  return 2 * ((boxes + most - 1) / most);
}

/// The weights of up to 32 samples a warp serve all coils; those of longer pieces are computed for each box anew.
/// blockIdx.y: coils, so many of them.
template <class Shape>
__global__ void __launch_bounds__(32 * kWarps<Shape>)
    collect_kernel(__grid_constant__ BoxesJob const job, int coils, float2* values, int add) {
  extern __shared__ __align__(16) unsigned char scratch[];
  constexpr Box box = Shape::box;
  constexpr unsigned warps = kWarps<Shape>;
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4* const quads = reinterpret_cast<float4*>(scratch);
  float* const weights = reinterpret_cast<float*>(quads + box.quads()) + warp * Shape::weights;
  Piece const piece = job.pieces[blockIdx.x];
  BinPlace const bin(job.tiles, piece.bin);
  BoxRows<Shape> const rows;
  unsigned const share = (piece.last - piece.first + warps - 1) / warps;
  unsigned const first = min(piece.last, piece.first + warp * share), last = min(piece.last, first + share);
  int const first_coil = static_cast<int>(blockIdx.y) * coils, end = min(job.coils, first_coil + coils);
  int at = 0;
  unsigned index = 0;
  for (int coil = first_coil; coil < end; coil += Shape::coils) {
    if (coil > first_coil) __syncthreads();  // all have read the box before
    start_box<Shape>(job, bin, coil, quads);
    __pipeline_wait_prior(0);
    __syncthreads();
    for (unsigned base = first; base < last; base += 32) {
      unsigned const count = min(32U, last - base);
      if (coil == first_coil || last - first > 32) {
        __syncwarp();
        if (lane < count) {
          at = bin.in_box(box, job.samples.cell[base + lane]);
          index = job.samples.index[base + lane];
          write_box_weights(Shape{}, job.samples, job.kernel, base + lane, weights + lane * Shape::stride);
        }
        __syncwarp();
      }
      read_patches<Shape>({job, values, coil, add}, rows, quads, weights, at, index, static_cast<int>(count));
    }
  }
}

template <class Shape>
void launch(cudaStream_t stream, BoxesJob const& job, float2* values, int add) {
  if (job.piece_count == 0) return;
  constexpr std::size_t scratch = Shape::scratch(kWarps<Shape>);
  FINDRHO_CHECK(cudaFuncSetAttribute(collect_kernel<Shape>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     static_cast<int>(scratch)));
  int const coils = coils_of_block(job);
  dim3 const blocks(static_cast<unsigned>(job.piece_count),
                    static_cast<unsigned>((job.coils + coils - 1) / coils));
  collect_kernel<Shape><<<blocks, 32 * kWarps<Shape>, scratch, stream>>>(job, coils, values, add);
  check_launch("collect");
}

}  // namespace

void collect(cudaStream_t stream, BoxesJob const& job, float2* values, int add) {
  with_box_shape(job.tiles, job.coils,
                 [&](auto shape) { launch<decltype(shape)>(stream, job, values, add); });
}

}  // namespace findrho::nufft
