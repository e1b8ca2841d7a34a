// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numbers>
#include <string>
#include <vector>

#include "findrho/core/error.hpp"

namespace findrho {

namespace {

constexpr TrajectoryUnits kUnits[] = {TrajectoryUnits::cycles_per_fov, TrajectoryUnits::cycles_per_voxel,
                                      TrajectoryUnits::radians, TrajectoryUnits::per_m};
constexpr double kFilled =
    0.5;  // a scan that reaches less than half its own k-space is no evidence for a unit

bool usable(TrajectoryUnits units, TrajectoryExtent const& extent) {
  if (units != TrajectoryUnits::per_m) return true;
  return std::all_of(extent.fov_mm.begin(), extent.fov_mm.begin() + extent.dims,
                     [](double fov) { return fov > 0; });
}

/// Largest |k_d| over its limit, and the axis where that is.
struct Reach {
  double part = 0;
  int axis = 0;
};

Reach reach(TrajectoryUnits units, TrajectoryExtent const& extent) {
  Reach result;
  for (int d = 0; d < extent.dims; ++d) {
    auto const i = static_cast<std::size_t>(d);
    double const k = extent.largest[i] * cycles_per_fov(units, extent.matrix[i], extent.fov_mm[i]);
    if (k / extent.limit[i] > result.part) result = {k / extent.limit[i], d};
  }
  return result;
}

bool fits(TrajectoryUnits units, TrajectoryExtent const& extent) {
  return usable(units, extent) && reach(units, extent).part <= 1 + kEdgeRounding;
}

bool fills(TrajectoryUnits units, TrajectoryExtent const& extent) {
  return fits(units, extent) && reach(units, extent).part >= kFilled;
}

/// "largest |k| 31.9: 0.997 of the limit in cycles_per_fov, 63.8 in cycles_per_voxel, ..."
std::string evidence(TrajectoryExtent const& extent) {
  std::string text =
      fmt::format("largest |k| {:.6g}", *std::max_element(extent.largest.begin(), extent.largest.end()));
  char const* separator = ": ";
  char const* what = " of the limit";
  for (TrajectoryUnits const units : kUnits) {
    if (!usable(units, extent)) continue;
    text += fmt::format("{}{:.3g}{} in {}", separator, reach(units, extent).part, what, name(units));
    separator = ", ";
    what = "";
  }
  return text;
}

/// How to name the unit, `option` being where the caller's user does that.
std::string naming(std::string_view option) {
  return option.empty() ? "name the unit" : fmt::format("name the unit with {}", option);
}

[[noreturn]] void throw_outside(TrajectoryUnits units, TrajectoryExtent const& extent,
                                std::string_view option) {
  int const axis = reach(units, extent).axis;
  auto const i = static_cast<std::size_t>(axis);
  double const limit = extent.limit[i] / cycles_per_fov(units, extent.matrix[i], extent.fov_mm[i]);
  std::string probable;
  for (TrajectoryUnits const other : kUnits) {
    if (other != units && fills(other, extent))
      probable += (probable.empty() ? "" : " or ") + std::string(name(other));
  }
  throw Error(ErrorKind::bad_option,
              fmt::format("the trajectory reaches |k{}| = {:.6g}, outside the +-{:.6g} of {}{}", "xyz"[axis],
                          extent.largest[i], limit, name(units),
                          probable.empty() ? std::string() : "; it is probably in " + probable),
              probable.empty() ? "see whether the header's matrix and FOV belong to this trajectory"
                               : naming(option));
}

TrajectoryUnits decide_by_evidence(TrajectoryExtent const& extent, std::string_view option) {
  // 1/m is never assumed: with a plausible FOV its range overlaps that of cycles per FOV.
  std::vector<TrajectoryUnits> fitting, filling;
  for (TrajectoryUnits const units : kUnits) {
    if (units == TrajectoryUnits::per_m) continue;
    if (fits(units, extent)) fitting.push_back(units);
    if (fills(units, extent)) filling.push_back(units);
  }
  if (fitting.empty()) throw_outside(TrajectoryUnits::cycles_per_fov, extent, option);
  if (fitting.size() == 1) return fitting.front();
  if (filling.size() == 1) return filling.front();
  throw Error(ErrorKind::bad_option, "the trajectory's unit is ambiguous: " + evidence(extent),
              naming(option) + ": cycles_per_fov, cycles_per_voxel, radians or per_m");
}

}  // namespace

char const* name(TrajectoryUnits units) {
  switch (units) {
    case TrajectoryUnits::cycles_per_fov:
      return "cycles_per_fov";
    case TrajectoryUnits::cycles_per_voxel:
      return "cycles_per_voxel";
    case TrajectoryUnits::radians:
      return "radians";
    case TrajectoryUnits::per_m:
      return "per_m";
    case TrajectoryUnits::automatic:
      break;
  }
  return "auto";
}

TrajectoryUnits parse_trajectory_units(std::string_view text) {
  if (text == name(TrajectoryUnits::automatic)) return TrajectoryUnits::automatic;
  for (TrajectoryUnits const units : kUnits) {
    if (text == name(units)) return units;
  }
  throw Error(ErrorKind::bad_option, fmt::format("unknown trajectory unit \"{}\"", text),
              "one of auto, cycles_per_fov, cycles_per_voxel, radians, per_m");
}

double cycles_per_fov(TrajectoryUnits units, std::int64_t n, double fov_mm) {
  switch (units) {
    case TrajectoryUnits::cycles_per_voxel:
      return static_cast<double>(n);
    case TrajectoryUnits::radians:
      return static_cast<double>(n) / (2 * std::numbers::pi);
    case TrajectoryUnits::per_m:
      return fov_mm / 1000;
    default:
      return 1;
  }
}

TrajectoryUnits decide_trajectory_units(Context const& context, TrajectoryExtent const& extent,
                                        TrajectoryUnits asked, std::string_view option) {
  if (!usable(asked, extent)) {
    throw Error(ErrorKind::bad_option,
                "a trajectory in 1/m needs the field of view, which the scan does not state",
                "give the field of view in mm");
  }
  TrajectoryUnits const units =
      asked == TrajectoryUnits::automatic ? decide_by_evidence(extent, option) : asked;
  if (!fits(units, extent)) throw_outside(units, extent, option);
  context.note(fmt::format("trajectory in {}, {}: {}", name(units),
                           asked == TrajectoryUnits::automatic ? "by evidence" : "as asked",
                           evidence(extent)));
  return units;
}

Trajectory in_units(Trajectory const& trajectory, TrajectoryUnits from, TrajectoryUnits to,
                    Matrix const& matrix, std::array<double, 3> const& fov_mm) {
  Trajectory result = trajectory;
  for (int d = 0; from != to && d < result.dims; ++d) {
    double const fov = fov_mm[static_cast<std::size_t>(d)];
    bool const needs_fov = from == TrajectoryUnits::per_m || to == TrajectoryUnits::per_m;
    if (from == TrajectoryUnits::automatic || to == TrajectoryUnits::automatic || (needs_fov && !(fov > 0))) {
      throw Error(ErrorKind::bad_option,
                  fmt::format("positions in {} cannot be given in {}", name(from), name(to)),
                  needs_fov ? "give the field of view in mm" : "name both units");
    }
    double const times = cycles_per_fov(from, matrix[d], fov), over = cycles_per_fov(to, matrix[d], fov);
    for (double& k : result[d]) k = k * times / over;
  }
  return result;
}

}  // namespace findrho
