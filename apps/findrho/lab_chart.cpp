// SPDX-License-Identifier: BSD-3-Clause
// Charts with two logarithmic axes, as SVG and as PNG from the same lines and words.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/io/output_set.hpp"
#include "findrho/io/png.hpp"
#include "io/font.hpp"
#include "lab_parts.hpp"

namespace findrho {
namespace {

constexpr double kWidth = 1100, kHeight = 640, kLeft = 110, kRight = 210, kTop = 60, kBottom = 80;
constexpr int kFont = 2;  // font pixels are 2 x 2

struct Drawing {
  struct Line {
    double x0, y0, x1, y1;
    int grey;  // 0 black
    double thickness;
  };
  struct Word {
    double x, y;  // left, middle
    std::string text;
    bool boxed = false;  // on a white ground, because a line runs there
  };
  std::vector<Line> lines;
  std::vector<Word> words;
};

double text_width(std::string const& text) {
  return static_cast<double>(text.size()) * kTextAdvance * kFont;
}

struct AxisRange {
  double first, last;  // decades
  double from, to;     // pixels
  double at(double value) const { return from + (std::log10(value) - first) / (last - first) * (to - from); }
};

AxisRange range_of(Chart const& chart, bool of_x, double from, double to) {
  double low = 1e300, high = 0;
  for (auto const& s : chart.series) {
    for (auto const& [x, y] : s.points) {
      low = std::min(low, of_x ? x : y);
      high = std::max(high, of_x ? x : y);
    }
  }
  for (auto const& p : chart.points) {
    low = std::min(low, of_x ? p.x : p.y);
    high = std::max(high, of_x ? p.x : p.y);
  }
  double const margin = 0.05 * std::max(0.5, std::log10(high / low));
  return {std::log10(low) - margin, std::log10(high) + margin, from, to};
}

std::string tick_text(double value) {
  for (auto const& [scale, letter] :
       {std::pair{1e15, "P"}, {1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}}) {
    if (value >= scale) return fmt::format("{:.4g}{}", value / scale, letter);
  }
  return fmt::format("{:.4g}", value);
}

/// 1, 2 and 5 of each decade where there are few, else the decades; even steps where not even those would be there.
std::vector<double> ticks(AxisRange const& axis) {
  std::vector<double> result;
  if (axis.last - axis.first < 0.6) {
    double const low = std::pow(10, axis.first), high = std::pow(10, axis.last);
    double const least = (high - low) / 4, decade = std::pow(10, std::floor(std::log10(least)));
    double const step = decade * (least <= 2 * decade ? 2 : least <= 5 * decade ? 5 : 10);
    for (double value = std::ceil(low / step) * step; value <= high; value += step) result.push_back(value);
    return result;
  }
  bool const fine = axis.last - axis.first < 2.5;
  for (double d = std::floor(axis.first); d <= axis.last; ++d) {
    for (double const m : {1.0, 2.0, 5.0}) {
      double const value = m * std::pow(10, d);
      if ((fine || m == 1) && std::log10(value) >= axis.first && std::log10(value) <= axis.last)
        result.push_back(value);
    }
  }
  return result;
}

/// What a word or a square covers: a line's height around its middle. Between two a gap is left.
struct Box {
  static constexpr double kGap = 3;
  double left, middle, width;
  bool meets(Box const& other) const {
    return left < other.left + other.width + kGap && other.left < left + width + kGap &&
           std::abs(middle - other.middle) < kLineAdvance * kFont - 4;
  }
  bool is_free(std::vector<Box> const& taken) const {
    return std::none_of(taken.begin(), taken.end(), [&](Box const& b) { return meets(b); });
  }
};

std::vector<Box> add_squares(Drawing& d, Chart const& chart, AxisRange const& ax, AxisRange const& ay) {
  std::vector<Box> taken;
  for (auto const& p : chart.points) {
    double const x = ax.at(p.x), y = ay.at(p.y);
    d.lines.push_back({x - 2, y, x + 2, y, 0, 9});
    taken.push_back({x - 3, y, 6});
  }
  return taken;
}

/// The label of a line on it, at the free place that is nearest to the wanted one.
void add_label(Drawing& d, Chart::Series const& s, AxisRange const& ax, AxisRange const& ay,
               std::vector<Box>& taken) {
  double const width = text_width(s.label);
  auto const place_at = [&](double part) {
    auto const& [x0, y0] = s.points.front();
    auto const& [x1, y1] = s.points.back();
    return Box{std::lerp(ax.at(x0), ax.at(x1), part) - width / 2, std::lerp(ay.at(y0), ay.at(y1), part),
               width};
  };
  Box place = place_at(s.label_at);
  for (int step = 0; step < 24 && !place.is_free(taken); ++step) {
    double const part = s.label_at + (step % 2 == 0 ? 0.03 : -0.03) * (step / 2 + 1);
    if (part > 0.05 && part < 0.95) place = place_at(part);
  }
  taken.push_back(place);
  d.words.push_back({place.left, place.middle, s.label, true});
}

/// The tag of each square at the first place beside it that is free, farther and farther out.
void add_tags(Drawing& d, Chart const& chart, AxisRange const& ax, AxisRange const& ay,
              std::vector<Box>& taken) {
  for (auto const& p : chart.points) {
    double const x = ax.at(p.x), y = ay.at(p.y), width = text_width(p.tag), line = kLineAdvance * kFont;
    Box place{};
    bool found = false;
    for (int ring = 1; ring <= 4 && !found; ++ring) {
      for (auto const& [right, down] :
           {std::pair{1, 0}, {-1, 0}, {0, -1}, {0, 1}, {1, -1}, {1, 1}, {-1, -1}, {-1, 1}}) {
        double const out = 10 + (ring - 1) * 20;
        place = {right > 0   ? x + out
                 : right < 0 ? x - out - width
                             : x - width / 2,
                 y + down * ring * line, width};
        found = place.is_free(taken);
        if (found) break;
      }
    }
    taken.push_back(place);
    d.words.push_back({place.left, place.middle, p.tag, true});
  }
}

Drawing draw(Chart const& chart) {
  Drawing d;
  AxisRange const ax = range_of(chart, true, kLeft, kWidth - kRight),
                  ay = range_of(chart, false, kHeight - kBottom, kTop);
  for (double const t : ticks(ax)) {
    d.lines.push_back({ax.at(t), ay.from, ax.at(t), ay.to, 210, 1});
    std::string const text = tick_text(t);
    d.words.push_back({ax.at(t) - text_width(text) / 2, ay.from + 18, text});
  }
  for (double const t : ticks(ay)) {
    d.lines.push_back({ax.from, ay.at(t), ax.to, ay.at(t), 210, 1});
    std::string const text = tick_text(t);
    d.words.push_back({ax.from - 10 - text_width(text), ay.at(t), text});
  }
  d.lines.push_back({ax.from, ay.from, ax.to, ay.from, 0, 1});
  d.lines.push_back({ax.from, ay.from, ax.from, ay.to, 0, 1});
  d.words.push_back({ax.from, 24, chart.title});
  d.words.push_back({(ax.from + ax.to - text_width(chart.x_label)) / 2, kHeight - 24, chart.x_label});
  d.words.push_back({10, kTop - 16, chart.y_label});
  std::vector<Box> taken = add_squares(d, chart, ax, ay);
  double last_label = 1e9;
  std::vector<std::pair<double, std::string>> labels;
  for (auto const& s : chart.series) {
    for (std::size_t i = 0; i < s.points.size(); ++i) {
      double const x = ax.at(s.points[i].first), y = ay.at(s.points[i].second);
      d.lines.push_back({x - 3, y, x + 3, y, 0, 5});
      if (i > 0)
        d.lines.push_back({ax.at(s.points[i - 1].first), ay.at(s.points[i - 1].second), x, y, 60, 2});
    }
    if (s.label_at == 1) {
      labels.push_back({ay.at(s.points.back().second), s.label});
    } else {
      add_label(d, s, ax, ay, taken);
    }
  }
  add_tags(d, chart, ax, ay, taken);
  // Labels stand at the ends of their lines, moved up where two would cover each other.
  std::sort(labels.rbegin(), labels.rend());
  for (auto& [y, text] : labels) {
    y = std::min(y, last_label - kLineAdvance * kFont);
    last_label = y;
    d.words.push_back({ax.to + 12, y, text});
  }
  return d;
}

void draw_line(GreyImage& image, Drawing::Line const& line) {
  int const steps =
      static_cast<int>(std::ceil(std::max(std::abs(line.x1 - line.x0), std::abs(line.y1 - line.y0)))) * 2 + 1;
  auto const half = static_cast<std::int64_t>(line.thickness / 2);
  for (int i = 0; i <= steps; ++i) {
    auto const x = static_cast<std::int64_t>(std::lround(line.x0 + (line.x1 - line.x0) * i / steps));
    auto const y = static_cast<std::int64_t>(std::lround(line.y0 + (line.y1 - line.y0) * i / steps));
    for (std::int64_t v = y - half; v <= y + half; ++v) {
      for (std::int64_t u = x - half; u <= x + half; ++u) {
        if (u < 0 || v < 0 || u >= image.width || v >= image.height) continue;
        // The font draws in white, so the picture is made as its negative.
        auto const ink = static_cast<std::uint8_t>(255 - line.grey);
        image.at(u, v) = std::max(image.at(u, v), ink);
      }
    }
  }
}

void clear_box(GreyImage& image, double left, double top, double width, double height) {
  for (auto y = std::max(0l, std::lround(top)); y < std::min(image.height, std::lround(top + height)); ++y) {
    for (auto x = std::max(0l, std::lround(left)); x < std::min(image.width, std::lround(left + width));
         ++x) {
      image.at(x, y) = 0;
    }
  }
}

std::string escaped(std::string const& text) {
  std::string result;
  for (char const c : text) {
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
  }
  return result;
}

}  // namespace

std::string chart_svg(Chart const& chart) {
  Drawing const d = draw(chart);
  std::string svg = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" "
      "font-family=\"monospace\" font-size=\"16\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      kWidth, kHeight);
  for (auto const& l : d.lines) {
    svg += fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" stroke=\"rgb({},{},{})\" "
        "stroke-width=\"{:.0f}\"/>\n",
        l.x0, l.y0, l.x1, l.y1, l.grey, l.grey, l.grey, l.thickness);
  }
  for (auto const& w : d.words) {
    if (w.boxed) {
      svg += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.0f}\" height=\"22\" fill=\"white\"/>\n",
                         w.x - 4, w.y - 11, text_width(w.text) + 8);
    }
    svg += fmt::format(
        "<text x=\"{:.1f}\" y=\"{:.1f}\" textLength=\"{:.0f}\" lengthAdjust=\"spacingAndGlyphs\">{}</text>\n",
        w.x, w.y + 5, text_width(w.text), escaped(w.text));
  }
  return svg + "</svg>\n";
}

void write_chart(std::filesystem::path const& stem, Chart const& chart) {
  OutputSet outputs({.force = true});
  write_text(outputs.stage(stem.string() + ".svg"), chart_svg(chart));
  write_png(outputs.stage(stem.string() + ".png"), chart_image(chart));
  outputs.commit();
}

GreyImage chart_image(Chart const& chart) {
  GreyImage image(static_cast<std::int64_t>(kWidth), static_cast<std::int64_t>(kHeight));
  Drawing const d = draw(chart);
  for (auto const& l : d.lines) draw_line(image, l);
  for (auto const& w : d.words) {
    if (w.boxed) clear_box(image, w.x - 4, w.y - 11, text_width(w.text) + 8, 22);
    draw_text(image, std::lround(w.x), std::lround(w.y) - 9, w.text, kFont);
  }
  for (auto& pixel : image.pixels) pixel = static_cast<std::uint8_t>(255 - pixel);
  return image;
}

Chart roofline_chart(Ceilings const& ceilings) {
  Chart chart{"Roofline of " + ceilings.device, "operations per byte", "operations per second", {}};
  double top = 0, steepest = 0;
  for (Ceiling const& c : ceilings.list) {
    (c.kind == Ceiling::Kind::operations ? top : steepest) =
        std::max(c.kind == Ceiling::Kind::operations ? top : steepest, c.per_second);
  }
  constexpr double kFirst = 1.0 / 16;
  double last = kFirst;
  for (Ceiling const& c : ceilings.list) {
    if (c.kind == Ceiling::Kind::bytes) last = std::max(last, 8 * top / c.per_second);
  }
  double label_at = 0.3;
  for (Ceiling const& c : ceilings.list) {
    if (c.kind == Ceiling::Kind::bytes) {
      chart.series.push_back({fmt::format("{} {}B/s", c.name, tick_text(c.per_second)),
                              {{kFirst, kFirst * c.per_second}, {top / c.per_second, top}},
                              label_at});
      label_at += 0.2;
    } else {
      chart.series.push_back({fmt::format("{} {}/s", c.name, tick_text(c.per_second)),
                              {{c.per_second / steepest, c.per_second}, {last, c.per_second}}});
    }
  }
  return chart;
}

std::vector<std::pair<std::string, Chart>> charts_of(ExperimentResult const& result) {
  std::vector<std::pair<std::string, Chart>> charts;
  // A row's number as "stride 8", or as its value named "bytes".
  auto const collect = [&](std::string const& prefix) {
    std::vector<std::pair<double, double>> points;
    for (LabMeasurement const& row : result.rows) {
      if (row.variant.rfind(prefix, 0) != 0) continue;
      double x = 0;
      for (auto const& v : row.values) {
        if (v.name == "bytes") x = v.value;
      }
      if (x == 0) x = std::strtod(row.variant.c_str() + prefix.size(), nullptr);
      if (x > 0) points.push_back({x, row.values.front().value});
    }
    return points;
  };
  if (result.name == "access") {
    charts.push_back({"access",
                      {"Useful bandwidth, " + result.device,
                       "stride in words of 4 bytes",
                       "GB/s",
                       {{"reads", collect("stride ")}}}});
  } else if (result.name == "cache-sweep") {
    std::string const unit = result.rows.front().values.front().unit;
    charts.push_back({"latency",
                      {"Latency of a chase, " + result.device,
                       "working set, bytes",
                       unit.empty() ? "cycles" : unit,
                       {{"chase", collect("chase, ")}}}});
    charts.push_back({"stream",
                      {"Bandwidth of a stream, " + result.device,
                       "working set, bytes",
                       "GB/s",
                       {{"stream", collect("stream, ")}}}});
  } else if (result.name == "roofline") {
    charts.push_back({"roofline", roofline_chart(ceilings_of(result))});
  }
  return charts;
}

}  // namespace findrho
