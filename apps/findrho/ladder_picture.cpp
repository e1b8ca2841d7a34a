// SPDX-License-Identifier: BSD-3-Clause
// The ladder as a picture: one bar a rung on a logarithmic scale, the share of the device's ceiling in grey.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/io/png.hpp"
#include "io/font.hpp"
#include "ladder_table.hpp"

namespace findrho {
namespace {

constexpr std::int64_t kScale = 2, kRow = 30, kLeft = 340, kPlot = 640, kRight = 170, kTop = 60;

void fill(GreyImage& image, std::int64_t x0, std::int64_t y0, std::int64_t width, std::int64_t height,
          std::uint8_t grey) {
  for (std::int64_t y = std::max<std::int64_t>(y0, 0); y < std::min(y0 + height, image.height); ++y) {
    for (std::int64_t x = std::max<std::int64_t>(x0, 0); x < std::min(x0 + width, image.width); ++x) {
      image.at(x, y) = grey;
    }
  }
}

/// Decades that hold all values.
struct Scale {
  double first, last;
  std::int64_t at(double value) const {
    double const part = (std::log10(value) - first) / (last - first);
    return static_cast<std::int64_t>(std::clamp(part, 0.0, 1.0) * kPlot);
  }
};

}  // namespace

void write_ladder_picture(std::string const& path, LadderReport const& report) {
  std::vector<RungTiming> rows;
  for (RungTiming const& row : report.rows) {
    if (row.rung != Rung::mu) rows.push_back(row);
  }
  Scale scale{18, 0};
  for (RungTiming const& row : rows) {
    auto const roof = limit_of(row, report);
    scale.first = std::min(scale.first, std::floor(std::log10(row.pairs_per_second)));
    scale.last =
        std::max(scale.last, std::ceil(std::log10(roof ? roof->pairs_per_second : row.pairs_per_second)));
  }
  auto const count = static_cast<std::int64_t>(rows.size());
  GreyImage image(kLeft + kPlot + kRight, kTop + kRow * count + 60);
  draw_text(image, 10, 8, report.title, kScale);
  draw_text(image, 10, 32, "pairs per second; dim: what the units allow; *: timed on a slice", kScale);
  for (double decade = scale.first; decade <= scale.last; ++decade) {
    std::int64_t const x = kLeft + scale.at(std::pow(10, decade));
    fill(image, x, kTop, 1, kRow * count, 60);
    draw_text(image, x - 18, kTop + kRow * count + 10, fmt::format("1e{:.0f}", decade), kScale);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    RungTiming const& row = rows[static_cast<std::size_t>(i)];
    std::int64_t const y = kTop + i * kRow;
    draw_text(image, 10, y + 6, fmt::format("{} {}", row.cuda ? "GPU" : "CPU", facts(row.rung).name), kScale);
    std::int64_t const bar = scale.at(row.pairs_per_second);
    if (auto const roof = limit_of(row, report)) {
      fill(image, kLeft, y + 4, scale.at(roof->pairs_per_second), kRow - 8, 70);
    }
    fill(image, kLeft, y + 4, bar, kRow - 8, 200);
    draw_text(image, kLeft + kPlot + 8, y + 6,
              rate_text(row.pairs_per_second) + (row.extrapolated ? "*" : ""), kScale);
  }
  write_png(path, image);
}

}  // namespace findrho
