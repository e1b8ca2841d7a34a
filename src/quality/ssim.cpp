// SPDX-License-Identifier: BSD-3-Clause
#include "quality/ssim.hpp"

#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace findrho {
namespace {

constexpr std::int64_t kWindow = 11;
constexpr double kSigma = 1.5, kK1 = 0.01, kK2 = 0.03;

std::array<double, kWindow> gaussian() {
  std::array<double, kWindow> weights{};
  double sum = 0;
  for (std::int64_t i = 0; i < kWindow; ++i) {
    double const x = static_cast<double>(i - kWindow / 2) / kSigma;
    sum += weights[static_cast<std::size_t>(i)] = std::exp(-x * x / 2);
  }
  for (double& w : weights) w /= sum;
  return weights;
}

/// A slice of nx x ny values, row by row.
struct Plane {
  std::int64_t nx = 0, ny = 0;
  std::vector<double> values;
  Plane(std::int64_t nx_, std::int64_t ny_) : nx(nx_), ny(ny_), values(static_cast<std::size_t>(nx_ * ny_)) {}
  double& at(std::int64_t x, std::int64_t y) { return values[static_cast<std::size_t>(y * nx + x)]; }
  double at(std::int64_t x, std::int64_t y) const { return values[static_cast<std::size_t>(y * nx + x)]; }
};

/// The window's mean where it lies inside: rows first, then columns; 10 less in both directions.
Plane blur(Plane const& in) {
  static std::array<double, kWindow> const weights = gaussian();
  Plane rows(in.nx - kWindow + 1, in.ny), out(rows.nx, in.ny - kWindow + 1);
  for (std::int64_t y = 0; y < rows.ny; ++y) {
    for (std::int64_t x = 0; x < rows.nx; ++x) {
      for (std::int64_t i = 0; i < kWindow; ++i) {
        rows.at(x, y) += weights[static_cast<std::size_t>(i)] * in.at(x + i, y);
      }
    }
  }
  for (std::int64_t y = 0; y < out.ny; ++y) {
    for (std::int64_t i = 0; i < kWindow; ++i) {
      for (std::int64_t x = 0; x < out.nx; ++x) {
        out.at(x, y) += weights[static_cast<std::size_t>(i)] * rows.at(x, y + i);
      }
    }
  }
  return out;
}

Plane product(Plane const& a, Plane const& b) {
  Plane result(a.nx, a.ny);
  for (std::size_t i = 0; i < result.values.size(); ++i) result.values[i] = a.values[i] * b.values[i];
  return result;
}

/// SSIM at every window position of one slice.
Plane ssim_map(Plane const& a, Plane const& b, double range) {
  Plane const mean_a = blur(a), mean_b = blur(b);
  Plane const aa = blur(product(a, a)), bb = blur(product(b, b)), ab = blur(product(a, b));
  double const c1 = kK1 * range * kK1 * range, c2 = kK2 * range * kK2 * range;
  Plane map(mean_a.nx, mean_a.ny);
  for (std::size_t i = 0; i < map.values.size(); ++i) {
    double const ma = mean_a.values[i], mb = mean_b.values[i];
    double const variances = aa.values[i] - ma * ma + bb.values[i] - mb * mb,
                 covariance = ab.values[i] - ma * mb;
    map.values[i] =
        (2 * ma * mb + c1) * (2 * covariance + c2) / ((ma * ma + mb * mb + c1) * (variances + c2));
  }
  return map;
}

}  // namespace

double mean_ssim(View<float const> image, View<float const> reference, View<std::uint8_t const> const& mask,
                 double scale, double range) {
  int const rank = image.shape.rank();
  std::int64_t const nx = rank > 0 ? image.shape[rank - 1].size : 1,
                     ny = rank > 1 ? image.shape[rank - 2].size : 1;
  double sum = 0, count = 0;
  if (nx < kWindow || ny < kWindow) return std::numeric_limits<double>::quiet_NaN();
  for (std::int64_t begin = 0; begin < image.size(); begin += nx * ny) {
    Plane a(nx, ny), b(nx, ny);
    for (std::int64_t i = 0; i < nx * ny; ++i) {
      a.values[static_cast<std::size_t>(i)] = scale * std::abs(static_cast<double>(image[begin + i]));
      b.values[static_cast<std::size_t>(i)] = std::abs(static_cast<double>(reference[begin + i]));
    }
    Plane const map = ssim_map(a, b, range);
    for (std::int64_t y = 0; y < map.ny; ++y) {
      for (std::int64_t x = 0; x < map.nx; ++x) {
        std::int64_t const centre = begin + (y + kWindow / 2) * nx + x + kWindow / 2;
        if (mask.data != nullptr && mask[centre] == 0) continue;
        sum += map.at(x, y);
        count += 1;
      }
    }
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace findrho
