// SPDX-License-Identifier: BSD-3-Clause
#include "dft/grid.hpp"

#include <cmath>
#include <limits>

namespace findrho::ladder {
namespace {

/// The number of steps of `stride` after which a coordinate is back at its first value.
template <class T>
std::int64_t period(std::span<T const> values, std::int64_t stride) {
  auto const count = static_cast<std::int64_t>(values.size()) / stride;
  for (std::int64_t i = 1; i < count; ++i) {
    if (values[static_cast<std::size_t>(i * stride)] == values[0]) return i;
  }
  return count;
}

template <class T>
std::optional<GridAxis> axis_of(std::span<T const> values, std::int64_t stride, std::int64_t size) {
  auto const at = [&](std::int64_t i) {
    return static_cast<double>(values[static_cast<std::size_t>(i * stride)]);
  };
  if (size == 1) return GridAxis{.size = 1, .origin = at(0), .step = 0};
  double const inverse = std::nearbyint(static_cast<double>(size - 1) / (at(size - 1) - at(0)));
  if (!(std::abs(inverse) >= 1)) return {};
  double const first = std::nearbyint(at(0) * inverse);
  for (std::int64_t i = 0; i < size; ++i) {
    double const expected = (first + static_cast<double>(i)) / inverse;
    if (!(std::abs(at(i) - expected) <= std::numeric_limits<T>::epsilon() * std::abs(expected))) return {};
  }
  return GridAxis{.size = size, .origin = first / inverse, .step = 1 / inverse};
}

template <class T>
bool repeats(std::span<T const> values, std::int64_t stride, std::int64_t size) {
  auto const count = static_cast<std::int64_t>(values.size());
  for (std::int64_t n = 0; n < count; ++n) {
    std::int64_t const i = n / stride % size;
    if (values[static_cast<std::size_t>(n)] != values[static_cast<std::size_t>(i * stride)]) return false;
  }
  return true;
}

}  // namespace

template <class T>
std::optional<Grid> find_grid(std::span<T const> x, std::span<T const> y, std::span<T const> z) {
  auto const count = static_cast<std::int64_t>(x.size());
  if (count == 0) return {};
  std::int64_t const nx = period(x, 1), ny = period(y, nx), nz = count / (nx * ny);
  if (nx * ny * nz != count) return {};
  auto const ax = axis_of(x, 1, nx), ay = axis_of(y, nx, ny), az = axis_of(z, nx * ny, nz);
  if (!ax || !ay || !az) return {};
  if (!repeats(x, 1, nx) || !repeats(y, nx, ny) || !repeats(z, nx * ny, nz)) return {};
  return Grid{*ax, *ay, *az};
}

template std::optional<Grid> find_grid(std::span<float const>, std::span<float const>,
                                       std::span<float const>);
template std::optional<Grid> find_grid(std::span<double const>, std::span<double const>,
                                       std::span<double const>);

}  // namespace findrho::ladder
