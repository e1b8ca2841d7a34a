// SPDX-License-Identifier: BSD-3-Clause
// Frames to volumes: the slices of a 2D scan are stacked along z, everything else becomes a volume of its own.
#pragma once
#include <vector>

#include "findrho/core/scan.hpp"

namespace findrho {

struct StackPlan {
  Matrix matrix;                    // of one volume
  Geometry geometry;                // of the stack
  std::vector<FrameIndex> volumes;  // index of each volume, its first slice's
  struct Place {
    std::int64_t volume, z;
  };
  std::vector<Place> places;  // where each frame of the dataset goes
};

/// Slices are stacked when every volume has the same slice numbers; otherwise each frame is a volume.
StackPlan plan_stack(Dataset const& dataset);

}  // namespace findrho
