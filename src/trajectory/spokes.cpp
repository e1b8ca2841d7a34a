// SPDX-License-Identifier: BSD-3-Clause
#include "spokes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "generator.hpp"

namespace findrho::detail {
namespace {

std::int64_t samples_on_spoke(Matrix const& matrix, SpokeOptions const& options) {
  if (options.samples_per_spoke < 0) {
    throw Error(ErrorKind::bad_option,
                fmt::format("the number of samples per shot is {}", options.samples_per_spoke),
                "give 1 or more, or 0 for one per cycle per FOV");
  }
  if (options.samples_per_spoke > 0) return options.samples_per_spoke;
  require_positive(options.readout_oversampling, "the readout oversampling");
  std::int64_t const n = std::max({matrix.x, matrix.y, matrix.z});
  return count_from(static_cast<double>(options.kind == SpokeKind::full ? n : (n + 1) / 2) *
                        static_cast<double>(options.readout_oversampling),
                    "samples per spoke");
}

}  // namespace

std::int64_t spoke_count(std::int64_t spokes, double undersampling, double nyquist) {
  if (spokes < 0) {
    throw Error(ErrorKind::bad_option, fmt::format("the number of shots is {}", spokes),
                "give 1 or more, or 0 for the Nyquist count");
  }
  if (spokes == 0) require_positive(undersampling, "the undersampling");
  std::int64_t const count =
      count_from(spokes > 0 ? static_cast<double>(spokes) : nyquist / undersampling, "spokes");
  require_memory(static_cast<double>(count) * sizeof(std::array<double, 3>),
                 fmt::format("{} spokes take", count), kTakeFewer);
  return count;
}

Trajectory make_spokes(Matrix const& matrix, int dims, std::vector<std::array<double, 3>> const& directions,
                       SpokeOptions const& options) {
  std::int64_t const samples = samples_on_spoke(matrix, options);
  bool const full = options.kind == SpokeKind::full;
  std::int64_t const dc = full ? samples / 2 : 0;
  double const to_edge = full ? 0.5 * static_cast<double>(samples) : static_cast<double>(samples);

  Trajectory t =
      empty_trajectory(dims, static_cast<std::int64_t>(directions.size()), samples, dc, options.dwell_s);
  for (int d = 0; d < dims; ++d) {
    double const edge = 0.5 * static_cast<double>(matrix[d]);
    std::size_t m = 0;
    for (auto const& direction : directions) {
      double const step = direction[static_cast<std::size_t>(d)] * edge / to_edge;
      for (std::int64_t j = 0; j < samples; ++j, ++m) t[d][m] = static_cast<double>(j - dc) * step;
    }
  }
  return t;
}

}  // namespace findrho::detail
