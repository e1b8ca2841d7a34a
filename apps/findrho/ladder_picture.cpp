// SPDX-License-Identifier: BSD-3-Clause
// The ladder as a picture: one bar a rung on a logarithmic scale, what the device's units allow in grey; below it the
// roofline that the lab measured with the rungs on it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "grey_stack.hpp"
#include "io/font.hpp"
#include "lab_parts.hpp"
#include "ladder_table.hpp"

namespace findrho {
namespace {

constexpr std::int64_t kScale = 2, kRow = 30, kLeft = 370, kPlot = 600, kRight = 130, kTop = 60;

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

Scale scale_of(std::vector<LadderRow> const& rows, LadderReport const& report) {
  Scale scale{18, 0};
  for (LadderRow const& row : rows) {
    auto const roof = limit_of(row, report);
    scale.first = std::min(scale.first, std::floor(std::log10(row.pairs_per_second)));
    scale.last =
        std::max(scale.last, std::ceil(std::log10(roof ? roof->pairs_per_second : row.pairs_per_second)));
  }
  return scale;
}

/// "3 GPU gather": the number is the tag on the roofline.
GreyImage bars(std::vector<LadderRow> const& rows, LadderReport const& report) {
  Scale const scale = scale_of(rows, report);
  auto const count = static_cast<std::int64_t>(rows.size());
  GreyImage image(kLeft + kPlot + kRight, kTop + kRow * count + 40);
  draw_text(image, 10, 8, report.title, kScale);
  draw_text(image, 10, 32, "pairs per second; light: what the units allow; *: timed on a slice", kScale);
  for (double decade = scale.first; decade <= scale.last; ++decade) {
    std::int64_t const x = kLeft + scale.at(std::pow(10, decade));
    fill(image, x, kTop, 1, kRow * count, 60);
    draw_text(image, x - 18, kTop + kRow * count + 10, fmt::format("1e{:.0f}", decade), kScale);
  }
  for (std::int64_t i = 0; i < count; ++i) {
    LadderRow const& row = rows[static_cast<std::size_t>(i)];
    std::int64_t const y = kTop + i * kRow;
    draw_text(image, 10, y + 6,
              fmt::format("{:>2} {} {}", i + 1, row.cuda ? "GPU" : "CPU", facts(row.rung).name), kScale);
    if (auto const roof = limit_of(row, report)) {
      fill(image, kLeft, y + 4, scale.at(roof->pairs_per_second), kRow - 8, 60);
    }
    fill(image, kLeft, y + 4, scale.at(row.pairs_per_second), kRow - 8, 200);
    draw_text(image, kLeft + kPlot + 8, y + 6,
              rate_text(row.pairs_per_second) + (row.extrapolated ? "*" : ""), kScale);
  }
  for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);  // the font draws in white
  return image;
}

/// What a rung has its units do for a pair: where sines are made, a step's 13 operations (Q: 9) for all, since what a
/// rung adds for itself is no gain; on a grid, two multiply-adds, three times as many for split numbers.
int operations_of(Rung rung, SumKind kind) {
  if (rung == Rung::separable_split) return 12;
  if (facts(rung).needs_grid) return 4;
  return (kind == SumKind::q ? facts(Rung::gather).q : facts(Rung::gather).fhd).operations;
}

/// The device's rungs at the operations a byte that their source declares. One without accesses to global memory stands
/// near the right edge. The roofs: the float units', what two sines a step leave, and the tensor cores' where a rung
/// takes them.
Chart roofline_with(std::vector<LadderRow> const& rows, LadderReport const& report) {
  int const step = operations_of(Rung::gather, report.kind);
  bool const products = std::any_of(
      rows.begin(), rows.end(), [](LadderRow const& row) { return row.cuda && facts(row.rung).needs_grid; });
  Ceilings roofs{report.ceilings->device, {}};
  for (Ceiling c : report.ceilings->list) {
    if (c.name == "SFU") c = {"sines", c.kind, c.per_second / 2 * step};
    if (products || (c.name != "TF32" && c.name != "FP16")) roofs.list.push_back(c);
  }
  Chart chart = roofline_chart(roofs);
  chart.title = "Rungs on the roofline of " + roofs.device + "; above a memory's roof caches serve";
  chart.x_label = "operations per byte that the source accesses; without accesses: at the right";
  double edge = 0;
  for (auto const& s : chart.series) edge = std::max(edge, s.points.back().first);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].cuda) continue;
    RungFacts const& f = facts(rows[i].rung);
    int const bytes = (report.kind == SumKind::q ? f.q : f.fhd).accesses * report.element_bytes;
    chart.points.push_back({bytes == 0 ? edge / 2 : double(step) / bytes,
                            rows[i].pairs_per_second * operations_of(rows[i].rung, report.kind),
                            std::to_string(i + 1)});
  }
  return chart;
}

}  // namespace

void write_ladder_picture(std::string const& path, LadderReport const& report) {
  std::vector<LadderRow> rows;
  std::copy_if(report.rows.begin(), report.rows.end(), std::back_inserter(rows),
               [](LadderRow const& row) { return row.rung != Rung::mu; });
  GreyImage const above = bars(rows, report);
  write_png(path, report.ceilings ? stacked({above, chart_image(roofline_with(rows, report))}, 255) : above);
}

}  // namespace findrho
