// SPDX-License-Identifier: BSD-3-Clause
// Rung 0 of the exact sums: the definition, in double, one axis at a time.
// exp(-i 2 pi k.r) is a product over the axes, so sines are needed per axis and sample, not per voxel and
// sample.
#include "findrho/dft/exact_sum.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

using Phasor = std::complex<double>;

Matrix matrix_of(Shape const& shape) {
  return {.x = shape.extent(Axis::x), .y = shape.extent(Axis::y), .z = shape.extent(Axis::z)};
}

void require_fit(Trajectory const& trajectory, Shape const& image, Shape const& samples) {
  std::int64_t const coils = image.extent(Axis::coil);
  require_shape(image, matrix_of(image).shape(coils), "image");
  require_shape(samples, sample_shape(coils, trajectory.size()), "samples");
}

/// exp(i 2 pi sign k r_n), r_n = (n - floor(N/2)) / N, for all n of an axis. The argument k (n - floor(N/2))
/// / N is in cycles; whole cycles are dropped before the multiplication by 2 pi, so large k loses no digits
/// to the sine.
void axis_phasors(double k, double sign, std::int64_t size, std::vector<Phasor>& phasors) {
  phasors.resize(static_cast<std::size_t>(size));
  for (std::int64_t n = 0; n < size; ++n) {
    double const cycles = std::remainder(k * static_cast<double>(n - size / 2), static_cast<double>(size)) /
                          static_cast<double>(size);
    phasors[static_cast<std::size_t>(n)] = std::polar(1.0, sign * 2 * std::numbers::pi * cycles);
  }
}

double coordinate(Trajectory const& trajectory, int d, std::int64_t m) {
  return d < trajectory.dims ? trajectory[d][static_cast<std::size_t>(m)] : 0.0;
}

/// The phasors of one sample along each axis.
struct SamplePhasors {
  std::vector<Phasor> x, y, z;
  void find(Trajectory const& trajectory, std::int64_t sample, double sign, Matrix const& m) {
    axis_phasors(coordinate(trajectory, 0, sample), sign, m.x, x);
    axis_phasors(coordinate(trajectory, 1, sample), sign, m.y, y);
    axis_phasors(coordinate(trajectory, 2, sample), sign, m.z, z);
  }
};

/// a * b without the NaN recovery of std::complex's operator*, which costs a branch per product.
Phasor product(Phasor a, Phasor b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class T>
void put(std::complex<T>& target, Phasor value, Write write) {
  std::complex<T> const rounded(static_cast<T>(value.real()), static_cast<T>(value.imag()));
  target = write == Write::add ? target + rounded : rounded;
}

}  // namespace

template <class T>
void exact_forward(Context const& context, Trajectory const& trajectory, View<std::complex<T> const> image,
                   View<std::complex<T>> samples, Write write) {
  require_fit(trajectory, image.shape, samples.shape);
  Matrix const m = matrix_of(image.shape);
  std::int64_t const count = trajectory.size(), coils = image.shape.extent(Axis::coil), block = 64;
  context.pool().each((count + block - 1) / block, [&](std::int64_t task) {
    SamplePhasors e;
    for (std::int64_t s = task * block; s < std::min(count, (task + 1) * block); ++s) {
      e.find(trajectory, s, -1, m);
      for (std::int64_t c = 0; c < coils; ++c) {
        Phasor sum = 0;
        std::complex<T> const* voxel = image.data + c * m.voxels();
        for (Phasor const& pz : e.z) {
          for (Phasor const& py : e.y) {
            Phasor row = 0;
            for (Phasor const& px : e.x) row += product(px, Phasor(*voxel++));
            sum += product(row, product(py, pz));
          }
        }
        put(samples[c * count + s], sum, write);
      }
    }
  });
}

template <class T>
void exact_adjoint(Context const& context, Trajectory const& trajectory, View<std::complex<T> const> samples,
                   View<std::complex<T>> image, Write write) {
  require_fit(trajectory, image.shape, samples.shape);
  Matrix const m = matrix_of(image.shape);
  std::int64_t const count = trajectory.size(), coils = image.shape.extent(Axis::coil);
  std::int64_t const rows = coils * m.z * m.y, tasks = std::min<std::int64_t>(rows, 64);
  std::vector<Phasor> sums(static_cast<std::size_t>(rows * m.x));
  // The phasors of a block of samples are found once, then every row of voxels adds the block up.
  constexpr std::int64_t kBlock = 128;
  std::vector<SamplePhasors> phasors(kBlock);
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    std::int64_t const length = std::min(kBlock, count - begin);
    context.pool().each(length, [&](std::int64_t i) {
      phasors[static_cast<std::size_t>(i)].find(trajectory, begin + i, +1, m);
    });
    context.pool().each(tasks, [&](std::int64_t task) {
      for (std::int64_t r = rows * task / tasks; r < rows * (task + 1) / tasks; ++r) {
        std::int64_t const y = r % m.y, z = r / m.y % m.z, c = r / (m.y * m.z);
        Phasor* const row = sums.data() + r * m.x;
        for (std::int64_t i = 0; i < length; ++i) {
          SamplePhasors const& e = phasors[static_cast<std::size_t>(i)];
          Phasor const value =
              product(Phasor(samples[c * count + begin + i]),
                      product(e.y[static_cast<std::size_t>(y)], e.z[static_cast<std::size_t>(z)]));
          for (std::size_t x = 0; x < e.x.size(); ++x) row[x] += product(e.x[x], value);
        }
      }
    });
  }
  for (std::int64_t i = 0; i < rows * m.x; ++i) put(image[i], sums[static_cast<std::size_t>(i)], write);
}

template void exact_forward(Context const&, Trajectory const&, View<std::complex<float> const>,
                            View<std::complex<float>>, Write);
template void exact_forward(Context const&, Trajectory const&, View<std::complex<double> const>,
                            View<std::complex<double>>, Write);
template void exact_adjoint(Context const&, Trajectory const&, View<std::complex<float> const>,
                            View<std::complex<float>>, Write);
template void exact_adjoint(Context const&, Trajectory const&, View<std::complex<double> const>,
                            View<std::complex<double>>, Write);

}  // namespace findrho
