// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/cartesian.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "findrho/core/error.hpp"
#include "generator.hpp"
#include "option_binding.hpp"

namespace findrho {
namespace {

struct Range {
  std::int64_t first, end;
  bool has(std::int64_t k) const { return k >= first && k < end; }
};

Range centred(std::int64_t n) {
  return {-(n / 2), n - n / 2};
}

void check(Matrix const& matrix, CartesianOptions const& options) {
  detail::require_matrix(matrix, matrix.dims(), "Cartesian");
  detail::require_positive(options.acceleration, "the undersampling");
  detail::require_positive(options.acceleration_z, "the undersampling along z");
  if (options.acceleration > matrix.y || options.acceleration_z > matrix.z) {
    throw Error(ErrorKind::bad_option,
                fmt::format("undersampling by {} x {} exceeds the {} x {} lines", options.acceleration,
                            options.acceleration_z, matrix.y, matrix.z),
                "give at most the number of lines");
  }
  std::int64_t const lines = matrix.dims() == 3 ? std::min(matrix.y, matrix.z) : matrix.y;
  if (options.calibration_lines < 0 || options.calibration_lines > lines) {
    throw Error(ErrorKind::bad_option,
                fmt::format("the number of calibration lines is {}", options.calibration_lines),
                fmt::format("give 0 to {}", lines));
  }
}

}  // namespace

Trajectory make_cartesian(Matrix const& matrix, CartesianOptions const& options) {
  check(matrix, options);
  int const dims = matrix.dims();
  Range const x = centred(matrix.x), y = centred(matrix.y), z = centred(matrix.z);
  Range const calibration = centred(options.calibration_lines);

  std::vector<std::pair<std::int64_t, std::int64_t>> lines;
  for (std::int64_t kz = z.first; kz < z.end; ++kz) {
    for (std::int64_t ky = y.first; ky < y.end; ++ky) {
      bool const regular = ky % options.acceleration == 0 && kz % options.acceleration_z == 0;
      bool const calibrates = calibration.has(ky) && (dims == 2 || calibration.has(kz));
      if (regular || calibrates) lines.emplace_back(ky, kz);
    }
  }

  Trajectory t = detail::empty_trajectory(dims, static_cast<std::int64_t>(lines.size()), matrix.x,
                                          matrix.x / 2, options.dwell_s);
  std::size_t m = 0;
  for (auto const& [ky, kz] : lines) {
    for (std::int64_t kx = x.first; kx < x.end; ++kx, ++m) {
      t.kx[m] = static_cast<double>(kx);
      t.ky[m] = static_cast<double>(ky);
      if (dims == 3) t.kz[m] = static_cast<double>(kz);
    }
  }
  return t;
}

std::vector<detail::OptionBinding> detail::bind_options(CartesianOptions& o) {
  return {undersampling(o.acceleration),
          count("undersampling-z", o.acceleration_z, "Every n-th line along z is measured (3D)"),
          count("calibration-lines", o.calibration_lines, "Width of the fully sampled centre in lines"),
          dwell(o.dwell_s)};
}

}  // namespace findrho
