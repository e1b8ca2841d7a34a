// SPDX-License-Identifier: BSD-3-Clause
#include "coil_maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "findrho/core/error.hpp"
#include "findrho/nufft/nufft.hpp"

namespace findrho {
namespace {

using Cf = std::complex<float>;
using Cd = std::complex<double>;

/// The samples within the radius, density and Hann weights applied.
struct Centre {
  Trajectory trajectory;
  Array<Cf> samples;
};

Centre centre_of(Trajectory const& trajectory, View<Cf const> samples, std::vector<double> const& density,
                 Matrix const& matrix, double radius) {
  std::vector<std::int64_t> kept;
  std::vector<double> weights;
  for (std::int64_t m = 0; m < trajectory.size(); ++m) {
    double u_sq = 0;
    for (int d = 0; d < trajectory.dims; ++d) {
      double const limit = std::min(radius, static_cast<double>(matrix[d]) / 2);
      double const u = trajectory[d][static_cast<std::size_t>(m)] / limit;
      u_sq += u * u;
    }
    if (u_sq >= 1) continue;
    kept.push_back(m);
    weights.push_back(density[static_cast<std::size_t>(m)] *
                      (0.5 + 0.5 * std::cos(std::numbers::pi * std::sqrt(u_sq))));
  }
  if (kept.size() < 8) {
    throw Error(ErrorKind::bad_option,
                fmt::format("only {} samples lie within {} cycles per FOV of the centre: too few to estimate "
                            "sensitivity maps",
                            kept.size(), radius),
                "give maps with --maps, a larger --calibration-radius, or combine coils with --coils rss");
  }
  Centre centre;
  centre.trajectory.dims = trajectory.dims;
  auto const count = static_cast<std::int64_t>(kept.size());
  std::int64_t const coils = samples.shape.extent(Axis::coil);
  centre.samples = Array<Cf>(sample_shape(coils, count));
  for (int d = 0; d < trajectory.dims; ++d) {
    for (std::int64_t m : kept) centre.trajectory[d].push_back(trajectory[d][static_cast<std::size_t>(m)]);
  }
  for (std::int64_t c = 0; c < coils; ++c) {
    for (std::int64_t i = 0; i < count; ++i) {
      auto const at = static_cast<std::size_t>(i);
      centre.samples[c * count + i] =
          samples[c * trajectory.size() + kept[at]] * static_cast<float>(weights[at]);
    }
  }
  return centre;
}

/// A few power iterations on a small Hermitian matrix, from the given start; leaves a unit vector.
void dominant_eigenvector(std::span<Cd const> hermitian, std::span<Cd> v, int iterations) {
  std::size_t const n = v.size();
  std::vector<Cd> next(n);
  for (int it = 0; it < iterations; ++it) {
    double norm_sq = 0;
    for (std::size_t i = 0; i < n; ++i) {
      Cd sum = 0;
      for (std::size_t j = 0; j < n; ++j) {
        Cd const h = hermitian[i * n + j];  // spelled out: std::complex's product looks for infinities
        sum += Cd(h.real() * v[j].real() - h.imag() * v[j].imag(),
                  h.real() * v[j].imag() + h.imag() * v[j].real());
      }
      next[i] = sum;
      norm_sq += std::norm(sum);
    }
    if (norm_sq == 0) return;
    double const scale = 1 / std::sqrt(norm_sq);
    for (std::size_t i = 0; i < n; ++i) v[i] = next[i] * scale;
  }
}

/// Adds m m^H of one voxel's coil values, lower triangle only.
void add_outer(std::span<Cd> hermitian, Cf const* image, std::int64_t coil_stride, std::size_t coils) {
  for (std::size_t i = 0; i < coils; ++i) {
    Cd const a = image[static_cast<std::int64_t>(i) * coil_stride];
    for (std::size_t j = 0; j <= i; ++j) {
      Cd const b = image[static_cast<std::int64_t>(j) * coil_stride];
      hermitian[i * coils + j] +=
          Cd(a.real() * b.real() + a.imag() * b.imag(), a.imag() * b.real() - a.real() * b.imag());
    }
  }
}

void complete_upper_triangle(std::span<Cd> hermitian, std::size_t coils) {
  for (std::size_t i = 0; i < coils; ++i) {
    for (std::size_t j = 0; j < i; ++j) hermitian[j * coils + i] = std::conj(hermitian[i * coils + j]);
  }
}

/// The dominant coil combination of the whole image: the phase reference.
std::vector<Cd> virtual_coil(View<Cf const> images, std::size_t coils) {
  std::int64_t const voxels = images.size() / static_cast<std::int64_t>(coils);
  std::vector<Cd> covariance(coils * coils);
  for (std::int64_t n = 0; n < voxels; ++n) add_outer(covariance, images.data + n, voxels, coils);
  complete_upper_triangle(covariance, coils);
  std::size_t strongest = 0;
  for (std::size_t i = 1; i < coils; ++i) {
    if (covariance[i * coils + i].real() > covariance[strongest * coils + strongest].real()) strongest = i;
  }
  std::vector<Cd> v(coils);
  v[strongest] = 1;
  dominant_eigenvector(covariance, v, 50);
  return v;
}

}  // namespace

Array<Cf> estimate_coil_maps(Context const& context, Trajectory const& trajectory, View<Cf const> samples,
                             std::vector<double> const& density, Matrix const& matrix, double radius) {
  Centre const centre = centre_of(trajectory, samples, density, matrix, radius);
  std::int64_t const coils = samples.shape.extent(Axis::coil);
  Array<Cf> images(matrix.shape(coils));
  Nufft<float>(context, centre.trajectory, matrix, {.accuracy = 1e-3})
      .adjoint(context, centre.samples, images);

  auto const nc = static_cast<std::size_t>(coils);
  std::int64_t const voxels = matrix.voxels();
  std::vector<Cd> const reference = virtual_coil(images, nc);
  // Neighbours half a resolution element apart: the low-resolution image carries nothing finer.
  std::array<std::int64_t, 3> step{};
  for (int d = 0; d < 3; ++d) {
    step[static_cast<std::size_t>(d)] =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(matrix[d]) / (4 * radius)));
  }
  Array<Cf> maps(matrix.shape(coils));
  context.pool().each(matrix.y * matrix.z, [&](std::int64_t row) {
    std::int64_t const z = row / matrix.y, y = row % matrix.y;
    std::vector<Cd> covariance(nc * nc), v(nc);
    for (std::int64_t x = 0; x < matrix.x; ++x) {
      std::fill(covariance.begin(), covariance.end(), Cd(0));
      for (std::int64_t dz = -step[2]; dz <= step[2]; dz += step[2]) {
        for (std::int64_t dy = -step[1]; dy <= step[1]; dy += step[1]) {
          for (std::int64_t dx = -step[0]; dx <= step[0]; dx += step[0]) {
            std::int64_t const zz = z + dz, yy = y + dy, xx = x + dx;
            if (zz < 0 || yy < 0 || xx < 0 || zz >= matrix.z || yy >= matrix.y || xx >= matrix.x) continue;
            add_outer(covariance, images.data() + (zz * matrix.y + yy) * matrix.x + xx, voxels, nc);
          }
        }
      }
      complete_upper_triangle(covariance, nc);
      std::copy(reference.begin(), reference.end(), v.begin());
      dominant_eigenvector(covariance, v, 8);
      Cd overlap = 0;
      for (std::size_t c = 0; c < nc; ++c) overlap += std::conj(reference[c]) * v[c];
      Cd const turn = overlap == Cd(0) ? Cd(1) : std::conj(overlap) / std::abs(overlap);
      for (std::size_t c = 0; c < nc; ++c) {
        maps[static_cast<std::int64_t>(c) * voxels + row * matrix.x + x] = Cf(v[c] * turn);
      }
    }
  });
  return maps;
}

}  // namespace findrho
