// SPDX-License-Identifier: BSD-3-Clause
// Fortune's sweep by Boost.Polygon, whose input are integers: positions in steps of 2^-16 cycles per FOV. A ring of far-away
// helper points makes the cell of every sample finite.
#include "findrho/trajectory/voronoi.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/polygon/voronoi.hpp>
#include <cmath>
#include <numbers>
#include <numeric>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

constexpr double kUnit = 65536;     // integer steps per cycle per FOV
constexpr double kFarthest = 8192;  // cycles per FOV; the helpers at 3 times this still fit 32 bits
constexpr int kHelpers = 64;
constexpr int kSides =
    256;  // directions in which the hull is measured; the axes and diagonals are among them
constexpr double kBeyond = 0.5;  // cycles per FOV

struct Spot {
  int x, y;
  bool operator==(Spot const&) const = default;
  bool operator<(Spot const& other) const { return x != other.x ? x < other.x : y < other.y; }
};

using Polygon = std::vector<std::array<double, 2>>;

double area(Polygon const& p) {
  double sum = 0;
  for (std::size_t i = 0, j = p.size() - 1; i < p.size(); j = i++)
    sum += p[j][0] * p[i][1] - p[i][0] * p[j][1];
  return 0.5 * std::abs(sum);
}

/// The half planes that hold all samples, moved outwards.
class Outline {
 public:
  explicit Outline(std::vector<Spot> const& spots) {
    for (int i = 0; i < kSides; ++i) {
      double const a = 2 * std::numbers::pi * i / kSides;
      normal_[i] = {std::cos(a), std::sin(a)};
      reach_[i] = -INFINITY;
      for (Spot const& s : spots) reach_[i] = std::max(reach_[i], normal_[i][0] * s.x + normal_[i][1] * s.y);
      reach_[i] += kBeyond * kUnit;
      inner_ = std::min(inner_, reach_[i]);
    }
  }

  /// Sutherland and Hodgman: one half plane after the other.
  void clip(Polygon& polygon) const {
    double farthest_sq = 0;
    for (auto const& p : polygon) farthest_sq = std::max(farthest_sq, p[0] * p[0] + p[1] * p[1]);
    if (inner_ > 0 && farthest_sq <= inner_ * inner_) return;
    Polygon kept;
    for (int i = 0; i < kSides && !polygon.empty(); ++i) {
      auto const over = [&](auto const& p) {
        return normal_[i][0] * p[0] + normal_[i][1] * p[1] - reach_[i];
      };
      if (std::all_of(polygon.begin(), polygon.end(), [&](auto const& p) { return over(p) <= 0; })) continue;
      kept.clear();
      for (std::size_t b = 0, a = polygon.size() - 1; b < polygon.size(); a = b++) {
        double const from = over(polygon[a]), to = over(polygon[b]);
        if ((from > 0) != (to > 0)) {
          double const part = from / (from - to);
          kept.push_back({polygon[a][0] + part * (polygon[b][0] - polygon[a][0]),
                          polygon[a][1] + part * (polygon[b][1] - polygon[a][1])});
        }
        if (to <= 0) kept.push_back(polygon[b]);
      }
      polygon.swap(kept);
    }
  }

 private:
  std::array<std::array<double, 2>, kSides> normal_{};
  std::array<double, kSides> reach_{};
  double inner_ = INFINITY;  // every place closer to the origin is inside
};

std::vector<Spot> spots_of(Trajectory const& t) {
  std::vector<Spot> spots(t.kx.size());
  for (std::size_t m = 0; m < spots.size(); ++m) {
    if (!(std::abs(t.kx[m]) <= kFarthest && std::abs(t.ky[m]) <= kFarthest)) {
      throw Error(ErrorKind::bad_option,
                  fmt::format("sample {} lies at ({:.4g}, {:.4g}) cycles per FOV", m, t.kx[m], t.ky[m]),
                  fmt::format("give positions within {} cycles per FOV", kFarthest));
    }
    spots[m] = {static_cast<int>(std::lround(t.kx[m] * kUnit)),
                static_cast<int>(std::lround(t.ky[m] * kUnit))};
  }
  return spots;
}

void require_flat(Trajectory const& t) {
  bool const flat = t.dims == 2 || std::all_of(t.kz.begin(), t.kz.end(), [](double k) { return k == 0; });
  if (flat && t.size() > 0) return;
  throw Error(ErrorKind::bad_option,
              flat ? std::string("a trajectory without samples has no Voronoi cells")
                   : std::string("Voronoi cells are computed in 2D, the trajectory has 3 dimensions"),
              "use analytic or iterative (Pipe-Menon) density weights");
}

/// Cell areas of distinct places, in square steps.
std::vector<double> cell_areas(std::vector<Spot> const& places) {
  using boost::polygon::voronoi_builder;
  using boost::polygon::voronoi_diagram;
  double farthest = 1;
  for (Spot const& s : places) farthest = std::max({farthest, std::abs(double(s.x)), std::abs(double(s.y))});
  voronoi_builder<std::int32_t> builder;
  for (Spot const& s : places) builder.insert_point(s.x, s.y);
  for (int i = 0; i < kHelpers; ++i) {
    // Three times as far as the corner of the samples' box, plus room for the half cycle beyond the hull.
    double const a = 2 * std::numbers::pi * i / kHelpers, r = 3 * farthest + 4 * kUnit;
    builder.insert_point(static_cast<int>(r * std::cos(a)), static_cast<int>(r * std::sin(a)));
  }
  voronoi_diagram<double> diagram;
  builder.construct(&diagram);

  Outline const outline(places);
  std::vector<double> areas(places.size());
  Polygon polygon;
  for (auto const& cell : diagram.cells()) {
    if (cell.source_index() >= places.size()) continue;
    polygon.clear();
    auto const* edge = cell.incident_edge();
    do {
      // Only cells of helpers are unbounded: the ring surrounds every sample.
      if (edge->vertex0() != nullptr) polygon.push_back({edge->vertex0()->x(), edge->vertex0()->y()});
      edge = edge->next();
    } while (edge != cell.incident_edge());
    outline.clip(polygon);
    areas[cell.source_index()] = polygon.size() < 3 ? 0 : area(polygon);
  }
  return areas;
}

}  // namespace

std::vector<double> voronoi_density(Trajectory const& trajectory, Matrix const& matrix) {
  require_flat(trajectory);
  auto const spots = spots_of(trajectory);
  std::vector<std::size_t> order(spots.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return spots[a] < spots[b]; });
  std::vector<Spot> places;
  std::vector<std::size_t> place_of(spots.size()), sharers;
  for (std::size_t const m : order) {
    if (places.empty() || !(places.back() == spots[m])) {
      places.push_back(spots[m]);
      sharers.push_back(0);
    }
    place_of[m] = places.size() - 1;
    ++sharers.back();
  }
  auto const areas = cell_areas(places);
  std::vector<double> weights(spots.size());
  double const unit = kUnit * kUnit * static_cast<double>(matrix.voxels());
  for (std::size_t m = 0; m < weights.size(); ++m) {
    weights[m] = areas[place_of[m]] / (unit * static_cast<double>(sharers[place_of[m]]));
  }
  return weights;
}

}  // namespace findrho
