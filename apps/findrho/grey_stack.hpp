// SPDX-License-Identifier: BSD-3-Clause
// Pictures one below the other.
#pragma once
#include <algorithm>
#include <vector>

#include "findrho/io/png.hpp"

namespace findrho {

/// As wide as the widest; ground: of what is left beside narrower ones.
inline GreyImage stacked(std::vector<GreyImage> const& parts, std::uint8_t ground) {
  std::int64_t width = 0, height = 0;
  for (GreyImage const& part : parts) {
    width = std::max(width, part.width);
    height += part.height;
  }
  GreyImage image(width, height, ground);
  std::int64_t top = 0;
  for (GreyImage const& part : parts) {
    for (std::int64_t y = 0; y < part.height; ++y) {
      for (std::int64_t x = 0; x < part.width; ++x) image.at(x, top + y) = part.at(x, y);
    }
    top += part.height;
  }
  return image;
}

}  // namespace findrho
