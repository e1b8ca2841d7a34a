// SPDX-License-Identifier: BSD-3-Clause
// Printable ASCII as 5 x 9 pixels, for the captions of pictures.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "findrho/io/png.hpp"

namespace findrho {

constexpr std::int64_t kTextAdvance = 6,
                       kLineAdvance = 11;  // pixels from one character, one line, to the next

/// White, each font pixel scale x scale; what would fall outside the image is cut off. Other characters show
/// as '?'.
void draw_text(GreyImage& image, std::int64_t left, std::int64_t top, std::string_view text,
               std::int64_t scale);

/// Lines of at most `columns` characters, broken at spaces where there are any.
std::vector<std::string> wrap_text(std::string const& text, std::int64_t columns);

}  // namespace findrho
