// SPDX-License-Identifier: BSD-3-Clause
// Interpolation from boxes: warps copy the cells that the patches of one piece of a bin reach into shared memory and each
// reads the patches of its share of the samples there. Against interpolate.cu the cells are fetched once for a piece,
// which pays when it has many samples. Of several coils, a warp's halves read the boxes of two with the same weights.
#include <cuda_pipeline.h>

#include <algorithm>

#include "backend/cuda/launch.hpp"
#include "nufft/cuda/boxes.hpp"
#include "nufft/cuda/lanes.hpp"

namespace findrho::nufft {
namespace {

/// Samples whose cells a warp reads at once; fewer where a patch has many for each lane.
template <class Shape>
constexpr int kTogether = Shape::steps > 8 ? 2 : 4;
/// Warps of a block. On an H200, 284,592 samples, milliseconds a coil with the transforms: one coil 0.148 with two and
/// 0.159 with four, eight coils 0.105 with four and 0.108 with six.
template <class Shape>
constexpr int kWarps = Shape::dims == 3 && Shape::boxes == 1 ? 2 : 4;

__device__ int wrapped(int cell, int grid) {
  return cell < grid ? cell : cell % grid;
}

/// How a warp copies cells into its boxes: kX lanes a row, and several short rows of each box at once.
template <class Shape>
struct BoxCopy {
  static constexpr Box box = Shape::box;
  static constexpr bool kVolume = Shape::dims == 3;
  static constexpr int kX = kVolume ? 8 : Shape::lanes, kY = Shape::lanes / kX;
  /// In 3D a step copies rows of a plane, in 2D a part of a row; a turn is a plane or a row.
  static constexpr int kSteps = kVolume ? (box.y + kY - 1) / kY : (box.row + kX - 1) / kX;
  static constexpr int kTurns = kVolume ? box.z : box.y;
  static constexpr int kStep = kVolume ? kY * box.row : kX, kTurn = kVolume ? box.plane : box.row;

  int x, y;  // of this lane: its quad and row in a step
  __device__ BoxCopy() : x(threadIdx.x % kX), y(threadIdx.x / kX % kY) {}
  __device__ bool has(int step) const {
    return kVolume ? x < box.row && step * kY + y < box.y : step * kX + x < box.row;
  }
  /// Cell of the grid, counted from the turn's first one.
  __device__ unsigned cell(TileGrid const& g, BinPlace const& bin, int step) const {
    int const quad = kVolume ? x : step * kX + x;
    int const cell_x = wrapped(bin.first[0] + quad * box.cells, g.grid[0]);
    int const cell_y = kVolume ? wrapped(bin.first[1] + step * kY + y, g.grid[1]) : 0;
    return static_cast<unsigned>(cell_y) * static_cast<unsigned>(g.grid[0]) + static_cast<unsigned>(cell_x);
  }
  __device__ std::int64_t first_cell(TileGrid const& g, BinPlace const& bin, int turn) const {
    if (!kVolume) return static_cast<std::int64_t>(wrapped(bin.first[1] + turn, g.grid[1])) * g.grid[0];
    return static_cast<std::int64_t>(wrapped(bin.first[2] + turn, g.grid[2])) * g.grid[1] * g.grid[0];
  }
};

/// Which of the warp's boxes is this lane's.
template <class Shape>
__device__ int box_of_lane() {
  return static_cast<int>(threadIdx.x) % 32 / Shape::lanes;
}

/// Starts to copy the bin's cells and those beyond, round the grid's end, into the boxes: all copies are on their way
/// together, past the registers. coil: the first of the boxes; where there is no second one it stands for both.
template <class Shape>
__device__ void start_boxes(BoxesJob const& job, BinPlace const& bin, int coil, float4* boxes) {
  using Copy = BoxCopy<Shape>;
  TileGrid const& g = job.tiles;
  Copy const copy;
  unsigned cell[Copy::kSteps];
#pragma unroll
  for (int k = 0; k < Copy::kSteps; ++k) cell[k] = copy.cell(g, bin, k);
  std::int64_t const cells = static_cast<std::int64_t>(g.grid[0]) * g.grid[1] * g.grid[2];
  float2 const* const grid = job.grid + min(coil + box_of_lane<Shape>(), job.coils - 1) * cells;
  float4* const box = boxes + box_of_lane<Shape>() * Shape::box.quads() + copy.y * Shape::box.row + copy.x;
  for (int turn = static_cast<int>(threadIdx.x / 32); turn < Copy::kTurns; turn += kWarps<Shape>) {
    float2 const* const from = grid + copy.first_cell(g, bin, turn);
    float4* const to = box + turn * Copy::kTurn;
#pragma unroll
    for (int k = 0; k < Copy::kSteps; ++k) {
      if (copy.has(k)) __pipeline_memcpy_async(to + k * Copy::kStep, from + cell[k], sizeof(float4));
    }
  }
  __pipeline_commit();
}

/// A patch's sums over this lane's quads.
template <class Shape>
__device__ float2 read_patch(BoxRows<Shape> const& rows, Patch<Shape> const& patch, float4 const* box) {
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
  return {patch.a * sum.x + patch.b * sum.z, patch.a * sum.y + patch.b * sum.w};
}

struct Target {
  BoxesJob const& job;
  float2* values;
  int coil;  // the boxes' first one
  int add;
};

/// One warp reads the patches of up to 32 samples, whose cells in a box and numbers the lanes hold.
template <class Shape>
__device__ void read_patches(Target const& to, BoxRows<Shape> const& rows, float4 const* boxes,
                             float const* weights, int at, unsigned index, int count) {
  constexpr int together = kTogether<Shape>, sharing = Shape::lanes / (2 * together);  // lanes with one sum
  float4 const* const box = boxes + box_of_lane<Shape>() * Shape::box.quads();
  int const coil = to.coil + box_of_lane<Shape>();
  for (int i = 0; i < count; i += together) {
    float sum[2 * together];
#pragma unroll
    for (int j = 0; j < together; ++j) {
      int const n = min(i + j, count - 1);
      Patch<Shape> const patch(rows, weights + n * Shape::stride, __shfl_sync(kAllLanes, at, n));
      float2 const v = read_patch(rows, patch, box);
      sum[2 * j] = v.x;
      sum[2 * j + 1] = v.y;
    }
    int const which = sum_over_lanes<Shape::lanes>(sum), n = i + which / 2;
    unsigned const m = __shfl_sync(kAllLanes, index, min(n, count - 1));
    if (threadIdx.x % sharing != 0 || n >= count || coil >= to.job.coils) continue;
    float2* const value = to.values + static_cast<std::int64_t>(coil) * to.job.samples.count + m;
    float& part = which % 2 == 0 ? value->x : value->y;
    part = to.add != 0 ? part + sum[0] : sum[0];
  }
}

/// Blocks that fill a device. Where there are fewer pieces, several blocks share a piece's coils.
constexpr int kBlocks = 2048;
int coils_of_block(BoxesJob const& job) {
  if (job.coils == 1) return 1;
  int const pairs = box_layers(job.coils), most = std::max(1, kBlocks / job.piece_count);
  return 2 * ((pairs + most - 1) / most);
}

/// The weights of a sample serve all coils: of several, a warp's share of a piece is 32 samples at most.
/// blockIdx.y: coils, so many of them.
template <class Shape>
__global__ void __launch_bounds__(32 * kWarps<Shape>)
    collect_kernel(__grid_constant__ BoxesJob const job, int coils, float2* values, int add) {
  extern __shared__ __align__(16) unsigned char scratch[];
  constexpr Box box = Shape::box;
  constexpr unsigned warps = kWarps<Shape>;
  static_assert(Shape::boxes == 1 || 32 * warps >= kLongestReading);
  unsigned const lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float4* const boxes = reinterpret_cast<float4*>(scratch);
  float* const weights = reinterpret_cast<float*>(boxes + Shape::boxes * box.quads()) + warp * Shape::weights;
  Piece const piece = job.pieces[blockIdx.x];
  BinPlace const bin(job.tiles, piece.bin);
  BoxRows<Shape> const rows;
  unsigned const share = (piece.last - piece.first + warps - 1) / warps;
  unsigned const first = min(piece.last, piece.first + warp * share), last = min(piece.last, first + share);
  int const first_coil = static_cast<int>(blockIdx.y) * coils, end = min(job.coils, first_coil + coils);
  int at = 0;
  unsigned index = 0;
  for (int coil = first_coil; coil < end; coil += Shape::boxes) {
    if (coil > first_coil) __syncthreads();  // all have read the boxes before
    start_boxes<Shape>(job, bin, coil, boxes);
    __pipeline_wait_prior(0);
    __syncthreads();
    for (unsigned base = first; base < last; base += 32) {
      unsigned const count = min(32U, last - base);
      if (coil == first_coil) {
        __syncwarp();
        if (lane < count) {
          at = bin.in_box(box, job.samples.cell[base + lane]);
          index = job.samples.index[base + lane];
          write_box_weights<Shape>(job.kernel, Fraction<Shape::dims>(job.samples, base + lane),
                                   weights + lane * Shape::stride);
        }
        __syncwarp();
      }
      read_patches<Shape>({job, values, coil, add}, rows, boxes, weights, at, index, static_cast<int>(count));
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
  with_kernel(job.tiles, [&](auto dims, auto width) {
    if (job.coils == 1) return launch<BoxShape<dims, width, 1>>(stream, job, values, add);
    launch<BoxShape<dims, width, 1, 16>>(stream, job, values, add);
  });
}

}  // namespace findrho::nufft
