// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>

#include "findrho/core/error.hpp"
#include "findrho/io/montage.hpp"
#include "io/font.hpp"
#include "io/picture.hpp"

namespace findrho {
namespace {

constexpr std::int64_t kGap = 8;        // pixels between images and around text
constexpr std::int64_t kTextScale = 2;  // 5 x 9 font pixels become 10 x 18

struct Cell {
  View<float const> image;  // (y, x)
  std::int64_t factor = 1, width = 0, height = 0;
  std::vector<std::string> lines;
};

Cell make_cell(PanelImage const& panel, std::int64_t least_width) {
  Shape const& shape = panel.image.shape;
  Shape const plane{{Axis::y, shape.extent(Axis::y)}, {Axis::x, shape.extent(Axis::x)}};
  if (plane.size() != shape.size() || plane.size() == 0) {
    throw Error(ErrorKind::bad_shape, "a panel needs images (y, x), got (" + shape.str() + ")");
  }
  std::int64_t const factor = enlargement(plane.extent(Axis::x), least_width);
  std::int64_t const width = plane.extent(Axis::x) * factor;
  return {{panel.image.data, plane},
          factor,
          width,
          plane.extent(Axis::y) * factor,
          wrap_text(panel.caption, width / (kTextAdvance * kTextScale))};
}

}  // namespace

GreyImage make_panel(std::vector<PanelImage> const& images, PanelOptions const& options) {
  if (images.empty()) throw Error(ErrorKind::bad_shape, "a panel of no images");
  std::vector<Cell> cells;
  std::vector<View<float const>> views;
  std::int64_t width = 0, height = 0, lines = 0;  // of the largest cell
  for (PanelImage const& image : images) {
    Cell const& cell = cells.emplace_back(make_cell(image, options.least_width));
    views.push_back(cell.image);
    width = std::max(width, cell.width);
    height = std::max(height, cell.height);
    lines = std::max(lines, static_cast<std::int64_t>(cell.lines.size()));
  }
  auto const count = static_cast<std::int64_t>(cells.size());
  std::int64_t const columns = options.columns > 0 ? std::min(options.columns, count) : count;
  std::int64_t const rows = (count + columns - 1) / columns;
  std::int64_t const row_height = kGap + height + kGap + lines * kLineAdvance * kTextScale;
  Window const window = options.window ? *options.window : percentile_window(views, options.percentile);
  GreyImage picture(kGap + columns * (width + kGap), rows * row_height);
  for (std::int64_t i = 0; i < count; ++i) {
    Cell const& cell = cells[static_cast<std::size_t>(i)];
    std::int64_t const left = kGap + i % columns * (width + kGap);
    std::int64_t const top = kGap + i / columns * row_height;
    draw_slice(picture, left, top, cell.image, window, {}, cell.factor, cell.factor);
    for (std::size_t line = 0; line < cell.lines.size(); ++line) {
      draw_text(picture, left,
                top + height + kGap + static_cast<std::int64_t>(line) * kLineAdvance * kTextScale,
                cell.lines[line], kTextScale);
    }
  }
  return picture;
}

}  // namespace findrho
