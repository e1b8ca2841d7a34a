// SPDX-License-Identifier: BSD-3-Clause
// Exact sums from trajectories and grids: positions, values, the half of Q that has to be computed and the whole of it.
#include <algorithm>
#include <complex>

#include "dft/half_lags.hpp"
#include "dft/rungs/parts.hpp"
#include "findrho/core/error.hpp"
#include "findrho/dft/ladder.hpp"

namespace findrho {
namespace {

using ladder::half_lags;
using ladder::HalfLags;

template <class To, class From>
std::vector<To> rounded(std::vector<From> const& values, double sign = 1) {
  std::vector<To> result(values.size());
  std::transform(values.begin(), values.end(), result.begin(),
                 [&](From v) { return static_cast<To>(sign * static_cast<double>(v)); });
  return result;
}

struct Axis3 {
  std::vector<double> x, y, z;
};

/// Positions (n - first) / N of the box first..first+size on every axis, x fastest.
Axis3 box_positions(std::array<std::int64_t, 3> size, std::array<std::int64_t, 3> center,
                    Matrix const& matrix) {
  auto const at = [&](int d, std::int64_t n) {
    return static_cast<double>(n - center[static_cast<std::size_t>(d)]) / static_cast<double>(matrix[d]);
  };
  Axis3 p;
  auto const count = static_cast<std::size_t>(size[0] * size[1] * size[2]);
  for (auto* axis : {&p.x, &p.y, &p.z}) axis->reserve(count);
  for (std::int64_t z = 0; z < size[2]; ++z) {
    for (std::int64_t y = 0; y < size[1]; ++y) {
      for (std::int64_t x = 0; x < size[0]; ++x) {
        p.x.push_back(at(0, x));
        p.y.push_back(at(1, y));
        p.z.push_back(at(2, z));
      }
    }
  }
  return p;
}

Axis3 voxel_positions(Matrix const& m) {
  return box_positions({m.x, m.y, m.z}, {m.x / 2, m.y / 2, m.z / 2}, m);
}

template <class T>
void set_samples(ExactSum<T>& sum, Trajectory const& trajectory) {
  sum.kx = rounded<T>(trajectory.kx);
  sum.ky = rounded<T>(trajectory.ky);
  sum.kz = trajectory.dims == 3 ? rounded<T>(trajectory.kz) : std::vector<T>(sum.kx.size());
}

template <class T>
void set_voxels(ExactSum<T>& sum, Axis3 const& p) {
  sum.x = rounded<T>(p.x);
  sum.y = rounded<T>(p.y);
  sum.z = rounded<T>(p.z);
}

template <class T>
void set_phi(ExactSum<T>& sum, std::span<std::complex<double> const> phi) {
  sum.phi_re.assign(sum.kx.size(), 1);
  sum.phi_im.assign(sum.kx.size(), 0);
  for (std::size_t m = 0; m < phi.size(); ++m) {
    sum.phi_re[m] = static_cast<T>(phi[m].real());
    sum.phi_im[m] = static_cast<T>(phi[m].imag());
  }
}

/// Numbers of every coil.
template <class T>
void set_values(ExactSum<T>& sum, std::span<std::complex<double> const> values) {
  sum.d_re.reserve(values.size());
  sum.d_im.reserve(values.size());
  for (std::complex<double> const& v : values) {
    sum.d_re.push_back(static_cast<T>(v.real()));
    sum.d_im.push_back(static_cast<T>(v.imag()));
  }
}

void require_count(std::size_t count, std::int64_t samples, char const* what, bool optional) {
  if (static_cast<std::int64_t>(count) == samples || (optional && count == 0)) return;
  throw Error(ErrorKind::bad_shape, std::string(what) + " has " + std::to_string(count) +
                                        " entries, the trajectory " + std::to_string(samples) + " samples");
}

}  // namespace

template <class T>
std::int64_t ExactSum<T>::bytes(std::int64_t samples, std::int64_t voxels, std::int64_t coils) {
  // per sample: k, phi, the packed 6, and for each coil d and Mu; per voxel: position, the parts' results, each coil's
  return static_cast<std::int64_t>(sizeof(T)) *
         ((11 + 4 * coils) * samples + (3 + 2 * coils + 2 * ladder::spare_outputs(voxels)) * voxels);
}

template <class T>
ExactSum<T> fhd_sum(Trajectory const& trajectory, Matrix const& matrix,
                    std::span<std::complex<double> const> d, std::span<std::complex<double> const> phi) {
  auto const count = static_cast<std::size_t>(trajectory.size());
  require_count(count > 0 && d.size() % count == 0 ? count : d.size(), trajectory.size(), "d", false);
  require_count(phi.size(), trajectory.size(), "phi", true);
  ExactSum<T> sum;
  set_samples(sum, trajectory);
  set_voxels(sum, voxel_positions(matrix));
  set_phi(sum, phi);
  set_values(sum, d);
  return sum;
}

template <class T>
ExactSum<T> q_sum(Trajectory const& trajectory, Matrix const& matrix, std::span<double const> weights,
                  std::span<std::complex<double> const> phi) {
  require_count(weights.size(), trajectory.size(), "the weights", true);
  require_count(phi.size(), trajectory.size(), "phi", true);
  ExactSum<T> sum;
  sum.kind = SumKind::q;
  set_samples(sum, trajectory);
  HalfLags const lags = half_lags(matrix);
  set_voxels(sum, box_positions(lags.size, lags.center, matrix));
  set_phi(sum, phi);
  sum.d_re.assign(sum.kx.size(), 1);
  for (std::size_t m = 0; m < weights.size(); ++m) sum.d_re[m] = static_cast<T>(weights[m]);
  sum.d_im.assign(sum.kx.size(), 0);
  return sum;
}

std::int64_t q_sum_voxels(Matrix const& matrix) {
  auto const size = half_lags(matrix).size;
  return size[0] * size[1] * size[2];
}

template <class T>
Array<std::complex<T>> unfold_q(Matrix const& matrix, std::span<T const> re, std::span<T const> im) {
  HalfLags const lags = half_lags(matrix);
  auto const& size = lags.size;
  require_count(re.size(), size[0] * size[1] * size[2], "half of Q", false);
  require_count(im.size(), size[0] * size[1] * size[2], "half of Q", false);
  std::array<std::int64_t, 3> const n{matrix.x, matrix.y, matrix.z > 1 ? matrix.z : 0};
  Matrix const grid{.x = 2 * matrix.x, .y = 2 * matrix.y, .z = matrix.z > 1 ? 2 * matrix.z : 1};
  Array<std::complex<T>> q(grid.shape());
  auto const put = [&](std::array<std::int64_t, 3> lag, std::complex<T> value) {
    q[((lag[2] + n[2]) * grid.y + lag[1] + n[1]) * grid.x + lag[0] + n[0]] = value;
  };
  std::size_t i = 0;
  for (std::int64_t z = 0; z < size[2]; ++z) {
    for (std::int64_t y = 0; y < size[1]; ++y) {
      for (std::int64_t x = 0; x < size[0]; ++x, ++i) {
        std::array<std::int64_t, 3> const lag{x - lags.center[0], y - lags.center[1], z - lags.center[2]};
        // In the plane of slowest lag 0 both halves were computed; the later one wins, and its mirror is its conjugate.
        put(lag, {re[i], im[i]});
        put({-lag[0], -lag[1], -lag[2]}, {re[i], -im[i]});
      }
    }
  }
  auto& zero = q[((n[2]) * grid.y + n[1]) * grid.x + n[0]];
  zero = zero.real();
  return q;
}

template <class T>
ExactSum<T> forward_sum(Trajectory const& trajectory, Matrix const& matrix,
                        View<std::complex<double> const> rho) {
  bool const coils = rho.shape.rank() == 4;
  require_shape(rho.shape, coils ? matrix.shape(rho.shape.extent(Axis::coil)) : matrix.shape(), "rho");
  ExactSum<T> sum;
  sum.kind = SumKind::forward;
  Axis3 const p = voxel_positions(matrix);
  sum.kx = rounded<T>(p.x, -1);
  sum.ky = rounded<T>(p.y, -1);
  sum.kz = rounded<T>(p.z, -1);
  set_phi(sum, {});
  set_values(sum, {rho.data, static_cast<std::size_t>(rho.size())});
  sum.x = rounded<T>(trajectory.kx);
  sum.y = rounded<T>(trajectory.ky);
  sum.z = trajectory.dims == 3 ? rounded<T>(trajectory.kz) : std::vector<T>(sum.x.size());
  return sum;
}

#define FINDRHO_FOR(T)                                                                                  \
  template struct ExactSum<T>;                                                                          \
  template ExactSum<T> fhd_sum(Trajectory const&, Matrix const&, std::span<std::complex<double> const>, \
                               std::span<std::complex<double> const>);                                  \
  template ExactSum<T> q_sum(Trajectory const&, Matrix const&, std::span<double const>,                 \
                             std::span<std::complex<double> const>);                                    \
  template Array<std::complex<T>> unfold_q(Matrix const&, std::span<T const>, std::span<T const>);      \
  template ExactSum<T> forward_sum(Trajectory const&, Matrix const&, View<std::complex<double> const>);
FINDRHO_FOR(float)
FINDRHO_FOR(double)
#undef FINDRHO_FOR

}  // namespace findrho
