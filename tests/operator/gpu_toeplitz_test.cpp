// SPDX-License-Identifier: BSD-3-Clause
// The product with Q on a CUDA device against exact sums in double and against the CPU's. Skipped without a device.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <numeric>

#include "conformance/random.hpp"
#include "findrho/operator/cuda_toeplitz.hpp"
#include "findrho/operator/largest_eigenvalue.hpp"
#include "findrho/operator/toeplitz.hpp"

namespace findrho {
namespace {

using laws::random_array;
using laws::random_trajectory;
using laws::random_weights;
using laws::relative_error;

constexpr std::int64_t kSamples = 300;

class GpuToeplitz : public testing::Test {
 protected:
  void SetUp() override {
    CudaModule const module = load_cuda_module();
    if (!module.ready()) GTEST_SKIP() << "no CUDA device: " << module.reason;
    session_.emplace(CudaSession::open(module, 0));
  }

  template <class T>
  struct Problem {
    using C = std::complex<T>;
    Matrix matrix;
    Trajectory trajectory;
    std::vector<double> weights;
    Array<C> maps, x;
    Problem(Matrix const& m, std::int64_t coils)
        : matrix(m),
          trajectory(random_trajectory(m, kSamples, 1)),
          weights(random_weights(kSamples, 2)),
          maps(random_array<T>(m.shape(coils), 3)),
          x(random_array<T>(m.shape(), 4)) {}
  };

  template <class T>
  Array<std::complex<T>> on_device(Problem<T> const& p, View<std::complex<T> const> x,
                                   CudaToeplitzOptions const& options = {}) {
    using C = std::complex<T>;
    CudaVector<C> const maps(*session_, p.maps.size()), in(*session_, x.size()), out(*session_, x.size());
    maps.upload(p.maps.data());
    in.upload(x.data);
    CudaToeplitz<T> A(*session_, p.matrix, p.maps.shape().extent(Axis::coil), maps.data(), options);
    A.set_lags(exact_lags<T>(context_, p.trajectory, p.matrix, p.weights));
    A.apply(in.data(), out.data());
    Array<C> result(p.matrix.shape());
    out.download(result.data());
    return result;
  }

  template <class T>
  Array<std::complex<double>> by_sums(Problem<T> const& p) {
    using D = std::complex<double>;
    Array<D> const maps = convert<D>(p.maps.view()), x = convert<D>(p.x.view());
    Encoding<double> const F(context_, p.trajectory, p.matrix, maps, {.transform = TransformKind::exact});
    Array<D> result(p.matrix.shape());
    WeightedNormal<double>(F, p.weights).forward(context_, x, result);
    return result;
  }

  Context context_ = Context::cpu(2);
  std::optional<CudaSession> session_;
};

// As for the CPU's product: Q itself is rounded to u, the six transforms err by 3 u sqrt(60) < 24 u in the norm of what
// goes in, and the sums over 300 random samples lose at most a factor of 10 of that norm to cancellation.
template <class T>
constexpr double kAllowed = 240 * std::numeric_limits<T>::epsilon();

TEST_F(GpuToeplitz, AgreesWithExactSums) {
  for (Matrix const& n : {Matrix{16, 16, 1}, Matrix{13, 21, 1}, Matrix{1, 7, 1}, Matrix{16, 12, 10},
                          Matrix{15, 9, 5}, Matrix{2, 3, 2}}) {
    for (std::int64_t coils : {1, 3}) {
      Problem<float> const f(n, coils);
      Problem<double> const d(n, coils);
      for (ToeplitzPath path : {ToeplitzPath::fastest, ToeplitzPath::plain}) {
        std::string const which = std::to_string(n.x) + " x " + std::to_string(n.y) + " x " +
                                  std::to_string(n.z) + ", " + std::to_string(coils) + " coils, path " +
                                  std::to_string(static_cast<int>(path));
        EXPECT_LT(relative_error(on_device<float>(f, f.x, {.path = path}), by_sums(f)), kAllowed<float>)
            << which;
        EXPECT_LT(relative_error(on_device<double>(d, d.x, {.path = path}), by_sums(d)), kAllowed<double>)
            << which;
      }
    }
  }
}

TEST_F(GpuToeplitz, AgreesWithTheProcessor) {
  for (Matrix const& n : {Matrix{128, 128, 1}, Matrix{250, 191, 1}, Matrix{64, 64, 16}, Matrix{61, 120, 33},
                          Matrix{20, 128, 99}}) {
    Problem<float> const p(n, 2);
    auto const kernel = std::make_shared<ToeplitzKernel<float> const>(
        context_, p.trajectory, n, p.weights, EncodingOptions{.transform = TransformKind::exact});
    Array<std::complex<float>> z(n.shape());
    ToeplitzNormal<float>(kernel, p.maps).forward(context_, p.x, z);
    EXPECT_LT(relative_error(on_device<float>(p, p.x), z), 2 * kAllowed<float>)
        << n.x << " x " << n.y << " x " << n.z;
  }
}

TEST_F(GpuToeplitz, IsHermitian) {
  Matrix const n{15, 22, 9};
  Problem<double> const p(n, 2);
  Array<std::complex<double>> const y = random_array<double>(n.shape(), 5);
  Array<std::complex<double>> const Ax = on_device<double>(p, p.x), Ay = on_device<double>(p, y);
  std::complex<double> left = 0, right = 0;
  for (std::int64_t i = 0; i < y.size(); ++i) {
    left += std::conj(y[i]) * Ax[i];
    right += std::conj(Ay[i]) * p.x[i];
  }
  double size = 0;
  for (std::int64_t i = 0; i < y.size(); ++i) size += std::abs(y[i]) * std::abs(Ax[i]);
  EXPECT_LT(std::abs(left - right), kAllowed<double> * size);
}

TEST_F(GpuToeplitz, CoilsThatDoNotFitTakeMoreTurns) {
  Problem<float> const p({24, 20, 18}, 5);
  Array<std::complex<float>> const whole = on_device<float>(p, p.x);
  for (int slab : {16, 32}) {
    CudaToeplitzOptions const small{.memory_bytes = 1, .slab = slab, .together = 2, .lanes = 3};
    EXPECT_EQ(plan_cuda_toeplitz<float>(*session_, p.matrix, 5, small).batch, 1);
    EXPECT_LT(relative_error(on_device<float>(p, p.x, small), whole), kAllowed<float>);
  }
  CudaToeplitzOptions const plain{.path = ToeplitzPath::plain, .memory_bytes = 1};
  EXPECT_LT(relative_error(on_device<float>(p, p.x, plain), whole), kAllowed<float>);
}

TEST_F(GpuToeplitz, AgreesPlaneByPlane) {
  for (Matrix const& n : {Matrix{6, 100, 128}, Matrix{3, 250, 201}}) {
    Problem<float> const p(n, 2);
    ASSERT_TRUE(plan_cuda_toeplitz<float>(*session_, n, 2).planes);
    EXPECT_LT(relative_error(on_device<float>(p, p.x), by_sums(p)), kAllowed<float>) << n.y << " x " << n.z;
  }
}

TEST_F(GpuToeplitz, GivesPlaneByPlaneWhatSlabsGive) {
  Matrix const n{6, 100, 128};
  Problem<float> const p(n, 3);
  ASSERT_FALSE(plan_cuda_toeplitz<float>(*session_, n, 3, {.slab = 16}).planes);
  CudaToeplitzOptions const coil_after_coil{.memory_bytes = 1};
  ASSERT_TRUE(plan_cuda_toeplitz<float>(*session_, n, 3, coil_after_coil).planes);
  EXPECT_LT(relative_error(on_device<float>(p, p.x, coil_after_coil), on_device<float>(p, p.x, {.slab = 16})),
            kAllowed<float>);
}

TEST_F(GpuToeplitz, LeavesTheQuadraticFormThatAnotherPassWouldFind) {
  constexpr double kShift = 0.375;
  for (Matrix const& n : {Matrix{24, 20, 18}, Matrix{6, 100, 128}, Matrix{61, 45, 1}}) {
    for (std::int64_t bytes : {std::int64_t{8} << 30, std::int64_t{1}}) {
      using C = std::complex<float>;
      Problem<float> const p(n, 2);
      CudaVector<C> const maps(*session_, p.maps.size()), x(*session_, p.x.size());
      maps.upload(p.maps.data());
      x.upload(p.x.data());
      CudaToeplitz<float> A(*session_, n, 2, maps.data(), {.memory_bytes = bytes});
      A.set_lags(exact_lags<float>(context_, p.trajectory, n, p.weights));
      CudaVector<C> const plain(*session_, n.voxels()), shifted(*session_, n.voxels());
      ASSERT_GT(A.form_parts(), 0);
      CudaVector<double> const parts(*session_, A.form_parts());
      A.apply(x.data(), plain.data());
      A.apply_with_form(x.data(), shifted.data(), kShift, parts.data());
      std::vector<C> const without = plain.download(), with = shifted.download();
      double form = 0, size = 0, worst = 0, most = 0;
      for (std::int64_t i = 0; i < n.voxels(); ++i) {
        auto const at = static_cast<std::size_t>(i);
        std::complex<double> const a(p.x[i]), b(with[at]), c(without[at]);
        form += (std::conj(a) * b).real();
        size += std::abs(a) * std::abs(b);
        worst = std::max(worst, std::abs(c + kShift * a - b));
        most = std::max(most, std::abs(b));
      }
      EXPECT_LT(worst, 4 * std::numeric_limits<float>::epsilon() * most);
      std::vector<double> const each = parts.download();
      double const sum = std::accumulate(each.begin(), each.end(), 0.0);
      EXPECT_NEAR(sum, form, 2 * std::numeric_limits<float>::epsilon() * size) << n.x << " x " << n.y;
    }
  }
}

TEST_F(GpuToeplitz, LongLinesTakeThePlainPath) {
  EXPECT_FALSE(plan_cuda_toeplitz<float>(*session_, {5000, 4, 1}, 1).fused);
  Problem<float> const p({1100, 3, 1}, 1);
  EXPECT_LT(relative_error(on_device<float>(p, p.x), by_sums(p)), kAllowed<float>);
}

TEST_F(GpuToeplitz, HasTheProcessorsLargestEigenvalue) {
  Matrix const n{24, 20, 18};
  Problem<double> const p(n, 1);
  EncodingOptions const exact{.transform = TransformKind::exact};
  auto const kernel =
      std::make_shared<ToeplitzKernel<double> const>(context_, p.trajectory, n, p.weights, exact);
  double const expected = largest_eigenvalue<double>(context_, ToeplitzNormal<double>(kernel), {.seed = 7});
  CudaToeplitz<double> A(*session_, n);
  A.set_lags(exact_lags<double>(context_, p.trajectory, n, p.weights));
  // From one start vector both take the same steps; rounding moves Ritz values by some eps of the largest.
  EXPECT_NEAR(cuda_largest_eigenvalue<double>(context_, *session_, A, n.voxels(), {.seed = 7}), expected,
              1e-12 * expected);
}

TEST_F(GpuToeplitz, GivesTheSameBytesTwice) {
  Problem<float> const p({40, 33, 17}, 3);
  Array<std::complex<float>> const a = on_device<float>(p, p.x), b = on_device<float>(p, p.x);
  EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(a[0])), 0);
}

}  // namespace
}  // namespace findrho
