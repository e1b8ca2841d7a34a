// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/stack.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "findrho/core/error.hpp"
#include "generator.hpp"
#include "option_binding.hpp"

namespace findrho {
namespace {

struct Stacking {
  std::int64_t acceleration;
  StackTurn turn;
};

Matrix plane_of(Matrix const& matrix, Stacking const& stacking, std::string const& name) {
  detail::require_matrix(matrix, 3, name);
  detail::require_positive(stacking.acceleration, "the undersampling along z");
  if (stacking.acceleration > matrix.z) {
    throw Error(
        ErrorKind::bad_option,
        fmt::format("undersampling by {} along z exceeds the {} planes", stacking.acceleration, matrix.z),
        "give at most the number of planes");
  }
  return {matrix.x, matrix.y, 1};
}

Trajectory stacked(Matrix const& matrix, Trajectory const& plane, Stacking const& stacking, double dwell_s) {
  std::int64_t planes = 0;
  auto const measured = [&](std::int64_t kz) { return kz % stacking.acceleration == 0; };
  std::int64_t const first = -(matrix.z / 2), end = matrix.z - matrix.z / 2;
  for (std::int64_t kz = first; kz < end; ++kz) planes += measured(kz) ? 1 : 0;

  std::int64_t const shots = plane.size() / plane.samples_per_readout;
  Trajectory t = detail::empty_trajectory(3, planes * shots, plane.samples_per_readout, 0, dwell_s);
  // An ellipse is turned as the circle that it is a scaled picture of.
  double const x_over_y = static_cast<double>(matrix.x) / static_cast<double>(matrix.y);
  std::size_t m = 0, index = 0;
  for (std::int64_t kz = first; kz < end; ++kz) {
    if (!measured(kz)) continue;
    double const angle = stacking.turn == StackTurn::golden
                             ? std::numbers::pi / std::numbers::phi * static_cast<double>(index)
                             : 0;
    double const c = std::cos(angle), s = std::sin(angle);
    ++index;
    for (std::size_t j = 0; j < plane.kx.size(); ++j, ++m) {
      t.kx[m] = plane.kx[j] * c - plane.ky[j] * x_over_y * s;
      t.ky[m] = plane.kx[j] / x_over_y * s + plane.ky[j] * c;
      t.kz[m] = static_cast<double>(kz);
      t.time_s[m] = plane.time_s[j];
    }
  }
  return t;
}

template <class Options>
std::vector<detail::OptionBinding> with_stacking(std::vector<detail::OptionBinding> all, Options& o) {
  all.push_back(
      detail::count("undersampling-z", o.acceleration_z, "Every n-th line or plane along z is measured"));
  all.push_back(detail::word<StackTurn>("stack", o.turn,
                                        {{"aligned", StackTurn::aligned}, {"golden", StackTurn::golden}},
                                        "How a plane is turned from the one before"));
  return all;
}

}  // namespace

Trajectory make_stack_of_stars(Matrix const& matrix, StackOfStarsOptions const& o) {
  Stacking const stacking{o.acceleration_z, o.turn};
  return stacked(matrix, make_radial_2d(plane_of(matrix, stacking, "stack-of-stars"), o), stacking,
                 o.dwell_s);
}

Trajectory make_stack_of_spirals(Matrix const& matrix, StackOfSpiralsOptions const& o) {
  Stacking const stacking{o.acceleration_z, o.turn};
  return stacked(matrix, make_spiral_vd(plane_of(matrix, stacking, "stack-of-spirals"), o), stacking,
                 o.dwell_s);
}

std::vector<detail::OptionBinding> detail::bind_options(StackOfStarsOptions& o) {
  return with_stacking(bind_options(static_cast<Radial2dOptions&>(o)), o);
}

std::vector<detail::OptionBinding> detail::bind_options(StackOfSpiralsOptions& o) {
  return with_stacking(bind_options(static_cast<SpiralVdOptions&>(o)), o);
}

}  // namespace findrho
