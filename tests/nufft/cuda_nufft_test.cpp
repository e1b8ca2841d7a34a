// SPDX-License-Identifier: BSD-3-Clause
// The NUFFT on a CUDA device against the CPU's with the same kernel and grid, and against the exact sums. Skipped where
// there is no device.
#include "findrho/nufft/cuda_nufft.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <string>

#include "backend/gpu.hpp"
#include "findrho/core/error.hpp"
#include "findrho/dft/exact_sum.hpp"
#include "nufft/kernel.hpp"
#include "nufft/samples.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using test::every_kind_of_point;
using test::noise;
using test::relative_error;

template <class T>
std::vector<std::complex<T>> as_vector(Array<std::complex<T>> const& a) {
  return {a.begin(), a.end()};
}

template <class T>
Array<std::complex<T>> as_array(CudaVector<std::complex<T>> const& from, Shape const& shape) {
  Array<std::complex<T>> to(shape);
  auto const values = from.download();
  std::copy(values.begin(), values.end(), to.begin());
  return to;
}

template <class T>
class GpuNufft : public testing::Test {
 protected:
  using Element = std::complex<T>;
  static constexpr double kUnit = static_cast<double>(std::numeric_limits<T>::epsilon()) / 2;

  void SetUp() override {
    FINDRHO_NEED_GPU(module);
    session_.emplace(CudaSession::open(module, 0));
  }

  Array<Element> forward(CudaNufft<T> const& plan, Array<Element> const& image, std::int64_t coils) {
    CudaVector<Element> const from(*session_, as_vector(image)), to(*session_, coils * plan.samples());
    plan.forward(from.data(), to.data(), coils);
    return as_array(to, sample_shape(coils, plan.samples()));
  }
  Array<Element> adjoint(CudaNufft<T> const& plan, Array<Element> const& samples, std::int64_t coils) {
    CudaVector<Element> const from(*session_, as_vector(samples)),
        to(*session_, coils * plan.matrix().voxels());
    plan.adjoint(from.data(), to.data(), coils);
    return as_array(to, plan.matrix().shape(coils));
  }

  /// docs/math/nufft.md: rounding makes an error of 1.3 u prod_d rms(phi^) rms(1 / phi^), with the margin for few
  /// voxels; two ways to compute the same differ by the sum of theirs, and twice that is out of the question.
  /// It holds for weights, sums and transforms. Where a sample lies is not among them: place() gives both devices the
  /// same bits. In double it would show: rounded otherwise, p = k G / N differs by u |k| G / N, and voxel n by
  /// 2 pi n / G times that, 4.3e-15 in the rms of 70 x 40 voxels with k up to 2.5 N, six times the tolerance.
  static double rounding(std::int64_t samples, Matrix const& m, NufftOptions const& o) {
    nufft::Design const d = nufft::choose_design<T>(samples, m, o);
    double growth = 1;
    std::int64_t smallest = m.x;
    for (int axis = 0; axis < d.dims; ++axis) {
      growth *=
          o.kernel == GriddingKernel::bilinear
              ? 2.5  // 1 / sinc^2(1/4) at the edge of an image on a doubled grid, squared for the corner's rms
              : nufft::axis_error(d.width, d.beta, m[axis], d.grid[axis]).rounding;
      smallest = std::min(smallest, m[axis]);
    }
    return 2 * 2 * (1.1 + 3 / static_cast<double>(smallest)) * 1.3 * kUnit * growth;
  }

  /// more: what the case allows beyond the usual rounding.
  void expect_the_cpu_s_results(Trajectory const& t, Matrix const& m, NufftOptions const& options,
                                std::int64_t coils, double more = 0) {
    Nufft<T> const cpu(context_, t, m, options);
    auto const image = noise<T>(m.shape(coils), 5), data = noise<T>(sample_shape(coils, t.size()), 6);
    Array<Element> samples(data.shape()), back(image.shape());
    cpu.forward(context_, image, samples);
    cpu.adjoint(context_, data, back);
    double const tolerance = rounding(t.size(), m, options) + more;
    for (CudaSpreading const spreading : {CudaSpreading::by_tiles, CudaSpreading::by_samples}) {
      CudaNufft<T> const gpu(*session_, t, m, {.nufft = options, .spreading = spreading});
      ASSERT_EQ(gpu.description(), cpu.description());
      std::string const what = m.shape().str() + ", " + gpu.description() + ", coils " +
                               std::to_string(coils) +
                               (spreading == CudaSpreading::by_tiles ? ", by tiles" : ", by samples");
      EXPECT_LE(relative_error(forward(gpu, image, coils), convert<std::complex<double>>(samples.view())),
                tolerance)
          << "forward " << what;
      EXPECT_LE(relative_error(adjoint(gpu, data, coils), convert<std::complex<double>>(back.view())),
                tolerance)
          << "adjoint " << what;
    }
  }

  std::optional<CudaSession> session_;
  Context context_ = Context::cpu(2);
};

using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(GpuNufft, Precisions);

std::vector<Matrix> const kMatrices{{24, 20, 1}, {17, 21, 1}, {8, 9, 10},  {13, 8, 3},  {2, 2, 1},
                                    {3, 2, 2},   {64, 5, 1},  {70, 40, 1}, {30, 33, 26}};

TYPED_TEST(GpuNufft, GivesTheResultsOfTheCpuForEveryWidth) {
  for (Matrix const& m : kMatrices) {
    Trajectory const t = every_kind_of_point(m, 300, 1);
    for (double const oversampling : {1.25, 2.0}) {
      for (int width = 2; width <= nufft::kMaxWidth; ++width) {
        NufftOptions const options{.oversampling = oversampling, .width = width};
        for (std::int64_t const coils : {1, 3}) this->expect_the_cpu_s_results(t, m, options, coils);
      }
    }
    this->expect_the_cpu_s_results(t, m, {.oversampling = 2, .kernel = GriddingKernel::bilinear}, 1);
  }
}

TYPED_TEST(GpuNufft, GivesTheResultsOfTheCpuForEveryNumberOfCoils) {
  for (Matrix const m : {Matrix{12, 15, 1}, Matrix{16, 15, 14}}) {
    Trajectory const t = every_kind_of_point(m, 400, 4);
    for (std::int64_t coils : {2, 3, 5, 8, 9, 13}) this->expect_the_cpu_s_results(t, m, {}, coils);
  }
}

// Grids of 32, 64 and 96 cells, which are transformed by passes of their own in single precision: coils, odd sizes, both
// ways through a pass that does not hold all coils.
TYPED_TEST(GpuNufft, GivesTheResultsOfTheCpuWhereTheGridHasPassesOfItsOwn) {
  for (Matrix const m : {Matrix{16, 32, 16}, Matrix{32, 31, 48}, Matrix{47, 16, 16}}) {
    Trajectory const t = every_kind_of_point(m, 500, 91);
    NufftOptions const options{.oversampling = 2, .width = 6};
    for (std::int64_t const coils : {1, 3, 9}) this->expect_the_cpu_s_results(t, m, options, coils);
  }
}

// The figure that a user relies on: at the usual accuracies the two devices agree to 1e-5, in double to 1e-12.
TYPED_TEST(GpuNufft, AgreesWithTheCpuToFiveOrTwelveDigits) {
  using C = std::complex<TypeParam>;
  double const wanted = std::is_same_v<TypeParam, float> ? 1e-5 : 1e-12;
  for (Matrix const m : {Matrix{128, 127, 1}, Matrix{32, 31, 30}}) {
    Trajectory const t = test::radial(m, 200, 100);
    for (double const accuracy : {1e-2, 1e-3, 1e-4}) {
      NufftOptions const options{.accuracy = accuracy};
      Nufft<TypeParam> const cpu(this->context_, t, m, options);
      CudaNufft<TypeParam> const gpu(*this->session_, t, m, {.nufft = options});
      auto const image = noise<TypeParam>(m.shape(1), 15),
                 data = noise<TypeParam>(sample_shape(1, t.size()), 16);
      Array<C> samples(data.shape()), back(image.shape());
      cpu.forward(this->context_, image, samples);
      cpu.adjoint(this->context_, data, back);
      EXPECT_LE(relative_error(this->forward(gpu, image, 1), convert<std::complex<double>>(samples.view())),
                wanted);
      EXPECT_LE(relative_error(this->adjoint(gpu, data, 1), convert<std::complex<double>>(back.view())),
                wanted);
    }
  }
}

TYPED_TEST(GpuNufft, IsAsAccurateAsAskedInBothDirections) {
  using C = std::complex<TypeParam>;
  std::vector<double> const accuracies =
      std::is_same_v<TypeParam, float> ? std::vector{1e-1, 1e-3, 1e-5} : std::vector{1e-3, 1e-8, 1e-12};
  for (Matrix const& m : kMatrices) {
    Trajectory const t = every_kind_of_point(m, 300, 1);
    auto const image = noise<double>(m.shape(1), 2), data = noise<double>(sample_shape(1, t.size()), 3);
    Array<std::complex<double>> samples(data.shape()), back(image.shape());
    exact_forward<double>(this->context_, t, image, samples);
    exact_adjoint<double>(this->context_, t, data, back);
    for (double const accuracy : accuracies) {
      CudaNufft<TypeParam> const gpu(*this->session_, t, m, {.nufft = {.accuracy = accuracy}});
      std::string const what = m.shape().str() + ": " + gpu.description();
      EXPECT_LE(relative_error(this->forward(gpu, convert<C>(image.view()), 1), samples), accuracy) << what;
      EXPECT_LE(relative_error(this->adjoint(gpu, convert<C>(data.view()), 1), back), accuracy) << what;
    }
  }
}

TYPED_TEST(GpuNufft, AdjointIsTheAdjointOfForward) {
  for (Matrix const& m : kMatrices) {
    Trajectory const t = every_kind_of_point(m, 250, 7);
    CudaNufft<TypeParam> const gpu(*this->session_, t, m);
    auto const x = noise<TypeParam>(m.shape(3), 8);
    auto const y = noise<TypeParam>(sample_shape(3, t.size()), 9);
    auto const fx = this->forward(gpu, x, 3), fy = this->adjoint(gpu, y, 3);
    std::complex<double> left = 0, right = 0;
    double norm_fx = 0, norm_y = 0;
    for (std::int64_t i = 0; i < y.size(); ++i) {
      left += std::complex<double>(fx[i]) * std::conj(std::complex<double>(y[i]));
      norm_fx += std::norm(fx[i]);
      norm_y += std::norm(y[i]);
    }
    for (std::int64_t i = 0; i < x.size(); ++i)
      right += std::complex<double>(x[i]) * std::conj(std::complex<double>(fy[i]));
    // The two are exact adjoints; rounding is relative to |Fx| |y|, tens of operations deep.
    EXPECT_LE(std::abs(left - right), 200 * this->kUnit * std::sqrt(norm_fx * norm_y)) << m.shape().str();
  }
}

/// All samples within a cell: one tile gets them all, and is cut into parts that are summed afterwards.
TYPED_TEST(GpuNufft, TakesAllSamplesInOneTile) {
  for (Matrix const m : {Matrix{40, 40, 1}, Matrix{24, 24, 24}}) {
    Trajectory t = every_kind_of_point(m, 20000, 21);
    for (int d = 0; d < t.dims; ++d) {
      for (double& k : t[d]) k = 3 + std::fmod(k, 0.5);
    }
    // A cell is a sum of n terms of random sign: the i-th addition rounds a partial sum of sqrt(i) terms' size, so the sum
    // errs by u sqrt(1 + ... + n) = u n / sqrt(2) terms, and relative to its own sqrt(n) by u sqrt(n / 2), on each device.
    double const sums = this->kUnit * std::sqrt(2.0 * 20000);
    this->expect_the_cpu_s_results(t, m, {}, 1, sums);
    this->expect_the_cpu_s_results(t, m, {}, 8, sums);
  }
}

TYPED_TEST(GpuNufft, TakesOneSampleAndNone) {
  for (Matrix const m : {Matrix{20, 18, 1}, Matrix{10, 11, 12}}) {
    this->expect_the_cpu_s_results(every_kind_of_point(m, 1, 31), m, {}, 2);
    Trajectory none;
    none.dims = m.dims();
    CudaNufft<TypeParam> const gpu(*this->session_, none, m);
    Array<std::complex<TypeParam>> const image = noise<TypeParam>(m.shape(1), 18),
                                         samples(sample_shape(1, 0));
    EXPECT_EQ(this->forward(gpu, image, 1).size(), 0);
    for (auto const& voxel : this->adjoint(gpu, samples, 1)) ASSERT_EQ(voxel, std::complex<TypeParam>(0));
  }
}

TYPED_TEST(GpuNufft, SplitsCoilsThatDoNotFitIntoPasses) {
  Matrix const m{20, 21, 22};
  Trajectory const t = every_kind_of_point(m, 500, 41);
  auto const image = noise<TypeParam>(m.shape(5), 42), data = noise<TypeParam>(sample_shape(5, t.size()), 43);
  CudaNufft<TypeParam> const whole(*this->session_, t, m);
  nufft::Design const design = nufft::choose_design<TypeParam>(t.size(), m, {});
  std::int64_t const grid = design.grid.voxels() * static_cast<std::int64_t>(2 * sizeof(TypeParam));
  auto const samples = convert<std::complex<double>>(this->forward(whole, image, 5).view());
  auto const back = convert<std::complex<double>>(this->adjoint(whole, data, 5).view());
  for (std::int64_t const budget : {std::int64_t{1}, 2 * grid, 3 * grid + 1}) {
    CudaNufft<TypeParam> const split(*this->session_, t, m, {.nufft = {}, .grid_bytes = budget});
    EXPECT_LT(split.bytes(5), whole.bytes(5));
    EXPECT_LE(relative_error(this->forward(split, image, 5), samples), this->rounding(t.size(), m, {}));
    EXPECT_LE(relative_error(this->adjoint(split, data, 5), back), this->rounding(t.size(), m, {}));
  }
}

TYPED_TEST(GpuNufft, AppliesMapsOnTheWay) {
  using C = std::complex<TypeParam>;
  for (Matrix const m : {Matrix{20, 13, 1}, Matrix{9, 10, 11}, Matrix{16, 16, 32}}) {
    Trajectory const t = every_kind_of_point(m, 300, 51);
    std::int64_t const coils = 5, voxels = m.voxels();
    auto const maps = noise<TypeParam>(m.shape(coils), 52), image = noise<TypeParam>(m.shape(1), 53);
    auto const data = noise<TypeParam>(sample_shape(coils, t.size()), 54);
    // Two passes of three coils and two, and one of all.
    std::int64_t const grid =
        nufft::choose_design<TypeParam>(t.size(), m, {}).grid.voxels() * std::int64_t{2 * sizeof(TypeParam)};
    for (std::int64_t const budget : {3 * grid, 100 * grid}) {
      CudaNufft<TypeParam> const gpu(*this->session_, t, m, {.nufft = {}, .grid_bytes = budget});
      Array<C> coil_images(maps.shape());
      for (std::int64_t i = 0; i < maps.size(); ++i) coil_images[i] = maps[i] * image[i % voxels];
      auto const want = convert<std::complex<double>>(this->forward(gpu, coil_images, coils).view());
      auto const coils_back = this->adjoint(gpu, data, coils);
      Array<std::complex<double>> want_back(image.shape());
      std::fill(want_back.begin(), want_back.end(), 0);
      for (std::int64_t i = 0; i < maps.size(); ++i)
        want_back[i % voxels] +=
            std::conj(std::complex<double>(maps[i])) * std::complex<double>(coils_back[i]);
      CudaVector<C> const d_image(*this->session_, as_vector(image)),
          d_maps(*this->session_, as_vector(maps)), d_data(*this->session_, as_vector(data)),
          d_samples(*this->session_, data.size()), d_back(*this->session_, voxels);
      gpu.forward_with_maps(d_image.data(), d_maps.data(), d_samples.data(), coils);
      gpu.adjoint_with_maps(d_data.data(), d_maps.data(), d_back.data(), coils);
      double const tolerance = this->rounding(t.size(), m, {});
      EXPECT_LE(relative_error(as_array(d_samples, data.shape()), want), tolerance);
      EXPECT_LE(relative_error(as_array(d_back, image.shape()), want_back), tolerance);
    }
  }
}

TYPED_TEST(GpuNufft, AddsToWhatIsThereWhenAsked) {
  using C = std::complex<TypeParam>;
  Matrix const m{10, 9, 4};
  Trajectory const t = every_kind_of_point(m, 100, 12);
  CudaNufft<TypeParam> const gpu(*this->session_, t, m);
  auto const image = noise<TypeParam>(m.shape(3), 13), data = noise<TypeParam>(sample_shape(3, t.size()), 14);
  auto const samples = this->forward(gpu, image, 3), back = this->adjoint(gpu, data, 3);
  CudaVector<C> const samples_sum(*this->session_, as_vector(data)),
      back_sum(*this->session_, as_vector(image));
  CudaVector<C> const d_image(*this->session_, as_vector(image)), d_data(*this->session_, as_vector(data));
  gpu.forward(d_image.data(), samples_sum.data(), 3, Write::add);
  gpu.adjoint(d_data.data(), back_sum.data(), 3, Write::add);
  auto const got = samples_sum.download(), got_back = back_sum.download();
  for (std::int64_t i = 0; i < data.size(); ++i)
    ASSERT_EQ(got[static_cast<std::size_t>(i)], data[i] + samples[i]);
  // The factor and the addition may be one rounding or two: half a unit of the larger of the terms.
  for (std::int64_t i = 0; i < image.size(); ++i) {
    double const most = 4 * this->kUnit * static_cast<double>(std::abs(image[i]) + std::abs(back[i]));
    ASSERT_LE(static_cast<double>(std::abs(got_back[static_cast<std::size_t>(i)] - (image[i] + back[i]))),
              most);
  }
}

TYPED_TEST(GpuNufft, GivesTheSameBytesAgainAndAllocatesNothingMore) {
  using C = std::complex<TypeParam>;
  Matrix const m{40, 38, 36};
  Trajectory const t = test::radial(m, 300, 60);
  auto const image = noise<TypeParam>(m.shape(3), 61), data = noise<TypeParam>(sample_shape(3, t.size()), 62);
  CudaNufft<TypeParam> const first(*this->session_, t, m);
  CudaVector<C> const from(*this->session_, as_vector(image)), samples(*this->session_, data.size()),
      d_data(*this->session_, as_vector(data)), back(*this->session_, image.size());
  first.forward(from.data(), samples.data(), 3);
  first.adjoint(d_data.data(), back.data(), 3);
  auto const samples_once = samples.download(), back_once = back.download();
  auto const before = this->session_->memory_use();
  first.forward(from.data(), samples.data(), 3);
  first.adjoint(d_data.data(), back.data(), 3);
  EXPECT_EQ(samples.download(), samples_once);
  EXPECT_EQ(back.download(), back_once);
  EXPECT_EQ(this->session_->memory_use().pool_used, before.pool_used);
  EXPECT_EQ(this->session_->memory_use().pool_most_used, before.pool_most_used);
  CudaNufft<TypeParam> const again(*this->session_, t, m);
  again.forward(from.data(), samples.data(), 3);
  again.adjoint(d_data.data(), back.data(), 3);
  EXPECT_EQ(samples.download(), samples_once);
  EXPECT_EQ(back.download(), back_once);
}

/// 36 samples a tile: one coil goes by boxes, eight by tiles.
using GpuNufftSingle = GpuNufft<float>;
TEST_F(GpuNufftSingle, FewerCoilsTakeNoMoreMemory) {
  using C = std::complex<float>;
  Matrix const m{16, 16, 16};
  Trajectory const t = every_kind_of_point(m, 64 * 36, 63);
  CudaNufft<float> const plan(*session_, t, m, {.nufft = {.oversampling = 2, .width = 4}});
  CudaVector<C> const data(*session_, 8 * t.size()), image(*session_, 8 * m.voxels());
  data.clear();
  plan.adjoint(data.data(), image.data(), 8);
  auto const before = session_->memory_use();
  for (int const coils : {1, 2, 3, 5}) plan.adjoint(data.data(), image.data(), coils);
  EXPECT_EQ(session_->memory_use().pool_used, before.pool_used);
  EXPECT_EQ(session_->memory_use().pool_most_used, before.pool_most_used);
}

TYPED_TEST(GpuNufft, RefusesWhatTheCpuRefuses) {
  Matrix const m{8, 6, 1};
  Trajectory const t = every_kind_of_point(m, 20, 17);
  auto const plan = [&](Trajectory const& trajectory, Matrix const& matrix,
                        NufftOptions const& options = {}) {
    CudaNufft<TypeParam>(*this->session_, trajectory, matrix, {.nufft = options});
  };
  EXPECT_EQ(test::caught([&] { plan(t, {8, 6, 2}); }).kind, ErrorKind::bad_shape);
  EXPECT_EQ(test::caught([&] { plan(t, m, {.accuracy = 0}); }).kind, ErrorKind::bad_option);
  EXPECT_EQ(test::caught([&] { plan(t, m, {.width = 17}); }).kind, ErrorKind::bad_option);
  Trajectory broken = t;
  broken.ky[3] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(test::caught([&] { plan(broken, m); }).kind, ErrorKind::bad_option);
}

TYPED_TEST(GpuNufft, SaysWhenTheGridDoesNotFitAndStaysUsable) {
  // 2000^3 cells and as much again for the transform: 119 GiB in single and 238 in double precision.
  Matrix const m{1600, 1600, 1600};
  Trajectory const t = every_kind_of_point({20, 20, 20}, 10, 71);
  if (this->session_->memory_use().device_total >
      (std::int64_t{2000} * 2000 * 2000) * 2 * std::int64_t{2 * sizeof(TypeParam)})
    GTEST_SKIP() << "this device's memory holds the grid";
  CudaNufft<TypeParam> const large(*this->session_, t, m, {.nufft = {.accuracy = 0.1, .oversampling = 1.25}});
  Error const error = test::caught([&] { large.reserve(1); });
  EXPECT_EQ(error.kind, ErrorKind::out_of_memory);
  EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos);
  this->expect_the_cpu_s_results(every_kind_of_point({12, 10, 1}, 50, 72), {12, 10, 1}, {}, 1);
}

}  // namespace
}  // namespace findrho
