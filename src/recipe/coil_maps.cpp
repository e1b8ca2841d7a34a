// SPDX-License-Identifier: BSD-3-Clause
#include "coil_maps.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>

#include "backend/cuda/call.hpp"
#include "findrho/core/error.hpp"
#include "findrho/nufft/nufft.hpp"
#include "recipe/cuda/coil_maps_abi.hpp"

namespace findrho {
namespace {

using Cf = std::complex<float>;
using Cd = std::complex<double>;

constexpr int kIterations = 8;  // of the power method, at a voxel

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

/// sum_n m m^H of the whole image, lower triangle only; in parts whose number does not depend on the threads.
std::vector<Cd> covariance_of(Context const& context, View<Cf const> images, std::size_t coils) {
  constexpr std::int64_t kParts = 16;
  std::int64_t const voxels = images.size() / static_cast<std::int64_t>(coils);
  std::vector<std::vector<Cd>> parts(kParts, std::vector<Cd>(coils * coils));
  context.pool().each(kParts, [&](std::int64_t part) {
    for (std::int64_t n = voxels * part / kParts; n < voxels * (part + 1) / kParts; ++n)
      add_outer(parts[static_cast<std::size_t>(part)], images.data + n, voxels, coils);
  });
  for (std::size_t part = 1; part < kParts; ++part) {
    for (std::size_t i = 0; i < coils * coils; ++i) parts[0][i] += parts[part][i];
  }
  return std::move(parts[0]);
}

/// The dominant coil combination of the whole image: the phase reference.
std::vector<Cd> virtual_coil(std::vector<Cd> covariance, std::size_t coils) {
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

/// Neighbours half a resolution element apart: the low-resolution image carries nothing finer.
std::array<std::int64_t, 3> steps(Matrix const& matrix, double radius) {
  std::array<std::int64_t, 3> step{};
  for (int d = 0; d < 3; ++d) {
    step[static_cast<std::size_t>(d)] =
        std::max<std::int64_t>(1, std::llround(static_cast<double>(matrix[d]) / (4 * radius)));
  }
  return step;
}

Array<Cd> samples_of(Centre const& centre, std::int64_t coil) {
  std::int64_t const count = centre.trajectory.size();
  return convert<Cd>(View<Cf const>(centre.samples.data() + coil * count, sample_shape(1, count)));
}

/// F^H of one coil after the other, in double, so that both devices give the same.
Array<Cf> coil_images(Context const& context, Centre const& centre, Matrix const& matrix) {
  std::int64_t const coils = centre.samples.shape().extent(Axis::coil), voxels = matrix.voxels();
  Nufft<double> const nufft(context, centre.trajectory, matrix);
  Array<Cf> images(matrix.shape(coils));
  Array<Cd> image(matrix.shape(1));
  for (std::int64_t c = 0; c < coils; ++c) {
    nufft.adjoint(context, samples_of(centre, c), image);
    std::copy(image.begin(), image.end(), images.data() + c * voxels);
  }
  return images;
}

Array<Cf> maps_on_device(CudaSession const& session, Centre const& centre, Matrix const& matrix,
                         double radius) {
  CudaCoilMapsTable const& table = session.table<CudaCoilMapsTable>();
  std::int64_t const coils = centre.samples.shape().extent(Axis::coil), voxels = matrix.voxels(),
                     samples = centre.trajectory.size();
  CudaVector<Cf> const images(session, coils * voxels);
  {
    CudaNufft<double> const nufft(session, centre.trajectory, matrix);
    CudaVector<Cd> const d(session, samples), image(session, voxels);
    for (std::int64_t c = 0; c < coils; ++c) {
      d.upload(samples_of(centre, c).data());
      nufft.adjoint(d.data(), image.data(), 1);
      call(session, table.round, session.handle(), static_cast<void const*>(image.data()),
           static_cast<long long>(voxels), static_cast<void*>(images.data() + c * voxels));
    }
  }
  auto const nc = static_cast<std::size_t>(coils);
  std::vector<Cd> covariance(nc * nc);
  call(session, table.covariance, session.handle(), static_cast<void const*>(images.data()),
       static_cast<long long>(voxels), static_cast<long long>(coils), static_cast<void*>(covariance.data()));
  std::vector<Cd> const reference = virtual_coil(std::move(covariance), nc);
  auto const step = steps(matrix, radius);
  CudaCoilMapsRecord const record{.matrix = {matrix.x, matrix.y, matrix.z},
                                  .coils = coils,
                                  .step = {step[0], step[1], step[2]},
                                  .iterations = kIterations};
  CudaVector<Cf> const maps(session, coils * voxels);
  call(session, table.maps, session.handle(), &record, static_cast<void const*>(images.data()),
       static_cast<void const*>(reference.data()), static_cast<void*>(maps.data()));
  Array<Cf> result(matrix.shape(coils));
  maps.download(result.data());
  return result;
}

}  // namespace

std::int64_t coil_maps_bytes(CudaSession const& session, CudaTrajectory const& trajectory,
                             Matrix const& matrix, std::int64_t coils) {
  if (coils > CudaCoilMapsTable::kMostCoils) return 0;
  std::int64_t const images = coils * matrix.voxels() * std::int64_t{sizeof(Cf)};
  return images + std::max(images, CudaNufft<double>(session, trajectory, matrix).bytes(1) +
                                       (trajectory.samples + matrix.voxels()) * std::int64_t{sizeof(Cd)});
}

Array<Cf> estimate_coil_maps(Context const& context, Trajectory const& trajectory, View<Cf const> samples,
                             std::vector<double> const& density, Matrix const& matrix, double radius,
                             std::optional<CudaSession> const& cuda) {
  Centre const centre = centre_of(trajectory, samples, density, matrix, radius);
  std::int64_t const coils = samples.shape.extent(Axis::coil), voxels = matrix.voxels();
  if (cuda && coils <= CudaCoilMapsTable::kMostCoils) return maps_on_device(*cuda, centre, matrix, radius);
  Array<Cf> const images = coil_images(context, centre, matrix);
  auto const nc = static_cast<std::size_t>(coils);
  std::vector<Cd> const reference = virtual_coil(covariance_of(context, images, nc), nc);
  auto const step = steps(matrix, radius);
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
      dominant_eigenvector(covariance, v, kIterations);
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
