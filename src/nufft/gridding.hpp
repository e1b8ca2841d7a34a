// SPDX-License-Identifier: BSD-3-Clause
// Samples sorted by tile and the moves between them and an oversampled k-space grid (private header).
// The grid carries margins that hold its periodic continuation, so that the inner loops never wrap.
// docs/design/cpu.md.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <vector>

#include "findrho/backend/fft.hpp"
#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "nufft/kernel.hpp"
#include "nufft/patch.hpp"
#include "nufft/places.hpp"

namespace findrho::nufft {

/// Extents of a grid with its margins, per axis.
struct Layout {
  int dims, width;
  std::array<std::int64_t, 3> grid, low, extent, tile, tiles;
  Layout(Matrix const& grid_, int dims_, int width_);
  std::int64_t cells() const { return extent[0] * extent[1] * extent[2]; }
  std::int64_t row() const { return extent[0]; }
  std::int64_t plane() const { return extent[0] * extent[1]; }
  std::int64_t origin() const { return low[0] + row() * low[1] + plane() * low[2]; }
  std::int64_t tile_count() const { return tiles[0] * tiles[1] * tiles[2]; }
};

template <class T>
class Gridding {
 public:
  using C = std::complex<T>;
  /// Errors  bad_option for a trajectory that is not finite, out_of_memory
  Gridding(Context const& context, Trajectory const& trajectory, Matrix const& matrix, Design const& design);

  Layout const& layout() const { return layout_; }
  PiecewiseKernel const& kernel() const { return kernel_; }
  std::int64_t samples() const { return samples_; }

  /// The grid without its margins.
  GridView<T> view(C* memory, int coils) const {
    return {memory + layout_.origin() * coils, layout_.row(), layout_.plane(), coils};
  }

  /// memory = sum over samples of patch * sample, margins not yet folded in. memory: layout().cells() * coils
  /// elements. samples: `used` coils, samples() apart, in the trajectory's order.
  void spread(Context const& context, C const* samples, int used, C* memory, int coils) const;
  /// samples = sum over the patch of weight * memory, whose margins must have been filled.
  void interpolate(Context const& context, C const* memory, int coils, C* samples, int used,
                   Write write) const;

  /// Adds everything in the margins that is a periodic image of plane z to that plane. For each z once, in
  /// any order.
  void fold_plane(C* memory, int coils, std::int64_t z) const;
  /// Fills the margins of plane z along x and y.
  void fill_plane(C* memory, int coils, std::int64_t z) const;
  /// Fills the margin planes along z, once all planes are filled.
  void fill_margin_planes(Context const& context, C* memory, int coils) const;

  std::int64_t bytes() const { return bytes(samples_, layout_); }
  static std::int64_t bytes(std::int64_t samples, Layout const& layout);

 private:
  struct Task {
    std::int64_t first, last;
  };
  void sort(Context const& context, Trajectory const& trajectory, Matrix const& matrix);
  std::array<PlaceAxis, 3> place_axes(Trajectory const& trajectory, Matrix const& matrix) const;
  void reserve_sorted();
  void colour(std::vector<std::int64_t> const& first_of_tile);
  PatchJob<T> job(C* memory, int coils, int used) const;

  std::int64_t samples_;
  PiecewiseKernel kernel_;
  Layout layout_;
  std::vector<T> cell_polynomial_;
  std::array<Array<T>, 3> row_polynomial_;  // for 1, 2 and 4 coils
  // Not cleared: the threads that fill them touch them first.
  std::unique_ptr<SortedSample[]> sorted_;
  std::unique_ptr<T[]> fraction_;             // [sample][axis]
  std::array<std::vector<Task>, 4> colours_;  // tasks that share no cell, largest first
};

}  // namespace findrho::nufft
