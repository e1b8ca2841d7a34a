// SPDX-License-Identifier: BSD-3-Clause
// The resolution and the contrast-detail phantom.
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/phantom/library.hpp"

namespace findrho {
namespace {

constexpr double kBodyRadius = 0.45, kHalfDepth = 0.4;

void require_dims(int dims) {
  if (dims == 2 || dims == 3) return;
  throw Error(ErrorKind::bad_option, "a phantom of " + std::to_string(dims) + " dimensions", "give 2 or 3");
}

Solid body(double density) {
  return {
      .shape = SolidShape::cylinder, .density = density, .semi_axis = {kBodyRadius, kBodyRadius, kHalfDepth}};
}

/// Four bars around (x, y), one width apart, lined up along axis `across`.
void add_bars(Phantom& phantom, double x, double y, double width, std::size_t across, double density) {
  for (int i = 0; i < 4; ++i) {
    Solid bar{.shape = SolidShape::box, .density = density, .center = {x, y, 0}};
    bar.center[across] += (2 * i - 3) * width;
    bar.semi_axis = {3.5 * width, 3.5 * width, 0.75 * kHalfDepth};
    bar.semi_axis[across] = 0.5 * width;
    phantom.solids.push_back(bar);
  }
}

void add_rods(Phantom& phantom, double x, double y, double diameter, double density) {
  for (int j = -1; j <= 1; ++j) {
    for (int i = -1; i <= 1; ++i) {
      phantom.solids.push_back({.shape = SolidShape::cylinder,
                                .density = density,
                                .center = {x + 2 * i * diameter, y + 2 * j * diameter, 0},
                                .semi_axis = {0.5 * diameter, 0.5 * diameter, 0.75 * kHalfDepth}});
    }
  }
}

}  // namespace

Phantom resolution_phantom(int dims) {
  require_dims(dims);
  constexpr double kBody = 0.3, kGap = 0.03, kRow = 0.2;
  Phantom phantom{dims, {body(kBody)}};
  double length = -kGap;
  for (double const width : kBarWidths) length += 7 * width + kGap;
  double left = -0.5 * length;
  for (double const width : kBarWidths) {
    double const x = left + 3.5 * width;
    add_bars(phantom, x, -kRow, width, 0, 1 - kBody);
    add_bars(phantom, x, 0, width, 1, 1 - kBody);
    add_rods(phantom, x, kRow, width, 1 - kBody);
    left += 7 * width + kGap;
  }
  return phantom;
}

Phantom contrast_phantom(int dims) {
  require_dims(dims);
  constexpr double kPitch = 0.13;
  Phantom phantom{dims, {body(1)}};
  for (std::size_t row = 0; row < kDiscContrasts.size(); ++row) {
    for (std::size_t column = 0; column < kDiscDiameters.size(); ++column) {
      double const radius = 0.5 * kDiscDiameters[column];
      phantom.solids.push_back(
          {.density = kDiscContrasts[row],
           .center = {kPitch * (static_cast<double>(column) - 2), kPitch * (static_cast<double>(row) - 2), 0},
           .semi_axis = {radius, radius, radius}});
    }
  }
  return phantom;
}

}  // namespace findrho
