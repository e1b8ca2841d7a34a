// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: what the kernels of the separable rungs share. Read docs/math/separable.md first.
// Samples come in chunks. Of each chunk there is one block of numbers per tile of a, of b and of c, so that a kernel
// copies whole blocks: the left factor is multiplied together inside it and never stored. Coils share all tables but
// those of mu; each has rows of its own, so that the product of several is taller.
#pragma once
#include <cuda_fp16.h>

#include "dft/cuda/rung_launch.hpp"
#include "dft/separable_plan.hpp"

namespace findrho::ladder {

inline constexpr int kTileA = 4, kTileB = 8;           // slots of a block
inline constexpr int kTileRows = kTileA * kTileB * 8;  // [a][b][comp][p][q]
inline constexpr int kTileColumns = 128;               // [slot of c][cosine, sine]
inline constexpr int kGroup = 16;                      // samples that lie side by side in the tables
inline constexpr float kRightScale = 1024;             // of the split right factor: its low parts stay normal

/// How a rung keeps its right factor.
enum class RightKind { fp32, tf32, fp16, split };

__host__ __device__ constexpr int chunk_samples(RightKind kind) {
  return kind == RightKind::fp16 || kind == RightKind::split ? 64 : 32;
}
__host__ __device__ constexpr int right_bytes(RightKind kind) {
  return kind == RightKind::split ? 32768 : 16384;  // of a chunk and a tile of columns
}
/// Floats of a chunk: [slot of the tile][group][cosine, sine][sample]; mu: [group][re, im][sample].
__host__ __device__ constexpr int left_floats(int slots, int chunk) {
  return slots * 2 * chunk;
}

/// The sizes of a launch.
struct SeparableShape {
  int chunk;   // samples
  int chunks;  // of this batch of samples
  int tiles_a, tiles_b, tiles_c;
  int coils;
  __host__ __device__ int row_tiles() const { return tiles_a * tiles_b; }  // of a coil
  __host__ __device__ std::int64_t coil_rows() const { return std::int64_t{row_tiles()} * kTileRows; }
  __host__ __device__ std::int64_t rows() const { return coils * coil_rows(); }
  __host__ __device__ std::int64_t columns() const { return std::int64_t{tiles_c} * kTileColumns; }
};

/// Which tables a block's row tile belongs to; row tiles are counted through all coils.
struct RowTile {
  int coil, a, b;
  __device__ RowTile(SeparableShape const& shape, int tile)
      : coil(tile / shape.row_tiles()),
        a(tile % shape.row_tiles() / shape.tiles_b),
        b(tile % shape.row_tiles() % shape.tiles_b) {}
};

/// Blocks of numbers in device memory, one after the other by chunk, then by tile.
struct SeparableTables {
  unsigned char const* right;  // [chunk][tile of c]
  float const *a, *b;          // [chunk][tile]
  float const* mu;             // [coil][chunk]
};

/// A factor as the device needs it.
struct DeviceFactor {
  double step, first_offset;
  float const* k;
  int slots, tiles;
};

void make_tables(Session& session, RightKind kind, SeparableShape const& shape, DeviceFactor const& a,
                 DeviceFactor const& b, DeviceFactor const& c, std::int64_t samples, unsigned char* right,
                 float* table_a, float* table_b);

/// mu exp(i 2 pi k.centre), times a power of two that brings the largest to 2^12 (1 for floats): `largest` holds its
/// bits and is found first.
struct CentredMu {
  float const *k[3], *re, *im;
  double centre[3];
  std::int64_t samples;
};
void find_largest(Session& session, float const* re, float const* im, std::int64_t count, unsigned* largest);
void centre_mu(Session& session, CentredMu const& mu, unsigned const* largest, SeparableShape const& shape,
               float* to);

/// sums[split][row][column] += left x right, by the blocks of one batch. Sum is float or double.
struct GatherLaunch {
  SeparableShape shape;
  SeparableTables tables;
  int splits;          // parts of the chunks, summed apart
  int chunks_a_flush;  // after so many the sums in registers go to memory
};
template <class Sum>
void launch_gather_tensor(Session& session, CudaRungFigures& figures, RightKind kind,
                          GatherLaunch const& launch, Sum* sums);
void launch_gather_fp32(Session& session, CudaRungFigures& figures, GatherLaunch const& launch, double* sums);
void describe_separable(Session& session, CudaRungFigures& figures, void const* kernel, int threads,
                        std::size_t shared, std::int64_t blocks);

/// The plan's numbers for kernels, and from a coil's sums to its voxels.
struct DevicePlan {
  GridAxis a, b, c;
  long long stride_a, stride_b, stride_c, row;  // as in SeparablePlan
};
template <class Sum>
void write_voxels(Session& session, DevicePlan const& plan, SeparableShape const& shape, int splits,
                  Sum const* sums, unsigned const* largest, float right_scale, std::int64_t voxels, float* re,
                  float* im);

// F rho: samples times rows, 128 deep (a tile of c), then the left factor times the product, added over rows.
// Rows of a tile: [2 slots of a][8 of b][p][q][comp].
inline constexpr int kForwardA = 2, kForwardRows = 128;
/// Samples of a block; with two parts a number, or 32 bits, half as many fit.
__host__ __device__ constexpr int forward_samples(RightKind kind) {
  return kind == RightKind::fp16 ? 256 : 128;
}
/// Bytes of so many samples or rows, 128 deep.
__host__ __device__ constexpr int forward_bytes(RightKind kind, int rows) {
  return rows * kTileColumns * (kind == RightKind::fp16 ? 2 : 4);
}

struct ForwardShape {
  int sample_blocks, tiles_a, tiles_b, tiles_c;
  int coils;
  int splits;  // parts of a coil's row tiles, summed apart
  int padded;  // samples, in whole blocks
  __host__ __device__ int row_tiles() const { return tiles_a * tiles_b; }  // of a coil
  __host__ __device__ int parts() const { return tiles_c * splits; }       // of a coil
  std::size_t row_bytes(RightKind kind) const {                            // of a coil
    return static_cast<std::size_t>(tiles_c) * row_tiles() * forward_bytes(kind, kForwardRows);
  }
};

/// Which rows a block multiplies, by its blockIdx.z, and where its partial sums go.
struct ForwardRows {
  int coil, first, end, part;
  __device__ ForwardRows(ForwardShape const& shape, int tile_c, int z) {
    int const split = z % shape.splits;
    coil = z / shape.splits;
    first = static_cast<int>(static_cast<long long>(shape.row_tiles()) * split / shape.splits);
    end = static_cast<int>(static_cast<long long>(shape.row_tiles()) * (split + 1) / shape.splits);
    part = (coil * shape.tiles_c + tile_c) * shape.splits + split;
  }
  /// Row tiles before the first one of this coil and tile of c.
  __device__ long long before(ForwardShape const& shape, int tile_c) const {
    return (static_cast<long long>(coil) * shape.tiles_c + tile_c) * shape.row_tiles();
  }
};
struct ForwardTables {
  unsigned char const* phases;  // [sample block][tile of c]
  unsigned char const* rows;    // [coil][tile of c][row tile]
  float const *a, *b;           // [slot][cosine, sine][sample]
};
struct GridValues {
  float const *re, *im;
  long long count;  // the rest of the grid is 0
};

void make_forward_tables(Session& session, RightKind kind, ForwardShape const& shape, DeviceFactor const& a,
                         DeviceFactor const& b, DeviceFactor const& c, std::int64_t samples,
                         unsigned char* phases, float* table_a, float* table_b);
/// A coil's values on the grid as what multiplies cosines and sines.
void fold_voxels(Session& session, RightKind kind, DevicePlan const& plan, ForwardShape const& shape,
                 GridValues const& values, unsigned const* largest, unsigned char* rows);
/// partial[coil][part][sample]
void launch_forward_tensor(Session& session, CudaRungFigures& figures, RightKind kind,
                           ForwardShape const& shape, ForwardTables const& tables, double2* partial);
void launch_forward_fp32(Session& session, CudaRungFigures& figures, ForwardShape const& shape,
                         ForwardTables const& tables, double2* partial);
/// Of a coil: out = the parts' sum times exp(i 2 pi k.centre), scales taken back.
struct ForwardResult {
  float const* k[3];
  double centre[3];
  std::int64_t samples;
  float right_scale;
  float *re, *im;
};
void finish_forward(Session& session, ForwardResult const& result, ForwardShape const& shape,
                    unsigned const* largest, double2 const* partial);

/// By what the kernels multiply the largest |mu|: a power of two.
__host__ __device__ inline float mu_scale(unsigned largest_bits) {
  if (largest_bits == 0) return 1;
  int const exponent = static_cast<int>(largest_bits >> 23) - 127;
  int const wanted = 12 - exponent;
  int const clamped = wanted > 126 ? 126 : wanted < -126 ? -126 : wanted;
  union {
    unsigned bits;
    float value;
  } power{static_cast<unsigned>(clamped + 127) << 23};
  return power.value;
}

}  // namespace findrho::ladder
