// SPDX-License-Identifier: BSD-3-Clause
#include "io/picture.hpp"

#include <algorithm>
#include <cmath>

namespace findrho {
namespace {

std::uint8_t grey(float value, Window const& window) {
  double const t = (static_cast<double>(value) - window.low) / (window.high - window.low);
  return std::isfinite(t) ? static_cast<std::uint8_t>(std::lround(255 * std::clamp(t, 0.0, 1.0)))
                          : std::uint8_t{0};
}

}  // namespace

Window percentile_window(std::vector<View<float const>> const& images, double percentile) {
  std::vector<float> values;
  for (View<float const> const& image : images) {
    std::copy_if(image.begin(), image.end(), std::back_inserter(values),
                 [](float v) { return std::isfinite(v); });
  }
  if (values.empty()) return {};
  auto const [least, largest] = std::minmax_element(values.begin(), values.end());
  Window window{std::min(0.0F, *least), *largest};
  auto const rank = static_cast<std::ptrdiff_t>(std::clamp(percentile, 0.0, 100.0) / 100 *
                                                static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + rank, values.end());
  if (double const white = values[static_cast<std::size_t>(rank)]; white > window.low) window.high = white;
  if (!(window.high > window.low)) window.high = window.low + 1;
  return window;
}

void draw_slice(GreyImage& picture, std::int64_t left, std::int64_t top, View<float const> slice,
                Window const& window, Turn const& turn, std::int64_t factor_x, std::int64_t factor_y) {
  std::int64_t const nx = slice.shape.extent(Axis::x), ny = slice.shape.extent(Axis::y);
  std::int64_t const width = turn.transpose ? ny : nx, height = turn.transpose ? nx : ny;
  for (std::int64_t y = 0; y < height * factor_y; ++y) {
    for (std::int64_t x = 0; x < width * factor_x; ++x) {
      std::int64_t const u = turn.flip_x ? width - 1 - x / factor_x : x / factor_x;
      std::int64_t const v = turn.flip_y ? height - 1 - y / factor_y : y / factor_y;
      picture.at(left + x, top + y) = grey(turn.transpose ? slice[u * nx + v] : slice[v * nx + u], window);
    }
  }
}

std::int64_t enlargement(std::int64_t size, std::int64_t wanted) {
  return std::max<std::int64_t>(1, (wanted + size - 1) / size);
}

}  // namespace findrho
