// SPDX-License-Identifier: BSD-3-Clause
// Grey PNG images: written with 8 bits, read with 8 or 16.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"

namespace findrho {

/// Row 0 is at the top; 0 black, 255 white.
struct GreyImage {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> pixels;
  GreyImage() = default;
  GreyImage(std::int64_t width_, std::int64_t height_, std::uint8_t value = 0)
      : width(width_), height(height_), pixels(static_cast<std::size_t>(width_ * height_), value) {}
  std::uint8_t& at(std::int64_t x, std::int64_t y) { return pixels[static_cast<std::size_t>(y * width + x)]; }
  std::uint8_t at(std::int64_t x, std::int64_t y) const {
    return pixels[static_cast<std::size_t>(y * width + x)];
  }
};

/// Errors  cannot_write
void write_png(std::string const& path, GreyImage const& image);

/// Grey values as stored, 0 to 1 (255 or 65535 is 1); colour becomes its luma (Rec. 601); transparency is
/// ignored.
/// Shapes  result (y, x), row 0 at the top
/// Errors  bad_file
Array<float> read_png(std::string const& path);

}  // namespace findrho
