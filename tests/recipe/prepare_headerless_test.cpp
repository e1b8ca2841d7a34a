// SPDX-License-Identifier: BSD-3-Clause
// Samples and trajectory without a header, as BART's cfl files hold them.
#include <gtest/gtest.h>

#include <fstream>
#include <functional>
#include <numeric>

#include "prepare_events.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;

/// The arrays of a scan of 4 spokes x 8 samples, 2 coils and `frames` frames; k from -4 to 3 along x.
struct Arrays {
  explicit Arrays(std::int64_t frames = 1)
      : samples({{Axis::other, frames * 2 * 4 * 8}}), trajectory({{Axis::other, 4 * 8 * 3}}) {
    for (std::int64_t i = 0; i < samples.size(); ++i) samples[i] = {static_cast<float>(i + 1), 0};
    for (std::int64_t i = 0; i < 32; ++i) {
      trajectory[3 * i] = static_cast<float>(i % 8 - 4);
      trajectory[3 * i + 1] = static_cast<float>(i / 8);
    }
    scan = {"arrays", {1, 8, 4, 2}, {3, 8, 4}, samples, trajectory};
    if (frames > 1) scan.sample_dims = {1, 8, 4, 2, 1, 1, 1, 1, 1, 1, frames};
  }
  Array<std::complex<float>> samples, trajectory;
  HeaderlessScan scan;
};

PrepareOptions matrix_8() {
  PrepareOptions options;
  options.matrix = {8, 8, 0};
  return options;
}

Dataset prepared(HeaderlessScan const& scan, PrepareOptions const& options = matrix_8()) {
  return prepare_headerless(Context::cpu(2), scan, options);
}

TEST(PrepareHeaderless, SamplesStandByCoilAndSpoke) {
  Arrays const arrays;
  Dataset const d = prepared(arrays.scan);
  EXPECT_EQ(d.coils, 2);
  ASSERT_EQ(d.frames.size(), 1U);
  EXPECT_EQ(d.frames[0].trajectory->samples_per_readout, 8);
  EXPECT_EQ(d.frames[0].trajectory->kx[9], -3);
  EXPECT_EQ(d.frames[0].trajectory->ky[9], 1);
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(d.frames[0].samples[i], arrays.samples[i]);
}

TEST(PrepareHeaderless, FurtherDimensionsAreFramesOfOneTrajectory) {
  Arrays const arrays(3);
  Dataset const d = prepared(arrays.scan);
  ASSERT_EQ(d.frames.size(), 3U);
  EXPECT_EQ(d.frames[2].index.repetition, 2);
  EXPECT_EQ(d.frames[2].samples[5], arrays.samples[2 * 64 + 5]);
  EXPECT_EQ(d.frames[0].trajectory, d.frames[2].trajectory);
}

TEST(PrepareHeaderless, DimensionsMayBeListedSlowestFirst) {
  Arrays arrays;
  arrays.scan.sample_dims = {2, 4, 8, 1};
  arrays.scan.trajectory_dims = {4, 8, 3};
  EXPECT_EQ(prepared(arrays.scan).frames[0].samples[40], arrays.samples[40]);
}

TEST(PrepareHeaderless, SizesThatDoNotFitAreNamed) {
  Arrays arrays;
  arrays.scan.trajectory_dims = {3, 8, 3};
  Error const error = caught([&] { prepared(arrays.scan); });
  EXPECT_EQ(error.kind, ErrorKind::bad_shape);
  EXPECT_TRUE(mentions(error, "samples (1, 8, 4, 2) and trajectory (3, 8, 3) do not fit"));
  arrays.scan.trajectory_dims = {3, 8, 4};
  arrays.scan.samples = View<std::complex<float> const>(arrays.samples.data(), {{Axis::other, 60}});
  EXPECT_TRUE(mentions(caught([&] { prepared(arrays.scan); }), "60 samples"));
}

TEST(PrepareHeaderless, MatrixIsAskedFor) {
  Arrays const arrays;
  EXPECT_TRUE(mentions(caught([&] { prepared(arrays.scan, {}); }), "--matrix"));
}

struct Cfl {
  std::vector<std::int64_t> dims;
  Array<std::complex<float>> values;
};

Cfl read_cfl(std::string const& name, std::vector<std::int64_t> dims) {
  std::int64_t const size = std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
  Cfl cfl{std::move(dims), Array<std::complex<float>>({{Axis::other, size}})};
  std::ifstream file(test::data_file(name), std::ios::binary);
  file.read(reinterpret_cast<char*>(cfl.values.data()), size * 8);
  EXPECT_TRUE(file.good()) << name;
  return cfl;
}

TEST(PrepareHeaderless, HeartIsTheSameFromCflAndMrd) {
  FINDRHO_NEED_DATA();
  Cfl const samples = read_cfl("heart-radial/heart_ksp.cfl", {1, 256, 25, 12});
  Cfl const trajectory = read_cfl("heart-radial/heart_traj.cfl", {3, 256, 25});
  PrepareOptions options;
  options.matrix = {256, 256, 1};
  Dataset const cfl =
      prepared({"heart", samples.dims, trajectory.dims, samples.values, trajectory.values}, options);
  Dataset const mrd = test::prepared(test::read_data("heart-radial/heart.h5")).dataset;
  ASSERT_EQ(cfl.frames[0].samples.size(), mrd.frames[0].samples.size());
  for (std::int64_t i = 0; i < cfl.frames[0].samples.size(); ++i) {
    ASSERT_EQ(cfl.frames[0].samples[i], mrd.frames[0].samples[i]);
  }
  for (std::size_t i = 0; i < 6400; ++i) {
    // Both are float32 of |k| <= 128, in different units: two roundings of 128 x 6e-8 = 8e-6.
    ASSERT_NEAR(cfl.frames[0].trajectory->kx[i], mrd.frames[0].trajectory->kx[i], 1.6e-5);
    ASSERT_NEAR(cfl.frames[0].trajectory->ky[i], mrd.frames[0].trajectory->ky[i], 1.6e-5);
  }
}

}  // namespace
}  // namespace findrho
