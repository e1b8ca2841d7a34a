// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/dft/fast_sum.hpp"

#include <algorithm>
#include <cmath>

#include "dft/half_lags.hpp"
#include "dft/separable.hpp"
#include "findrho/dft/choose_rung.hpp"
#include "findrho/dft/cuda_ladder.hpp"

namespace findrho {
namespace {

SumDevice device_of(FastSums const& sums) {
  if (!sums.cuda) return SumDevice::cpu;
  return has_tensor_rungs(*sums.cuda) ? SumDevice::cuda_tensor : SumDevice::cuda;
}

template <class T>
RungWish wish_of(FastSums const& sums, bool grid) {
  return {.accuracy = sums.accuracy,
          .grid = grid,
          .in_double = sizeof(T) == sizeof(double),
          .device = device_of(sums)};
}

template <class T>
double largest(std::vector<T> const& values) {
  double most = 0;
  for (T v : values) most = std::max(most, std::abs(static_cast<double>(v)));
  return most;
}

Matrix matrix_of(Shape const& s) {
  return {.x = s.extent(Axis::x), .y = s.extent(Axis::y), .z = s.extent(Axis::z)};
}

void require_fit(Trajectory const& trajectory, Shape const& images, Shape const& samples) {
  std::int64_t const coils = images.extent(Axis::coil);
  require_shape(images, matrix_of(images).shape(coils), "images");
  require_shape(samples, sample_shape(coils, trajectory.size()), "samples");
}

/// The samples' positions; z is 0 where a trajectory is a plane.
class Positions {
 public:
  explicit Positions(Trajectory const& t)
      : trajectory_(t), zeros_(t.dims == 3 ? 0 : static_cast<std::size_t>(t.size())) {}
  ladder::ScatteredPoints points() const {
    return {{trajectory_.kx, trajectory_.ky, trajectory_.dims == 3 ? trajectory_.kz : zeros_}};
  }

 private:
  Trajectory const& trajectory_;
  std::vector<double> zeros_;
};

template <class T>
void copy_result(SumResult<T> const& from, View<std::complex<T>> to) {
  for (std::int64_t i = 0; i < to.size(); ++i) {
    auto const n = static_cast<std::size_t>(i);
    to[i] = {from.re[n], from.im[n]};
  }
}

}  // namespace

template <class T>
Rung rung_for(FastSums const& sums, ExactSum<T> const& sum) {
  double const turns =
      largest(sum.kx) * largest(sum.x) + largest(sum.ky) * largest(sum.y) + largest(sum.kz) * largest(sum.z);
  return fastest_rung(wish_of<T>(sums, on_grid(sum)), turns);
}

template <class T>
Rung grid_rung(FastSums const& sums) {
  return fastest_rung(wish_of<T>(sums, true), 1);  // no separable rung's error depends on the turns
}

template <class T>
std::string description(FastSums const& sums) {
  std::string const place = sums.cuda ? sums.cuda->device().name : "the CPU";
  return std::string(facts(grid_rung<T>(sums)).name) + " on " + place;
}

template <class T>
SumResult<T> fast_sum(Context const& context, FastSums const& sums, ExactSum<T> const& sum) {
  Rung const rung = rung_for(sums, sum);
  RungOptions const options = default_options(rung, device_of(sums));
  if (!sums.cuda) return run_rung(context, sum, rung, options);
  context.throw_if_cancelled();
  CudaSum<T> there(*sums.cuda, sum);
  there.run(rung, options);
  return there.result();
}

// On the CPU the separable rung takes k as it stands, in double; an ExactSum rounds it to T.

template <class T>
void fast_adjoint(Context const& context, FastSums const& sums, Trajectory const& trajectory,
                  View<std::complex<T> const> samples, View<std::complex<T>> images) {
  require_fit(trajectory, images.shape, samples.shape);
  Matrix const matrix = matrix_of(images.shape);
  if (grid_rung<T>(sums) == Rung::separable_vector) {
    Positions const k(trajectory);
    ladder::separable_gather<T>(context, ladder::image_grid(matrix, +1), k.points(),
                                images.shape.extent(Axis::coil), samples.data, images.data);
    return;
  }
  std::vector<std::complex<double>> const d(samples.begin(), samples.end());
  copy_result(fast_sum(context, sums, fhd_sum<T>(trajectory, matrix, d)), images);
}

template <class T>
void fast_forward(Context const& context, FastSums const& sums, Trajectory const& trajectory,
                  View<std::complex<T> const> images, View<std::complex<T>> samples) {
  require_fit(trajectory, images.shape, samples.shape);
  Matrix const matrix = matrix_of(images.shape);
  if (grid_rung<T>(sums) == Rung::separable_vector) {
    Positions const k(trajectory);
    ladder::separable_forward<T>(context, ladder::image_grid(matrix, -1), k.points(),
                                 images.shape.extent(Axis::coil), images.data, samples.data);
    return;
  }
  Array<std::complex<double>> const rho = convert<std::complex<double>>(images);
  copy_result(fast_sum(context, sums, forward_sum<T>(trajectory, matrix, rho)), samples);
}

template <class T>
Array<std::complex<T>> fast_q(Context const& context, FastSums const& sums, Trajectory const& trajectory,
                              Matrix const& matrix, std::span<double const> weights) {
  if (grid_rung<T>(sums) != Rung::separable_vector) {
    SumResult<T> const half = fast_sum(context, sums, q_sum<T>(trajectory, matrix, weights));
    return unfold_q<T>(matrix, half.re, half.im);
  }
  Positions const k(trajectory);
  require_shape(
      sample_shape(1, weights.empty() ? trajectory.size() : static_cast<std::int64_t>(weights.size())),
      sample_shape(1, trajectory.size()), "weights");
  std::vector<std::complex<T>> const w = weights.empty()
                                             ? std::vector<std::complex<T>>(trajectory.kx.size(), T(1))
                                             : std::vector<std::complex<T>>(weights.begin(), weights.end());
  std::vector<std::complex<T>> half(static_cast<std::size_t>(q_sum_voxels(matrix)));
  ladder::separable_gather<T>(context, ladder::lag_grid(matrix), k.points(), 1, w.data(), half.data());
  std::vector<T> re, im;
  re.reserve(half.size());
  im.reserve(half.size());
  for (std::complex<T> const& q : half) {
    re.push_back(q.real());
    im.push_back(q.imag());
  }
  return unfold_q<T>(matrix, re, im);
}

template <class T>
SumBytes fast_sum_bytes(FastSums const& sums, Matrix const& grid, std::int64_t samples, std::int64_t coils) {
  constexpr std::int64_t kNumber = sizeof(T), kDouble = sizeof(double);
  std::int64_t const points = grid.voxels();
  if (!sums.cuda) {
    // Of a point: the slots' sums in double, or Q as complex numbers and by parts. Of a sample: kz of a plane, mu.
    std::int64_t const slots = 2 * kDouble * std::min(coils, ladder::kCoilsTogether);
    return {.host = points * std::max(slots + 2 * kNumber, 4 * kNumber) + samples * (kDouble + 2 * kNumber)};
  }
  // Of a point: positions in double while the sum is made; then in T, with the result. Of a sample: k, Phi and d, and d
  // in double before.
  SumBytes bytes;
  bytes.host = points * (3 * kDouble + (3 + 2 * coils) * kNumber) +
               samples * ((5 + 2 * coils) * kNumber + 2 * coils * kDouble);
  // The sum as it is copied there, F^H d or F rho; of 2^20 samples at the most phases, two numbers a slot of every axis,
  // tiles filled up, and of F rho sums in double, one for 64 slots of the last axis; of F^H d the slots' sums in double,
  // twice for parts of the samples.
  std::int64_t const slots_of_axes = (grid.x + grid.y + grid.z) / 2 + 80,
                     tiles_of_axis = ((std::max({grid.x, grid.y, grid.z}) + 1) / 2 + 63) / 64;
  bytes.device =
      std::max(ExactSum<T>::bytes(samples, points, coils), ExactSum<T>::bytes(points, samples, coils)) +
      std::min<std::int64_t>(samples, 1 << 20) * (slots_of_axes * 8 + coils * tiles_of_axis * 2 * kDouble) +
      points * coils * 4 * kDouble;
  return bytes;
}

#define FINDRHO_FOR(T)                                                                                      \
  template Rung rung_for(FastSums const&, ExactSum<T> const&);                                              \
  template Rung grid_rung<T>(FastSums const&);                                                              \
  template std::string description<T>(FastSums const&);                                                     \
  template SumResult<T> fast_sum(Context const&, FastSums const&, ExactSum<T> const&);                      \
  template void fast_adjoint(Context const&, FastSums const&, Trajectory const&,                            \
                             View<std::complex<T> const>, View<std::complex<T>>);                           \
  template void fast_forward(Context const&, FastSums const&, Trajectory const&,                            \
                             View<std::complex<T> const>, View<std::complex<T>>);                           \
  template Array<std::complex<T>> fast_q(Context const&, FastSums const&, Trajectory const&, Matrix const&, \
                                         std::span<double const>);                                          \
  template SumBytes fast_sum_bytes<T>(FastSums const&, Matrix const&, std::int64_t, std::int64_t);
FINDRHO_FOR(float)
FINDRHO_FOR(double)
#undef FINDRHO_FOR

}  // namespace findrho
