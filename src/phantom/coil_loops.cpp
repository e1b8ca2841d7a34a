// SPDX-License-Identifier: BSD-3-Clause
#include "coil_loops.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using Vector = Eigen::Vector3d;

constexpr double kDistance = 0.9;  // of the loops from the centre, in FOV
constexpr double kFitRadius = 0.55;
constexpr std::size_t kMostDegree = 8;  // of a polynomial sensitivity

Vector vector(std::array<double, 3> const& v) {
  return {v[0], v[1], v[2]};
}

/// add(point on the wire, piece of wire) for 96 chords of the loop.
template <class Add>
void along_wire(CoilLoop const& loop, Add const& add) {
  constexpr int kChords = 96;
  Vector const center = vector(loop.center), normal = vector(loop.normal);
  Vector const helper = std::abs(normal.z()) < 0.99 ? Vector::UnitZ() : Vector::UnitX();
  Vector const u = normal.cross(helper).normalized(), v = normal.cross(u);
  for (int i = 0; i < kChords; ++i) {
    double const t = 2 * pi * i / kChords;
    add(center + loop.radius * (std::cos(t) * u + std::sin(t) * v),
        (loop.radius * 2 * pi / kChords) * (-std::sin(t) * u + std::cos(t) * v));
  }
}

std::complex<double> value_at(std::vector<std::complex<double>> const& polynomial,
                              std::vector<std::array<int, 3>> const& exponents,
                              std::array<double, 3> const& r) {
  std::array<std::array<double, kMostDegree + 1>, 3> powers;
  for (std::size_t d = 0; d < 3; ++d) {
    powers[d][0] = 1;
    for (std::size_t i = 1; i <= kMostDegree; ++i) powers[d][i] = 2 * r[d] * powers[d][i - 1];
  }
  std::complex<double> sum = 0;
  for (std::size_t a = 0; a < exponents.size(); ++a) {
    double term = 1;
    for (std::size_t d = 0; d < 3; ++d) term *= powers[d][static_cast<std::size_t>(exponents[a][d])];
    sum += polynomial[a] * term;
  }
  return sum;
}

}  // namespace

namespace detail {

std::vector<CoilLoop> place_loops(int dims, std::int64_t coils) {
  std::int64_t const rings = dims == 3 && coils >= 8 ? 2 : 1;
  std::int64_t const first = (coils + rings - 1) / rings;
  std::vector<CoilLoop> loops;
  for (std::int64_t i = 0; i < coils; ++i) {
    std::int64_t const ring = i / first, on_ring = ring == 0 ? first : coils - first;
    double const step = 2 * pi / static_cast<double>(on_ring);
    double const angle = step * (static_cast<double>(i - ring * first) + 0.5 * static_cast<double>(ring));
    double const elevation = rings == 1 ? 0 : (ring == 0 ? -1 : 1) * pi / 7;
    std::array<double, 3> const outward{std::cos(elevation) * std::cos(angle),
                                        std::cos(elevation) * std::sin(angle), std::sin(elevation)};
    CoilLoop loop;
    for (std::size_t d = 0; d < 3; ++d) {
      loop.center[d] = kDistance * outward[d];
      loop.normal[d] = -outward[d];
    }
    loop.radius =
        std::min(0.5, kDistance * 0.5 * step);  // neighbours touch; few coils stay smaller than half the FOV
    loops.push_back(loop);
  }
  return loops;
}

std::complex<double> receive_field(CoilLoop const& loop, std::array<double, 3> const& r) {
  Vector field = Vector::Zero();
  along_wire(loop, [&](Vector const& wire, Vector const& piece) {
    Vector const away = vector(r) - wire;
    double const distance = away.norm();
    field += piece.cross(away) / (distance * distance * distance);
  });
  return {field.x(), -field.y()};
}

std::array<double, 3> vector_potential(CoilLoop const& loop, std::array<double, 3> const& r) {
  Vector potential = Vector::Zero();
  along_wire(
      loop, [&](Vector const& wire, Vector const& piece) { potential += piece / (vector(r) - wire).norm(); });
  return {potential.x(), potential.y(), potential.z()};
}

std::vector<std::array<double, 3>> fit_points(int dims) {
  int const half = dims == 2 ? 15 : 7;
  std::vector<std::array<double, 3>> points;
  for (int k = dims == 3 ? -half : 0; k <= (dims == 3 ? half : 0); ++k) {
    for (int j = -half; j <= half; ++j) {
      for (int i = -half; i <= half; ++i) {
        Vector const r = Vector(i, j, k) * (kFitRadius / half);
        if (r.norm() <= kFitRadius) points.push_back({r.x(), r.y(), r.z()});
      }
    }
  }
  return points;
}

}  // namespace detail

CoilArray make_coil_array(int dims, std::int64_t coils, CoilModel model) {
  CoilArray array{model, make_coils(dims, coils), {}, 1};
  if (coils == 1 && model == CoilModel::polynomial) return array;
  array.loops = detail::place_loops(dims, coils);
  double sum_sq = 0;
  for (CoilLoop const& loop : array.loops) sum_sq += std::norm(detail::receive_field(loop, {0, 0, 0}));
  array.scale = 1 / std::sqrt(sum_sq);
  return array;
}

Array<std::complex<double>> sensitivities_at(Context const& context, CoilArray const& coils,
                                             std::vector<std::array<double, 3>> const& points) {
  auto const count = static_cast<std::int64_t>(points.size());
  Array<std::complex<double>> result(sample_shape(coils.coils(), count));
  auto const exponents = monomials(coils.polynomial.dims, coils.polynomial.degree);
  constexpr std::int64_t kTask = 4096;
  context.pool().each((count + kTask - 1) / kTask, [&](std::int64_t task) {
    context.throw_if_cancelled();
    for (std::int64_t n = task * kTask; n < std::min(count, (task + 1) * kTask); ++n) {
      auto const& r = points[static_cast<std::size_t>(n)];
      for (std::int64_t c = 0; c < coils.coils(); ++c) {
        auto const coil = static_cast<std::size_t>(c);
        result[c * count + n] = coils.model == CoilModel::loops
                                    ? coils.scale * detail::receive_field(coils.loops[coil], r)
                                    : value_at(coils.polynomial.coefficients[coil], exponents, r);
      }
    }
  });
  return result;
}

double polynomial_fit_error(Context const& context, CoilArray const& coils) {
  if (coils.loops.empty() || coils.polynomial.degree == 0) return 0;
  auto const points = detail::fit_points(coils.polynomial.dims);
  CoilArray other = coils;
  other.model = CoilModel::polynomial;
  auto const fitted = sensitivities_at(context, other, points);
  other.model = CoilModel::loops;
  auto const exact = sensitivities_at(context, other, points);
  double difference = 0, size = 0;
  for (std::int64_t i = 0; i < exact.size(); ++i) {
    difference += std::norm(fitted[i] - exact[i]);
    size += std::norm(exact[i]);
  }
  return std::sqrt(difference / size);
}

}  // namespace findrho
