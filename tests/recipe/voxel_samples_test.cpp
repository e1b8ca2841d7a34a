// SPDX-License-Identifier: BSD-3-Clause
// The sum over voxels against the sum written out, and against closed forms as the voxels shrink.
#include "recipe/voxel_samples.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "findrho/core/error.hpp"
#include "findrho/phantom/phantom.hpp"

namespace findrho {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

Context const context = Context::cpu(2);

/// Two readouts of samples without order, 12 ms long, beginning before the echo.
Trajectory scattered(int dims, std::int64_t n, std::int64_t samples) {
  Trajectory t;
  t.dims = dims;
  t.samples_per_readout = samples / 2;
  for (std::int64_t m = 0; m < samples; ++m) {
    for (int d = 0; d < dims; ++d) {
      t[d].push_back(0.5 * static_cast<double>(n) * std::sin(1.7 * static_cast<double>(m * (d + 1)) + d));
    }
    t.time_s.push_back(-0.003F + 0.012F * static_cast<float>(m % t.samples_per_readout) /
                                     static_cast<float>(t.samples_per_readout));
  }
  return t;
}

double relative(Array<Complex> const& a, Array<Complex> const& b) {
  double difference = 0, size = 0;
  for (std::int64_t i = 0; i < a.size(); ++i) {
    difference += std::norm(a[i] - b[i]);
    size += std::norm(b[i]);
  }
  return std::sqrt(difference / size);
}

std::array<double, 3> place(Matrix const& m, std::int64_t n) {
  std::int64_t const index[] = {n % m.x, n / m.x % m.y, n / m.x / m.y};
  std::array<double, 3> r{};
  for (std::size_t d = 0; d < 3; ++d) {
    std::int64_t const size = m[static_cast<int>(d)];
    r[d] = static_cast<double>(index[d] - size / 2) / static_cast<double>(size);
  }
  return r;
}

double sinc(double x) {
  return x == 0 ? 1 : std::sin(pi * x) / (pi * x);
}

TEST(VoxelSamples, AreTheSumWrittenOut) {
  for (int const dims : {2, 3}) {
    Matrix const fine = dims == 2 ? Matrix{20, 18, 1} : Matrix{10, 8, 6};
    Matrix const matrix = dims == 2 ? Matrix{10, 9, 1} : Matrix{5, 4, 3};
    VoxelPhantom object{fine, {}};
    for (int i = 0; i < 2; ++i) {
      VoxelPhantom::Tissue tissue{"", Array<float>(fine.shape())};
      for (std::int64_t n = 0; n < fine.voxels(); ++n) {
        tissue.density[n] = static_cast<float>(std::max(0.0, std::sin(static_cast<double>(3 * n + i))));
      }
      object.tissues.push_back(std::move(tissue));
    }
    object.tissues[0].decay = {.t2star_s = 0.03, .second_t2star_s = 0.004, .second_part = 0.6};
    object.tissues[1].frequency_hz = -55;
    FieldMap field{.polynomial = {10, 30, -20}, .blobs = {{120, {0.1, -0.1, 0}, 0.2}}};
    Placement const moved = placement({{0, 0, 0.3}, {8, -5, 0}}, {100, 100, 100}, dims);
    Trajectory const t = scattered(dims, matrix.x, 40);
    CoilArray const coils = make_coil_array(dims, 3, CoilModel::loops);
    auto const got = voxel_samples(context, {object, matrix, t, coils, field, {{}, moved}});

    Array<Complex> expected(got.shape());
    for (std::int64_t m = 0; m < 40; ++m) {
      auto const i = static_cast<std::size_t>(m);
      Placement const& p = m < 20 ? Placement{} : moved;
      double const time = t.time_s[i];
      std::array<double, 3> const k{t.kx[i], t.ky[i], dims == 3 ? t.kz[i] : 0};
      double box = static_cast<double>(matrix.voxels()) / static_cast<double>(fine.voxels());
      for (std::size_t e = 0; e < static_cast<std::size_t>(dims); ++e) {
        double along = 0;  // k turned into the box's frame
        for (std::size_t d = 0; d < 3; ++d) along += p.turn[d][e] * k[d];
        box *= sinc(along / static_cast<double>(fine[static_cast<int>(e)]));
      }
      std::vector<std::array<double, 3>> points;
      for (std::int64_t n = 0; n < fine.voxels(); ++n) {
        auto const r = place(fine, n);
        auto& at = points.emplace_back(p.shift);
        for (std::size_t d = 0; d < 3; ++d) {
          for (std::size_t e = 0; e < 3; ++e) at[d] += p.turn[d][e] * r[e];
        }
      }
      auto const s = sensitivities_at(context, coils, points);
      for (std::int64_t n = 0; n < fine.voxels(); ++n) {
        auto const& r = points[static_cast<std::size_t>(n)];
        Complex density = 0;
        for (auto const& tissue : object.tissues) {
          density +=
              static_cast<double>(tissue.density[n]) * signal_at(tissue.decay, tissue.frequency_hz, time);
        }
        double const turns = frequency_hz(field, r) * time - (k[0] * r[0] + k[1] * r[1] + k[2] * r[2]);
        for (std::int64_t c = 0; c < 3; ++c) {
          expected[c * 40 + m] += box * s[c * fine.voxels() + n] * density * std::polar(1.0, 2 * pi * turns);
        }
      }
    }
    // NUFFTs of 1e-7; segments of 1e-6 times e^(half the readout / the shortest T2*) = e^1.5 of the signal at mid-readout,
    // which the short component's e^(-0.75) at 3 ms makes less than 5 of what is there at all: in all 1e-5.
    EXPECT_LE(relative(got, expected), 1e-5) << dims << "D";
  }
}

TEST(VoxelSamples, ApproachTheClosedFormAsTheSquareOfTheVoxels) {
  Phantom const phantom{
      2,
      {{.density = 1, .center = {0.05, -0.03, 0}, .semi_axis = {0.35, 0.28, 0}, .rotation_rad = 0.4},
       {.shape = SolidShape::box,
        .density = 0.7,
        .center = {-0.1, 0.1, 0},
        .semi_axis = {0.11, 0.06, 0},
        .frequency_hz = 40,
        .decay = {.t2star_s = 0.01}}}};
  Matrix const matrix{24, 24, 1};
  Trajectory const t = scattered(2, 24, 200);
  CoilArray const coils = make_coil_array(2, 4, CoilModel::polynomial);
  FieldMap const field{.polynomial = {15, 60, -45}};  // linear: in closed form by shifted samples
  std::vector<Placement> const places{{}, placement({{0, 0, 0.2}, {6, 3, 0}}, {100, 100, 100}, 2)};
  auto closed =
      phantom_samples(context, phantom, matrix, shifted_by_field(t, field), coils.polynomial, places);
  for (std::int64_t i = 0; i < closed.size(); ++i) {
    closed[i] *= std::polar(1.0, 2 * pi * 15 * t.time_s[static_cast<std::size_t>(i % t.size())]);
  }
  auto const error = [&](std::int64_t supersampling) {
    Matrix const fine{24 * supersampling, 24 * supersampling, 1};
    return relative(
        voxel_samples(context, {voxelise(context, phantom, fine), matrix, t, coils, field, places}), closed);
  };
  double const coarse = error(4), finest = error(16);
  // Quartered voxels leave a 16th of the error of coils and field; the aliasing of edges falls as fast or faster, but what is
  // left of it depends on where edges lie on the voxels: twice a 16th.
  EXPECT_LE(finest, coarse * 2 / 16);
  // h^2 2 pi |k| |gradient| / 12 with h = 1/384, |k| = 12, and a gradient of 2 pi 150 Hz/FOV 9 ms = 8.5 rad plus the coils' 5
  // per FOV: 6e-4. The edges may add as much.
  EXPECT_LE(finest, 1.2e-3);
}

TEST(TimeSegments, InterpolateToTheirBound) {
  for (Complex const z : {Complex(0, 0.1), Complex(0, 3), Complex(0, 40), Complex(2, 5), Complex(6, 0)}) {
    int const count = time_segments(z);
    std::vector<double> nodes;
    for (int l = 0; l < count; ++l) nodes.push_back(std::cos((2 * l + 1) * pi / (2 * count)));
    for (double x = -1; x <= 1; x += 0.013) {
      Complex sum = 0;
      for (int l = 0; l < count; ++l) {
        double lagrange = 1;
        for (int j = 0; j < count; ++j) {
          if (j != l) {
            lagrange *= (x - nodes[static_cast<std::size_t>(j)]) /
                        (nodes[static_cast<std::size_t>(l)] - nodes[static_cast<std::size_t>(j)]);
          }
        }
        sum += lagrange * std::exp(z * nodes[static_cast<std::size_t>(l)]);
      }
      // Products of up to 70 differences round by less than 1e-12.
      EXPECT_LE(std::abs(sum - std::exp(z * x)), (1e-6 + 1e-12) * std::exp(std::abs(z.real())))
          << z << " " << x;
    }
  }
  EXPECT_THROW(time_segments({0, 1000}), Error);
}

TEST(VoxelSamples, RefuseWhatDoesNotFit) {
  VoxelPhantom const object = voxelise(context, shepp_logan(2), {16, 16, 1});
  CoilArray const coils = make_coil_array(2, 1, CoilModel::polynomial);
  Trajectory t = scattered(2, 8, 10);
  EXPECT_THROW(voxel_samples(context, {object, {8, 8, 8}, t, coils}), Error);
  EXPECT_THROW(voxel_samples(context, {object, {8, 8, 1}, t, coils, {}, {{}}}), Error);
  t.time_s.clear();
  EXPECT_THROW(voxel_samples(context, {object, {8, 8, 1}, t, coils, {.polynomial = {5}}}), Error);
}

}  // namespace
}  // namespace findrho
