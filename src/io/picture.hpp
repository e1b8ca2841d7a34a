// SPDX-License-Identifier: BSD-3-Clause
// One slice as grey pixels: windowed, turned and enlarged. Shared by montage and panel.
#pragma once
#include "findrho/io/montage.hpp"

namespace findrho {

/// How the axes of a slice go to the axes of the screen.
struct Turn {
  bool transpose = false;               // the slice's y runs along the screen's x
  bool flip_x = false, flip_y = false;  // of the screen, after the transposition
};

/// Copies a slice (y, x) into the picture with its top left corner at (left, top), each voxel factor_x x
/// factor_y pixels.
void draw_slice(GreyImage& picture, std::int64_t left, std::int64_t top, View<float const> slice,
                Window const& window, Turn const& turn, std::int64_t factor_x, std::int64_t factor_y);

/// The least integer factor that makes `size` pixels at least `wanted`.
std::int64_t enlargement(std::int64_t size, std::int64_t wanted);

}  // namespace findrho
