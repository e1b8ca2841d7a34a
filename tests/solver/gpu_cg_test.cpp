// SPDX-License-Identifier: BSD-3-Clause
// CG on a CUDA device against CG on the processor, with every prior. Skipped without a device.
#include <gtest/gtest.h>

#include <atomic>
#include <cstring>

#include "conformance/random.hpp"
#include "findrho/operator/cuda_toeplitz.hpp"
#include "findrho/operator/regularized_normal.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/prior/identity.hpp"
#include "findrho/solver/cuda_cg.hpp"

namespace findrho {
namespace {

using laws::random_array;
using laws::random_trajectory;
using laws::relative_error;

using D = std::complex<double>;

class GpuCg : public testing::Test {
 protected:
  void SetUp() override {
    CudaModule const module = load_cuda_module();
    if (!module.ready()) GTEST_SKIP() << "no CUDA device: " << module.reason;
    session_.emplace(CudaSession::open(module, 0));
    A_.emplace(*session_, kMatrix);
    A_->set_lags(lags_);
    b_.emplace(*session_, kMatrix.voxels());
    x_.emplace(*session_, kMatrix.voxels());
    b_->upload(right_.data());
  }

  CgReport on_device(CudaPrior<double> const& prior, CgOptions const& options, Context const& context,
                     int read_every = 5) {
    CudaCg<double> cg(*session_, kMatrix, *A_, prior, options, read_every);
    CgReport const report = cg.solve(context, b_->data(), x_->data());
    x_->download(image_.data());
    return report;
  }

  CgReport on_processor(LinearOperator<double> const& W, double lambda, CgOptions const& options) {
    auto const kernel = std::make_shared<ToeplitzKernel<double> const>(
        context_, trajectory_, kMatrix, std::span<double const>{},
        EncodingOptions{.transform = TransformKind::exact});
    ToeplitzNormal<double> const data(kernel);
    RegularizedNormal<double> const A(data, W, lambda);
    expected_ = Array<D>(kMatrix.shape());
    return cg<double>(context_, A, right_, expected_, options);
  }

  void expect_the_same(LinearOperator<double> const& W, CudaPrior<double> const& prior, double lambda) {
    CgOptions const options{.max_iterations = 13, .tolerance = 0, .objective_constant = 3};
    CgReport const expected = on_processor(W, lambda, options), report = on_device(prior, options, context_);
    EXPECT_EQ(report.iterations, 13);
    EXPECT_EQ(report.reason, StopReason::max_iterations);
    // The condition number is below 1e4, and 13 steps amplify a rounding of 1e-16 by at most that: 1e-11 leaves a tenth.
    EXPECT_LT(relative_error(image_, expected_), 1e-11);
    for (std::size_t i = 0; i < 13; ++i) {
      EXPECT_NEAR(report.residual[i], expected.residual[i], 1e-11 * expected.residual[0]) << i;
      EXPECT_NEAR(report.objective[i], expected.objective[i], 1e-11 * std::abs(expected.objective[12])) << i;
    }
  }

  static constexpr Matrix kMatrix{13, 10, 6};
  static constexpr double kLambda = 3;
  Context context_ = Context::cpu(2);
  Trajectory const trajectory_ = random_trajectory(kMatrix, 2000, 1);
  Array<D> const lags_ = exact_lags<double>(context_, trajectory_, kMatrix, {});
  Array<D> const right_ = random_array<double>(kMatrix.shape(), 2);
  Array<D> image_{kMatrix.shape()}, expected_;
  std::optional<CudaSession> session_;
  std::optional<CudaToeplitz<double>> A_;
  std::optional<CudaVector<D>> b_, x_;
};

TEST_F(GpuCg, StepsLikeTheProcessorWithEveryPrior) {
  expect_the_same(Identity<double>(kMatrix.shape()), CudaPrior<double>::identity(kLambda), kLambda);
  expect_the_same(Identity<double>(kMatrix.shape()), CudaPrior<double>::identity(0), 0);
  FiniteDifferences<double> const differences(kMatrix);
  expect_the_same(differences, CudaPrior<double>::of(differences, kLambda), kLambda);
  Array<float> reference(kMatrix.shape());
  for (std::int64_t i = 0; i < reference.size(); ++i) reference[i] = static_cast<float>(std::abs(right_[i]));
  EdgeWeightedDifferences<double> const edges(context_, kMatrix, reference);
  expect_the_same(edges, CudaPrior<double>::of(*session_, edges, kLambda), kLambda);
}

TEST_F(GpuCg, StopsAtTheToleranceWithTheImageOfThatStep) {
  CgOptions const options{.max_iterations = 60, .tolerance = 1e-3};
  CgReport const expected = on_processor(Identity<double>(kMatrix.shape()), kLambda, options);
  ASSERT_EQ(expected.reason, StopReason::converged);
  for (int read_every : {1, 4, 100}) {
    CgReport const report = on_device(CudaPrior<double>::identity(kLambda), options, context_, read_every);
    EXPECT_EQ(report.reason, StopReason::converged);
    EXPECT_EQ(report.iterations, expected.iterations) << "reading every " << read_every;
    EXPECT_LT(relative_error(image_, expected_), 1e-11) << "reading every " << read_every;
  }
}

TEST_F(GpuCg, KeepsAsManyResidualsAsAsked) {
  for (int kept : {0, 3, 16}) {
    CgOptions const options{.max_iterations = 20, .tolerance = 0, .kept_residuals = kept};
    on_processor(Identity<double>(kMatrix.shape()), kLambda, options);
    on_device(CudaPrior<double>::identity(kLambda), options, context_);
    EXPECT_LT(relative_error(image_, expected_), 1e-11) << kept << " kept";
  }
}

TEST_F(GpuCg, ReportsEveryIterationAndStopsWhenCancelled) {
  std::atomic<bool> cancel{false};
  std::vector<int> steps;
  Context context = Context::cpu(1);
  context.set_cancel_flag(&cancel);
  context.set_event_sink([&](Event const& event) {
    if (event.type != Event::Type::iteration) return;
    steps.push_back(event.step);
    cancel = event.step >= 6;
  });
  CgReport const report =
      on_device(CudaPrior<double>::identity(kLambda), {.max_iterations = 1000, .tolerance = 0}, context, 3);
  EXPECT_EQ(report.reason, StopReason::cancelled);
  EXPECT_LE(report.iterations, 13);  // the group that shows step 6, and one that was queued ahead of it
  ASSERT_EQ(steps.size(), static_cast<std::size_t>(report.iterations));
  for (std::size_t i = 0; i < steps.size(); ++i) EXPECT_EQ(steps[i], static_cast<int>(i) + 1);
}

TEST_F(GpuCg, SolvesAZeroRightHandSideByZero) {
  b_->clear();
  CgReport const report = on_device(CudaPrior<double>::identity(kLambda), {.max_iterations = 5}, context_);
  EXPECT_EQ(report.reason, StopReason::converged);
  EXPECT_EQ(report.iterations, 0);
  for (D const& value : image_) EXPECT_EQ(value, D(0));
}

TEST_F(GpuCg, StopsWhereTheOperatorIsNotPositive) {
  CudaPrior<double> const negative{CudaPrior<double>::Kind::identity, -1e9, {}};
  CgReport const report = on_device(negative, {.max_iterations = 5}, context_);
  EXPECT_EQ(report.reason, StopReason::breakdown);
  EXPECT_EQ(report.iterations, 0);
}

TEST_F(GpuCg, GivesTheSameBytesTwice) {
  CgOptions const options{.max_iterations = 12, .tolerance = 0};
  on_device(CudaPrior<double>::identity(kLambda), options, context_);
  Array<D> const first = copy(image_.view());
  on_device(CudaPrior<double>::identity(kLambda), options, context_, 4);
  EXPECT_EQ(std::memcmp(first.data(), image_.data(), static_cast<std::size_t>(first.size()) * sizeof(D)), 0);
}

}  // namespace
}  // namespace findrho
