// SPDX-License-Identifier: BSD-3-Clause
#include "generator.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"

namespace findrho::detail {
namespace {

// 4e9 samples are 96 GB of trajectory: beyond this an option was mistyped, and the products below stay in
// range.
constexpr std::int64_t kMostSamples = std::int64_t{1} << 32;

}  // namespace

void require_positive(std::int64_t value, std::string const& what) {
  if (value >= 1) return;
  throw Error(ErrorKind::bad_option, fmt::format("{} is {}", what, value), "give 1 or more");
}

void require_positive(double value, std::string const& what, Unit const& unit) {
  if (value > 0 && value < 1e30) return;  // also refuses NaN
  throw Error(ErrorKind::bad_option, fmt::format("{} is {:g}{}", what, value * unit.per_si, unit.name),
              value > 0 ? "give a smaller number" : "give a number above 0");
}

void require_matrix(Matrix const& matrix, int dims, std::string const& trajectory) {
  std::string const size =
      std::to_string(matrix.x) + " x " + std::to_string(matrix.y) + " x " + std::to_string(matrix.z);
  if (std::min({matrix.x, matrix.y, matrix.z}) < 1) {
    throw Error(ErrorKind::bad_option, "the matrix is " + size, "give sizes of 1 or more");
  }
  if (matrix.dims() != dims) {
    throw Error(
        ErrorKind::bad_option,
        "a " + trajectory + " trajectory has " + std::to_string(dims) + " dimensions, the matrix is " + size,
        dims == 2 ? "give a matrix with z = 1 or a 3D trajectory"
                  : "give a matrix with z > 1 or a 2D trajectory");
  }
}

std::int64_t count_from(double count, std::string const& what) {
  if (count <= static_cast<double>(kMostSamples)) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(count)));
  }
  throw Error(ErrorKind::bad_option, fmt::format("{:g} {} are too many", count, what),
              "at most 2^32; give a smaller matrix or less oversampling");
}

Trajectory empty_trajectory(int dims, std::int64_t readouts, std::int64_t samples, std::int64_t dc_sample,
                            double dwell_s) {
  require_positive(dwell_s, "the dwell time", kMicroseconds);
  if (readouts > kMostSamples / samples) {
    throw Error(
        ErrorKind::bad_option,
        std::to_string(readouts) + " readouts of " + std::to_string(samples) + " samples are too many",
        "at most 2^32 samples; give fewer readouts or samples");
  }
  auto const total = static_cast<std::size_t>(readouts * samples);
  require_memory(static_cast<double>(total) * (8.0 * dims + 4), fmt::format("{} samples take", total),
                 kTakeFewer);
  Trajectory t;
  t.dims = dims;
  for (int d = 0; d < dims; ++d) t[d].resize(total);
  t.samples_per_readout = samples;
  t.time_s.resize(total);
  for (std::size_t m = 0; m < total; ++m) {
    t.time_s[m] =
        static_cast<float>(static_cast<double>(static_cast<std::int64_t>(m) % samples - dc_sample) * dwell_s);
  }
  return t;
}

}  // namespace findrho::detail
