// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/adapted_radial.hpp"

#include <algorithm>
#include <numbers>
#include <vector>

#include "adapted_profile.hpp"
#include "generator.hpp"
#include "option_binding.hpp"
#include "spokes.hpp"

namespace findrho {

Trajectory make_adapted_radial(Matrix const& matrix, AdaptedRadialOptions const& o) {
  detail::require_matrix(matrix, 3, "density-adapted 3D radial");
  double const n = static_cast<double>(std::max({matrix.x, matrix.y, matrix.z}));
  std::int64_t const spokes = detail::spoke_count(o.spokes, o.undersampling, std::numbers::pi * n * n);
  detail::AdaptedOptions const adapted{o.linear_part, o.readout_s, o.dwell_s, o.readout_oversampling,
                                       o.scanner};
  std::int64_t const samples = detail::adapted_samples(adapted);
  detail::AdaptedProfile const profile = detail::adapted_profile(matrix, adapted);
  std::vector<double> radius(static_cast<std::size_t>(samples));
  for (std::size_t j = 0; j < radius.size(); ++j) {
    radius[j] = std::min(1.0, profile.radius(static_cast<double>(j) * o.dwell_s));
  }

  Trajectory t = detail::empty_trajectory(3, spokes, samples, 0, o.dwell_s);
  auto const directions = detail::sphere_directions(spokes, o.order, SpokeKind::half);
  std::size_t m = 0;
  for (auto const& direction : directions) {
    for (double const r : radius) {
      for (int d = 0; d < 3; ++d) {
        t[d][m] = 0.5 * static_cast<double>(matrix[d]) * r * direction[static_cast<std::size_t>(d)];
      }
      ++m;
    }
  }
  return t;
}

std::vector<detail::OptionBinding> detail::bind_options(AdaptedRadialOptions& o) {
  std::vector<OptionBinding> all{
      shots(o.spokes),
      undersampling(o.undersampling),
      linear_part(o.linear_part),
      readout_time(o.readout_s),
      word<SphereOrder>("sphere", o.order,
                        {{"golden_means", SphereOrder::golden_means}, {"spiral", SphereOrder::spiral}},
                        "How spoke directions follow each other on the sphere"),
      readout_oversampling(o.readout_oversampling),
      dwell(o.dwell_s)};
  add_scanner(all, o.scanner);
  return all;
}

}  // namespace findrho
