// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of gridding: samples <-> patches of width^dims grid cells (private header).
// docs/design/cpu.md.
#pragma once
#include <complex>
#include <cstdint>

#include "findrho/core/array.hpp"

namespace findrho::nufft {

inline constexpr int kBatch = 16;    // samples whose weights are computed together
inline constexpr int kMaxCoils = 8;  // coils side by side in the grid: 1, 2, 4 or 8
inline constexpr int kRowPad = 8;    // cells that a row of a patch may reach beyond its width, at weight zero
inline constexpr int kMaxRow = 256;  // scalars of a row: 2 x kMaxCoils x kMaxWidth

struct SortedSample {
  std::uint32_t cell;    // first cell of the patch, counted from the grid's memory
  std::uint32_t sample;  // its number in the caller's order
};

/// Sorted samples [first, last) against a grid. Arrays of sorted samples may be read up to kBatch beyond
/// their end.
template <class T>
struct PatchJob {
  std::int64_t first = 0, last = 0;
  SortedSample const* at = nullptr;
  T const* fraction = nullptr;  // s of kernel.hpp, [sample][axis]
  int dims = 2, width = 2, degree = 1;
  T const* cell_polynomial = nullptr;  // [cell][degree + 1], highest power first
  T const* row_polynomial = nullptr;   // [degree + 1][kMaxRow]: the same, repeated for each scalar of a row
  std::complex<T>* grid = nullptr;
  std::int64_t row = 0, plane = 0;  // cells from y to y + 1 and from z to z + 1
  int coils = 1;                    // of the grid
  int used_coils = 1;               // of the samples; the rest count as zero
  std::int64_t sample_stride = 0;   // from coil to coil of the samples
};

/// grid[patch] += weights * samples
template <class T>
void spread(PatchJob<T> const& job, std::complex<T> const* samples);
/// samples = (or +=) sum of weights * grid[patch]
template <class T>
void interpolate(PatchJob<T> const& job, std::complex<T>* samples, Write write);

}  // namespace findrho::nufft
