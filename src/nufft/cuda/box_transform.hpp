// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: the passes between image and grid (box_passes.hpp) as kernels, for volumes in single precision whose
// grid has lengths with passes.
#pragma once
#include <memory>

#include "backend/cuda/session.hpp"
#include "nufft/cuda/box_passes.hpp"
#include "nufft/cuda/moves.hpp"

namespace findrho::nufft {

class BoxTransform {
 public:
  static bool fits(TileGrid const& tiles);
  /// The session keeps it for the next plan of this grid.
  static std::shared_ptr<BoxTransform> of(Session& session, TileGrid const& tiles);
  BoxTransform(Session& session, TileGrid const& tiles);
  /// Image to the grid's frequencies, grid to image: coils in groups whose grids stay in the L2 cache.
  void to_grid(BoxJob<float> const& job) const;
  void to_image(BoxJob<float> const& job) const;

 private:
  template <class F>
  void each_group(BoxJob<float> const& job, F const& f) const;

  Session& session_;
  int together_;
  Buffer<device::Complex<float>> roots_[3];
};

void launch_rows_to_grid(cudaStream_t stream, int length, BoxTransformJob<float> const& job);
void launch_rows_to_image(cudaStream_t stream, int length, BoxTransformJob<float> const& job);
void launch_columns_to_grid(cudaStream_t stream, int length, ColumnsJob<float> const& job);
void launch_columns_to_image(cudaStream_t stream, int length, ColumnsJob<float> const& job);

}  // namespace findrho::nufft
