// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/radial_2d.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "generator.hpp"
#include "option_binding.hpp"
#include "spokes.hpp"

namespace findrho {

Trajectory make_radial_2d(Matrix const& matrix, Radial2dOptions const& options) {
  using std::numbers::pi;
  detail::require_matrix(matrix, 2, "2D radial");
  detail::require_positive(options.golden_index, "the golden index");

  // Full spokes repeat after half a turn, half spokes after a whole one.
  double const period = options.kind == SpokeKind::full ? pi : 2 * pi;
  double const n = static_cast<double>(std::max(matrix.x, matrix.y));
  std::int64_t const spokes = detail::spoke_count(options.spokes, options.undersampling, period / 2 * n);
  double const step = options.order == AngleOrder::linear
                          ? period / static_cast<double>(spokes)
                          : period / (std::numbers::phi + static_cast<double>(options.golden_index - 1));

  std::vector<std::array<double, 3>> directions(static_cast<std::size_t>(spokes));
  for (std::size_t i = 0; i < directions.size(); ++i) {
    double const angle = static_cast<double>(i) * step;
    directions[i] = {std::cos(angle), std::sin(angle), 0};
  }
  return detail::make_spokes(
      matrix, 2, directions,
      {options.kind, options.samples_per_spoke, options.readout_oversampling, options.dwell_s});
}

std::vector<detail::OptionBinding> detail::bind_options(Radial2dOptions& o) {
  return {shots(o.spokes),
          word<SpokeKind>("spoke", o.kind, {{"full", SpokeKind::full}, {"half", SpokeKind::half}},
                          "Edge to edge through the centre, or centre to edge"),
          word<AngleOrder>("order", o.order, {{"linear", AngleOrder::linear}, {"golden", AngleOrder::golden}},
                           "Angles in equal steps, or in steps of the golden angle"),
          count("golden-index", o.golden_index, "n of the n-th tiny golden angle; 1: the golden angle"),
          undersampling(o.undersampling),
          samples(o.samples_per_spoke),
          readout_oversampling(o.readout_oversampling),
          dwell(o.dwell_s)};
}

}  // namespace findrho
