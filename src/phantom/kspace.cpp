// SPDX-License-Identifier: BSD-3-Clause
// k-space of ellipsoids seen through polynomial sensitivities. Read ball_transform.hpp first.
// With r = c + R diag(a) x an ellipsoid becomes the unit ball: q = 2 pi diag(a) R^T k, and the sensitivity a
// polynomial in x, so that each (ellipsoid, coil) is one vector of coefficients for the ball's moments.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "ball_transform.hpp"
#include "ellipsoid.hpp"
#include "findrho/core/error.hpp"
#include "findrho/phantom/phantom.hpp"
#include "polynomial.hpp"

namespace findrho {
namespace {

using detail::BallTransform;
using std::numbers::pi;
using Lane = BallTransform::Lane;
constexpr std::size_t kBlock = BallTransform::kBlock;

/// Real and imaginary factor of each derivative, for one coil.
struct Coefficients {
  std::vector<double> real, imag;
};

struct Part {
  std::array<std::array<double, 3>, 3> to_q;  // q_e = sum_d to_q[e][d] k_d
  std::array<double, 3> to_phase;             // phase = -sum_d to_phase[d] k_d
  std::vector<Coefficients> coils;
};

Part make_part(Ellipsoid const& ellipsoid, Matrix const& matrix, CoilSet const& coils) {
  auto const axes = detail::scaled_axes(ellipsoid, coils.dims);
  Part part{};
  detail::AffineMap to_polynomial{};
  double volume = static_cast<double>(matrix.voxels()) * ellipsoid.density;
  for (std::size_t d = 0; d < static_cast<std::size_t>(coils.dims); ++d) {
    volume *= ellipsoid.semi_axis[d];
    part.to_phase[d] = 2 * pi * ellipsoid.center[d];
    to_polynomial.offset[d] = 2 * ellipsoid.center[d];
    for (std::size_t e = 0; e < 3; ++e) {
      part.to_q[e][d] = 2 * pi * axes[e][d];
      to_polynomial.matrix[d][e] = 2 * axes[e][d];
    }
  }
  static constexpr std::complex<double> kPowerOfI[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  auto const exponents = monomials(coils.dims, coils.degree);
  for (auto const& sensitivity : coils.coefficients) {
    auto const local = detail::substitute(sensitivity, coils.dims, coils.degree, to_polynomial);
    Coefficients c;
    for (std::size_t a = 0; a < local.size(); ++a) {
      int const order = exponents[a][0] + exponents[a][1] + exponents[a][2];
      std::complex<double> const factor = volume * local[a] * kPowerOfI[order % 4];
      c.real.push_back(factor.real());
      c.imag.push_back(factor.imag());
    }
    part.coils.push_back(std::move(c));
  }
  return part;
}

/// sum_a factor[a] table[a] for every lane, a few lanes at a time so that the sums stay in registers.
void contract(Coefficients const& factors, std::vector<Lane> const& table, Lane& real, Lane& imag) {
  constexpr std::size_t kWide = 4;
  for (std::size_t b = 0; b < kBlock; b += kWide) {
    double re[kWide] = {}, im[kWide] = {};
    for (std::size_t a = 0; a < factors.real.size(); ++a) {
      double const* moment = table[a].data() + b;
      for (std::size_t i = 0; i < kWide; ++i) {
        re[i] += factors.real[a] * moment[i];
        im[i] += factors.imag[a] * moment[i];
      }
    }
    std::copy_n(re, kWide, real.data() + b);
    std::copy_n(im, kWide, imag.data() + b);
  }
}

/// Work arrays of one block of samples.
struct Scratch {
  explicit Scratch(std::size_t table_size) : table(table_size) {}
  std::array<Lane, 3> k{}, q{};
  Lane cos{}, sin{}, real{}, imag{};
  std::vector<Lane> table;
};

void add_part(Part const& part, BallTransform const& transform, Scratch& s, std::size_t lanes,
              std::complex<double>* samples, std::int64_t coil_stride) {
  for (std::size_t b = 0; b < kBlock; ++b) {
    for (std::size_t e = 0; e < 3; ++e) {
      s.q[e][b] = part.to_q[e][0] * s.k[0][b] + part.to_q[e][1] * s.k[1][b] + part.to_q[e][2] * s.k[2][b];
    }
    double const phase =
        -(part.to_phase[0] * s.k[0][b] + part.to_phase[1] * s.k[1][b] + part.to_phase[2] * s.k[2][b]);
    s.cos[b] = std::cos(phase);
    s.sin[b] = std::sin(phase);
  }
  transform.derivatives(s.q, s.table);
  for (std::size_t c = 0; c < part.coils.size(); ++c) {
    contract(part.coils[c], s.table, s.real, s.imag);
    std::complex<double>* out = samples + static_cast<std::int64_t>(c) * coil_stride;
    for (std::size_t b = 0; b < lanes; ++b) {
      out[b] += std::complex<double>(s.real[b] * s.cos[b] - s.imag[b] * s.sin[b],
                                     s.real[b] * s.sin[b] + s.imag[b] * s.cos[b]);
    }
  }
}

void check(Phantom const& phantom, Matrix const& matrix, Trajectory const& trajectory, CoilSet const& coils) {
  detail::require_phantom(phantom, matrix);
  if (trajectory.dims != phantom.dims || coils.dims != phantom.dims) {
    throw Error(ErrorKind::bad_shape,
                "the phantom has " + std::to_string(phantom.dims) + " dimensions, the trajectory " +
                    std::to_string(trajectory.dims) + ", the coils " + std::to_string(coils.dims),
                "make all three for the same matrix");
  }
  std::size_t const terms = monomials(coils.dims, coils.degree).size();
  for (auto const& c : coils.coefficients) {
    if (c.size() == terms && coils.degree <= BallTransform::kMostDegree) continue;
    throw Error(ErrorKind::bad_shape,
                "a coil of degree " + std::to_string(coils.degree) + " has " + std::to_string(c.size()) +
                    " coefficients, expected " + std::to_string(terms),
                "degrees go up to " + std::to_string(BallTransform::kMostDegree));
  }
}

}  // namespace

Array<std::complex<double>> phantom_samples(Context const& context, Phantom const& phantom,
                                            Matrix const& matrix, Trajectory const& trajectory,
                                            CoilSet const& coils) {
  check(phantom, matrix, trajectory, coils);
  std::vector<Part> parts;
  for (Ellipsoid const& ellipsoid : phantom.ellipsoids) parts.push_back(make_part(ellipsoid, matrix, coils));
  BallTransform const transform(phantom.dims, coils.degree);

  std::int64_t const samples = trajectory.size();
  Array<std::complex<double>> result(sample_shape(coils.coils(), samples));
  constexpr std::int64_t kTask = 64 * static_cast<std::int64_t>(kBlock);
  context.pool().each((samples + kTask - 1) / kTask, [&](std::int64_t task) {
    context.throw_if_cancelled();
    Scratch scratch(transform.table_size());
    std::int64_t const end = std::min(samples, (task + 1) * kTask);
    for (std::int64_t m = task * kTask; m < end; m += static_cast<std::int64_t>(kBlock)) {
      auto const lanes = static_cast<std::size_t>(std::min<std::int64_t>(end - m, kBlock));
      for (int d = 0; d < phantom.dims; ++d) {
        std::copy_n(trajectory[d].begin() + m, lanes, scratch.k[static_cast<std::size_t>(d)].begin());
      }
      for (Part const& part : parts) add_part(part, transform, scratch, lanes, result.data() + m, samples);
    }
  });
  return result;
}

Array<std::complex<double>> phantom_samples(Context const& context, Phantom const& phantom,
                                            Matrix const& matrix, Trajectory const& trajectory) {
  return phantom_samples(context, phantom, matrix, trajectory, uniform_coil(phantom.dims));
}

}  // namespace findrho
