// SPDX-License-Identifier: BSD-3-Clause
#include "nufft/kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <sstream>
#include <string>
#include <utility>

#include "findrho/backend/fft.hpp"
#include "findrho/core/error.hpp"

namespace findrho::nufft {
namespace {

constexpr double kPi = std::numbers::pi;

/// 1 at the centre when `height` is the Bessel function at beta.
double kaiser_bessel(double x, int width, double beta, double height) {
  double const z = 2 * x / width, inside = 1 - z * z;
  return inside <= 0 ? (inside > -1e-12 ? 1 / height : 0.0)
                     : std::cyl_bessel_i(0.0, beta * std::sqrt(inside)) / height;
}

double kaiser_bessel_transform(double u, int width, double beta) {
  double const a = beta * beta - std::pow(kPi * width * u, 2), root = std::sqrt(std::abs(a));
  if (root < 1e-8) return 1;
  return a > 0 ? std::sinh(root) / root : std::sin(root) / root;
}

std::string text(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

void check(NufftOptions const& o, double smallest_accuracy) {
  bool const bilinear = o.kernel == GriddingKernel::bilinear;
  double const least = bilinear ? 1.0 : 1.25;
  if (!(o.accuracy >= smallest_accuracy && o.accuracy < 1)) {
    throw Error(ErrorKind::bad_option,
                "accuracy " + text(o.accuracy) + " is outside " + text(smallest_accuracy) +
                    " .. 1 for this precision",
                "ask for less, or use double precision");
  }
  if (o.oversampling != 0 && !(o.oversampling >= least && o.oversampling <= 2)) {
    throw Error(ErrorKind::bad_option, "oversampling " + text(o.oversampling) + " is outside " + text(least) +
                                           " .. 2 for this kernel");
  }
  if (o.width != 0 && (bilinear ? o.width != 2 : o.width < 2 || o.width > kMaxWidth)) {
    throw Error(ErrorKind::bad_option,
                "kernel width " + std::to_string(o.width) +
                    (bilinear ? " is not 2, the bilinear kernel's" : " is outside 2 .. 16"));
  }
}

/// Grid for an oversampling; an axis of one voxel is not transformed.
Design with_grid(Design design, Matrix const& matrix, double oversampling) {
  auto const size = [&](std::int64_t n) {
    return good_size(static_cast<std::int64_t>(std::ceil(static_cast<double>(n) * oversampling - 1e-9)));
  };
  design.grid = {size(matrix.x), size(matrix.y), design.dims == 3 ? size(matrix.z) : 1};
  design.oversampling = std::numeric_limits<double>::max();
  for (int d = 0; d < design.dims; ++d) {
    design.oversampling =
        std::min(design.oversampling, static_cast<double>(design.grid[d]) / static_cast<double>(matrix[d]));
  }
  return design;
}

/// Expected relative l2 error of a design: the axes' errors are independent, rounding grows as their product.
double expected_error(Design const& design, Matrix const& matrix, double epsilon) {
  double aliasing_sq = 0, rounding = 1.3 * epsilon;  // 1.3: weights, sums and Fourier transforms, measured
  std::int64_t smallest = matrix.x;
  AxisError axis{};
  for (int d = 0; d < design.dims; ++d) {
    bool const as_before = d > 0 && matrix[d] == matrix[d - 1] && design.grid[d] == design.grid[d - 1];
    if (!as_before) axis = axis_error(design.width, design.beta, matrix[d], design.grid[d]);
    aliasing_sq += axis.aliasing * axis.aliasing;
    rounding *= axis.rounding;
    smallest = std::min(smallest, matrix[d]);
  }
  // The error of a few voxels scatters about its expectation (docs/math/nufft.md has the measured ratios).
  double const margin = 1.1 + 3 / static_cast<double>(smallest);
  return margin * std::sqrt(aliasing_sq + rounding * rounding);
}

/// Sets the smallest width that is as accurate as asked; false when none is.
bool set_width(Design& design, Matrix const& matrix, double epsilon) {
  for (int width = 3; width <= kMaxWidth; ++width) {
    // The usual estimate of aliasing, exp(-pi W sqrt(1 - 1/sigma)), says where to begin.
    if (std::exp(-kPi * width * std::sqrt(1 - 1 / design.oversampling)) > 10 * design.accuracy) continue;
    design.width = width;
    design.beta = beatty_beta(width, design.oversampling);
    if (expected_error(design, matrix, epsilon) <= design.accuracy) return true;
  }
  return false;
}

/// Estimated time in nanoseconds of one transform of one coil on one core: rows of patches, then Fourier transforms.
/// Constants from a Zen 4 core with AVX-512; only their ratio matters, and it is nearly the same for eight coils.
double cost(Design const& design, std::int64_t samples) {
  double const rows = std::pow(design.width, design.dims - 1) * std::ceil(design.width / 8.0);
  return static_cast<double>(samples) * 2.5 * rows +
         static_cast<double>(design.grid.voxels()) * 1.7 * design.dims;
}

}  // namespace

double beatty_beta(int width, double oversampling) {
  double const a = width / oversampling * (oversampling - 0.5);
  return kPi * std::sqrt(std::max(a * a - 0.8, 0.0));
}

AxisError axis_error(int width, double beta, std::int64_t matrix, std::int64_t grid) {
  constexpr std::int64_t kMostVoxels = 32;
  constexpr int kAliases = 4;
  std::int64_t const count = std::min(matrix, kMostVoxels);
  double aliasing = 0, transform_sq = 0, inverse_sq = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t const n = count == matrix ? i : i * (matrix - 1) / (count - 1);
    double const u = static_cast<double>(n - matrix / 2) / static_cast<double>(grid);
    double const here = std::pow(kaiser_bessel_transform(u, width, beta), 2);
    double aliases = 0;
    for (int m = 1; m <= kAliases; ++m) {
      aliases += std::pow(kaiser_bessel_transform(m - u, width, beta), 2) +
                 std::pow(kaiser_bessel_transform(m + u, width, beta), 2);
    }
    aliasing += aliases / here;
    transform_sq += here;
    inverse_sq += 1 / here;
  }
  double const n = static_cast<double>(count);
  return {std::sqrt(aliasing / n), std::sqrt(transform_sq / n * inverse_sq / n)};
}

Design choose_design(std::int64_t samples, Matrix const& matrix, NufftOptions const& o, double epsilon,
                     double smallest_accuracy) {
  check(o, smallest_accuracy);
  Design base{.kernel = o.kernel,
              .dims = matrix.dims(),
              .width = 2,
              .accuracy = o.accuracy,
              .beta = 0,
              .grid = {},
              .oversampling = 0};
  if (o.kernel == GriddingKernel::bilinear)
    return with_grid(base, matrix, o.oversampling > 0 ? o.oversampling : 2);

  std::vector<double> const candidates =
      o.oversampling > 0 ? std::vector{o.oversampling} : std::vector{1.25, 1.375, 1.5, 1.625, 1.75, 2.0};
  Design best = base;
  double least = std::numeric_limits<double>::max();
  for (double const oversampling : candidates) {
    Design design = with_grid(base, matrix, oversampling);
    if (o.width > 0) {
      design.width = o.width;
      design.beta = beatty_beta(design.width, design.oversampling);
      // The polynomials are to be as good as the kernel that was asked for.
      design.accuracy =
          std::min(o.accuracy, std::max(expected_error(design, matrix, epsilon), smallest_accuracy));
    } else if (!set_width(design, matrix, epsilon)) {
      continue;
    }
    double const time = cost(design, samples);
    if (time < least) {
      least = time;
      best = design;
    }
  }
  if (best.oversampling == 0) {
    throw Error(ErrorKind::bad_option,
                "accuracy " + text(o.accuracy) + " is out of reach at oversampling " + text(o.oversampling) +
                    " in this precision, with kernels of up to 16 cells",
                "leave the oversampling to be chosen, ask for less, or use double precision");
  }
  return best;
}

namespace {

/// Monomial coefficients of the polynomial of a degree through f at the Chebyshev points of [-1/2, 1/2].
/// In long double: going from Chebyshev's basis to powers loses about a factor (1 + sqrt 2)^degree.
template <class F>
std::vector<double> interpolate(F const& f, int degree) {
  using Real = long double;
  std::size_t const n = static_cast<std::size_t>(degree + 1);
  std::vector<Real> series(n, 0), powers(n, 0), previous(n, 0), current(n, 0);
  Real const pi = std::numbers::pi_v<Real>;
  for (std::size_t k = 0; k < n; ++k) {
    Real const angle = pi * (static_cast<Real>(k) + Real(0.5)) / static_cast<Real>(n);
    Real const value = f(static_cast<double>(std::cos(angle) / 2));
    for (std::size_t j = 0; j < n; ++j) {
      series[j] += (j == 0 ? 1 : 2) * value * std::cos(static_cast<Real>(j) * angle) / static_cast<Real>(n);
    }
  }
  // T_0 = 1, T_1 = 2s, T_{j+1} = 4s T_j - T_{j-1} as polynomials in s.
  previous[0] = 1;
  if (n > 1) current[1] = 2;
  for (std::size_t j = 0; j < n; ++j) {
    std::vector<Real> const& term = j == 0 ? previous : current;
    for (std::size_t i = 0; i < n; ++i) powers[i] += series[j] * term[i];
    if (j == 0) continue;
    std::vector<Real> next(n, 0);
    for (std::size_t i = 0; i + 1 < n; ++i) next[i + 1] = 4 * current[i];
    for (std::size_t i = 0; i < n; ++i) next[i] -= previous[i];
    previous = std::exchange(current, next);
  }
  return {powers.begin(), powers.end()};
}

/// Nodes and weights of Gauss-Legendre quadrature on [-1/2, 1/2], by Newton's method on the Legendre
/// polynomial.
template <std::size_t N>
std::array<std::array<double, 2>, N> gauss_legendre() {
  std::array<std::array<double, 2>, N> result{};
  for (std::size_t i = 0; i < N; ++i) {
    double x = std::cos(kPi * (static_cast<double>(i) + 0.75) / (N + 0.5)), slope = 1;
    for (int step = 0; step < 20; ++step) {
      double p = 1, before = 0;
      for (std::size_t k = 1; k <= N; ++k) {
        double const kk = static_cast<double>(k);
        before = std::exchange(p, ((2 * kk - 1) * x * p - (kk - 1) * before) / kk);
      }
      slope = N * (x * p - before) / (x * x - 1);
      x -= p / slope;
    }
    result[i] = {x / 2, 1 / ((1 - x * x) * slope * slope)};
  }
  return result;
}

}  // namespace

PiecewiseKernel::PiecewiseKernel(Design const& design) : width_(design.width), degree_(1) {
  if (design.kernel == GriddingKernel::bilinear) {
    coefficients_ = {0.5, 1, 0.5, -1};
    return;
  }
  double const height = std::cyl_bessel_i(0.0, design.beta);
  auto const exact = [&](int cell, double s) {
    return kaiser_bessel(cell - (width_ - 1) / 2.0 + s, width_, design.beta, height);
  };
  // What the polynomials leave out acts as aliasing, which division by phi^ amplifies most at the edge of the
  // image.
  double const edge = kaiser_bessel_transform(0.5 / design.oversampling, width_, design.beta) /
                      kaiser_bessel_transform(0, width_, design.beta);
  double const allowed = std::max(0.1 * design.accuracy * edge, 1e-15);
  constexpr int kMaxDegree = 20, kChecks = 16;
  auto const check_point = [](int i) { return static_cast<double>(i) / kChecks - 0.5; };
  std::vector<std::array<double, kChecks + 1>> wanted(static_cast<std::size_t>(width_));
  for (int cell = 0; cell < width_; ++cell) {
    for (int i = 0; i <= kChecks; ++i)
      wanted[static_cast<std::size_t>(cell)][static_cast<std::size_t>(i)] = exact(cell, check_point(i));
  }
  for (degree_ = 2; degree_ <= kMaxDegree; ++degree_) {
    coefficients_.clear();
    double worst = 0;
    for (int cell = 0; cell < width_; ++cell) {
      auto const powers = interpolate([&](double s) { return exact(cell, s); }, degree_);
      coefficients_.insert(coefficients_.end(), powers.begin(), powers.end());
      for (int i = 0; i <= kChecks; ++i) {
        double const difference = (*this)(cell, check_point(i)) -
                                  wanted[static_cast<std::size_t>(cell)][static_cast<std::size_t>(i)];
        worst = std::max(worst, std::abs(difference));
      }
    }
    if (worst <= allowed || degree_ == kMaxDegree) return;
  }
}

double PiecewiseKernel::operator()(int cell, double s) const {
  double value = 0;
  for (int power = degree_; power >= 0; --power) value = value * s + coefficient(cell, power);
  return value;
}

std::vector<double> deapodisation(PiecewiseKernel const& kernel, std::int64_t matrix, std::int64_t grid) {
  // 16 nodes integrate degree 31 exactly: polynomials up to degree 20 times a cosine of at most half a turn per cell.
  // The kernel is even: its right half counts twice.
  static auto const nodes = gauss_legendre<16>();
  std::vector<std::array<double, 2>> points;  // distance from the centre, weight times kernel
  for (int cell = 0; cell < kernel.width(); ++cell) {
    for (auto const& [s, weight] : nodes) {
      double const x = cell - (kernel.width() - 1) / 2.0 + s;
      if (x > 0) points.push_back({2 * kPi / static_cast<double>(grid) * x, 2 * weight * kernel(cell, s)});
    }
  }
  std::vector<double> factors(static_cast<std::size_t>(matrix));
  for (std::int64_t n = 0; n <= matrix / 2; ++n) {
    double transform = 0;
    for (auto const& [angle, value] : points) transform += value * std::cos(angle * static_cast<double>(n));
    factors[static_cast<std::size_t>(matrix / 2 - n)] = 1 / transform;
    if (matrix / 2 + n < matrix) factors[static_cast<std::size_t>(matrix / 2 + n)] = 1 / transform;
  }
  return factors;
}

void require_dims(int trajectory_dims, Matrix const& m) {
  if (m.x < 1 || m.y < 1 || m.z < 1) {
    throw Error(ErrorKind::bad_shape, "the matrix " + m.shape().str() + " has an empty axis");
  }
  if (trajectory_dims != m.dims()) {
    throw Error(ErrorKind::bad_shape,
                "a trajectory of " + std::to_string(trajectory_dims) +
                    " dimensions does not fit the matrix " + m.shape().str(),
                "a 2D image has z 1, a 3D image needs kz");
  }
}

std::string describe(Design const& d) {
  std::string const name = d.kernel == GriddingKernel::bilinear ? "bilinear" : "Kaiser-Bessel";
  std::string oversampling = std::to_string(d.oversampling);
  oversampling.resize(oversampling.find('.') + 3);
  std::string text = name + ", width " + std::to_string(d.width) + ", oversampling " + oversampling +
                     ", grid " + std::to_string(d.grid.x) + " x " + std::to_string(d.grid.y);
  if (d.dims == 3) text += " x " + std::to_string(d.grid.z);
  return text;
}

}  // namespace findrho::nufft
