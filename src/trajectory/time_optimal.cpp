// SPDX-License-Identifier: BSD-3-Clause
#include "time_optimal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "findrho/core/error.hpp"
#include "generator.hpp"

namespace findrho::detail {
namespace {

constexpr std::size_t kMostNodes = std::size_t{1} << 24;  // 30000 turns; 128 MiB
constexpr double kMostSamples = 1 << 24;  // of a readout: 17 s at 1 us; beyond, a limit was mistyped

Point minus(Point const& a, Point const& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

double length(Point const& a) {
  return std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
}

/// Cycles per FOV to T s/m, whose derivative in time is the gradient.
Point scaled(Point k, Scanner const& scanner) {
  for (int d = 0; d < 3; ++d) k[static_cast<std::size_t>(d)] *= gradient_of_cycles_per_s(scanner, d);
  return k;
}

/// Menger curvature of three points: 4 area / product of the sides.
double curvature(Point const& a, Point const& b, Point const& c) {
  Point const u = minus(b, a), v = minus(c, b);
  Point const cross{u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]};
  double const sides = length(u) * length(v) * length(minus(c, a));
  return sides > 0 ? 2 * length(cross) / sides : 0;
}

struct Geometry {
  std::vector<double> step, bend, stretch;  // arc length to the next node, curvature, |dk/dp|
};

Geometry geometry_of(Curve const& curve, std::vector<double> const& nodes, Scanner const& scanner) {
  std::size_t const n = nodes.size();
  std::vector<Point> point(n);
  for (std::size_t i = 0; i < n; ++i) point[i] = scaled(curve(nodes[i]), scanner);
  Geometry g{std::vector<double>(n - 1), std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t i = 0; i + 1 < n; ++i) g.step[i] = length(minus(point[i + 1], point[i]));
  for (std::size_t i = 1; i + 1 < n; ++i) g.bend[i] = curvature(point[i - 1], point[i], point[i + 1]);
  g.bend[0] = g.bend[1];
  g.bend[n - 1] = g.bend[n - 2];
  for (std::size_t i = 0; i < n; ++i) {
    // A tenth of the distance to the neighbours: a central difference's error is its square.
    double const behind = i > 0 ? 0.1 * (nodes[i] - nodes[i - 1]) : 0;
    double const ahead = i + 1 < n ? 0.1 * (nodes[i + 1] - nodes[i]) : 0;
    double const half = behind > 0 && ahead > 0 ? std::min(behind, ahead) : 0;
    double const from = half > 0 ? half : behind, to = half > 0 ? half : ahead;
    g.stretch[i] =
        length(minus(scaled(curve(nodes[i] + to), scanner), scaled(curve(nodes[i] - from), scanner))) /
        (from + to);
  }
  return g;
}

/// Square of the speed at each node, in (T/m)^2.
std::vector<double> fastest(Geometry const& g, double speed, double slew, Start start) {
  std::size_t const n = g.bend.size();
  std::vector<double> limit(n), square(n);
  for (std::size_t i = 0; i < n; ++i) limit[i] = std::min(speed * speed, slew / std::max(g.bend[i], 1e-300));
  auto const gain = [&](std::size_t at, double q, double step) {
    double const across = g.bend[at] * q;
    return 2 * step * std::sqrt(std::max(0.0, slew * slew - across * across));
  };
  square[0] = start == Start::at_rest ? 0 : limit[0];
  for (std::size_t i = 0; i + 1 < n; ++i) {
    square[i + 1] = std::min(limit[i + 1], square[i] + gain(i, square[i], g.step[i]));
  }
  for (std::size_t i = n - 1; i > 0; --i) {
    square[i - 1] = std::min(square[i - 1], square[i] + gain(i, square[i], g.step[i - 1]));
  }
  return square;
}

/// The parameter at equal steps of time from the first node to the last, by a cubic through the nodes with the speeds there.
/// As many samples as are asked for, but no fewer than make the steps at most one dwell time long.
std::vector<double> at_equal_times(std::vector<double> const& nodes, Geometry const& g,
                                   std::vector<double> const& square, double dwell, std::int64_t samples) {
  std::size_t const intervals = nodes.size() - 1;
  std::vector<double> time(intervals);
  for (std::size_t i = 0; i < intervals; ++i)
    time[i] = 2 * g.step[i] / (std::sqrt(square[i]) + std::sqrt(square[i + 1]));
  double const total = std::accumulate(time.begin(), time.end(), 0.0);
  if (total / dwell > kMostSamples) {
    throw Error(ErrorKind::bad_option,
                fmt::format("a readout would take {:.3g} s, {:.3g} samples", total, total / dwell),
                "give more gradient and slew rate, more shots or a longer dwell time");
  }
  std::int64_t const count = std::max({samples, std::int64_t{3}, count_from(total / dwell, "samples") + 1});
  double const step = total / static_cast<double>(count - 1);
  std::vector<double> result;
  double begin = 0;
  for (std::size_t i = 0; i < intervals; begin += time[i], ++i) {
    double const advance = nodes[i + 1] - nodes[i];
    double const r0 = std::sqrt(square[i]) / g.stretch[i] * time[i];
    double const r1 = std::sqrt(square[i + 1]) / g.stretch[i + 1] * time[i];
    while (static_cast<double>(result.size()) * step < begin + time[i]) {
      double const u = (static_cast<double>(result.size()) * step - begin) / time[i];
      double const p = nodes[i] + advance * u * u * (3 - 2 * u) + u * (1 - u) * ((1 - u) * r0 - u * r1);
      result.push_back(std::clamp(p, nodes.front(), nodes.back()));
    }
  }
  result.resize(static_cast<std::size_t>(count), nodes.back());
  result.back() = nodes.back();
  return result;
}

/// What samples one dwell time apart need, over the scanner's limits.
struct Excess {
  double gradient = 0, slew = 0;
};

Excess excess_of(std::vector<Point> const& samples, Scanner const& scanner, double dwell_s) {
  Excess largest;
  Point before{};
  for (std::size_t j = 1; j < samples.size(); ++j) {
    Point const step = scaled(minus(samples[j], samples[j - 1]), scanner);
    largest.gradient = std::max(largest.gradient, length(step));
    if (j > 1) largest.slew = std::max(largest.slew, length(minus(step, before)));
    before = step;
  }
  return {largest.gradient / (dwell_s * 1e-3 * scanner.gradient_mT_m),
          largest.slew / (dwell_s * dwell_s * scanner.slew_T_m_s)};
}

struct Design {
  std::vector<double> parameters;  // of the samples
  bool within_limits = false;
};

Design designed(Curve const& curve, std::vector<double> const& nodes, Pace const& pace) {
  Geometry const g = geometry_of(curve, nodes, pace.scanner);
  double unit = INFINITY;  // T/m of one cycle per FOV per second along the axis where that is least
  for (int d = 0; d < 3; ++d) unit = std::min(unit, gradient_of_cycles_per_s(pace.scanner, d));
  double speed = std::min(1e-3 * pace.scanner.gradient_mT_m, unit * pace.cycles_per_sample / pace.dwell_s);
  double slew = pace.scanner.slew_T_m_s;

  // The integration between nodes is of first order: where the samples' differences exceed a limit, design again for one
  // that is lower by as much.
  Design result;
  for (int attempt = 0; attempt < 8 && !result.within_limits; ++attempt) {
    result.parameters =
        at_equal_times(nodes, g, fastest(g, speed, slew, pace.start), pace.dwell_s, pace.samples);
    std::vector<Point> samples(result.parameters.size());
    std::transform(result.parameters.begin(), result.parameters.end(), samples.begin(), curve);
    Excess const excess = excess_of(samples, pace.scanner, pace.dwell_s);
    result.within_limits = excess.gradient <= 1 && excess.slew <= 1;
    if (excess.gradient > 1) speed *= 0.999 / excess.gradient;
    if (excess.slew > 1) slew *= 0.999 / excess.slew;
  }
  return result;
}

}  // namespace

std::int64_t fewest_interleaves(std::int64_t most, double longest_readout_s,
                                std::function<bool(std::int64_t)> const& fits) {
  if (!fits(most)) {
    throw Error(ErrorKind::bad_option,
                fmt::format("even {} interleaves take longer than the readout limit of {:.4g} ms", most,
                            longest_readout_s * 1e3),
                "give a longer readout limit, a smaller matrix or more gradient and slew rate");
  }
  std::int64_t too_few = 0, enough = most;
  while (enough - too_few > 1) {
    std::int64_t const middle = (too_few + enough) / 2;
    (fits(middle) ? enough : too_few) = middle;
  }
  return enough;
}

Point widest_scale(Matrix const& matrix, Scanner const& scanner, double edge) {
  double largest = 0;
  for (int d = 0; d < matrix.dims(); ++d) {
    largest = std::max(largest, 0.5 * static_cast<double>(matrix[d]) * gradient_of_cycles_per_s(scanner, d));
  }
  Point scale{};
  for (int d = 0; d < 3; ++d)
    scale[static_cast<std::size_t>(d)] = largest / (edge * gradient_of_cycles_per_s(scanner, d));
  return scale;
}

void require_scanner(Scanner const& scanner) {
  require_positive(scanner.gradient_mT_m, "the largest gradient", Unit{1, " mT/m"});
  require_positive(scanner.slew_T_m_s, "the largest slew rate", Unit{1, " T/m/s"});
  require_positive(scanner.gamma_MHz_T, "the gyromagnetic ratio", Unit{1, " MHz/T"});
  for (double const fov : scanner.fov_mm) require_positive(fov, "the field of view", Unit{1, " mm"});
}

std::vector<double> curve_nodes(double begin, double end, double largest, double turn,
                                std::function<double(double)> const& turn_rate) {
  std::vector<double> nodes{begin};
  while (nodes.back() < end) {
    double const rate = std::abs(turn_rate(nodes.back()));
    nodes.push_back(nodes.back() + (rate * largest > turn ? turn / rate : largest));
    if (nodes.size() <= kMostNodes) continue;
    throw Error(ErrorKind::bad_option,
                fmt::format("a readout would wind {:.0f} times and more around the centre",
                            static_cast<double>(kMostNodes) * turn / (2 * std::numbers::pi)),
                "give more shots or more undersampling");
  }
  nodes.back() = end;
  if (nodes.size() < 3) return {begin, 0.5 * (begin + end), end};
  return nodes;
}

std::vector<double> time_optimal(Curve const& curve, std::vector<double> const& nodes, Pace const& pace) {
  require_scanner(pace.scanner);
  require_positive(pace.dwell_s, "the dwell time", kMicroseconds);
  Design design = designed(curve, nodes, pace);
  if (!design.within_limits) {
    // The last interval is what steps of a given length leave over, at times only rounding. The stretch, a difference over a
    // tenth of it, is then wrong by per cents however low the limits: give it half of the last two intervals.
    std::vector<double> even = nodes;
    std::size_t const n = even.size();
    even[n - 2] = 0.5 * (even[n - 3] + even[n - 1]);
    design = designed(curve, even, pace);
  }
  return design.parameters;
}

}  // namespace findrho::detail
