// SPDX-License-Identifier: BSD-3-Clause
// The CUDA backend: without a GPU it says what is missing; with one it gives the CPU's values.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numeric>
#include <random>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/backend/fft.hpp"
#include "findrho/core/error.hpp"
#include "gpu.hpp"

namespace findrho {
namespace {

CudaModule module_without_device() {
  CudaModule module;
  module.state = CudaModule::State::no_device;
  module.reason = "the NVIDIA driver offers no device";
  return module;
}

TEST(CudaModule, SaysWhatIsMissingWhereItIsNotReady) {
  CudaModule const module = load_cuda_module();
  if (module.ready()) GTEST_SKIP() << "this machine has a GPU";
  EXPECT_FALSE(module.reason.empty());
  EXPECT_FALSE(module.hint.empty());
  EXPECT_THROW(CudaSession::open(module, 0), Error);
}

TEST(DeviceChoice, AutoFallsBackToTheCpuAndSaysWhy) {
  DeviceChoice const choice = choose_device("auto", module_without_device());
  EXPECT_FALSE(choice.cuda);
  EXPECT_NE(choice.reason.find("offers no device"), std::string::npos);
}

TEST(DeviceChoice, AnAskedDeviceThatIsNotThereIsAnError) {
  try {
    choose_device("cuda:1", module_without_device());
    FAIL() << "no error";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind, ErrorKind::no_device);
  }
}

TEST(DeviceChoice, RefusesAnotherWord) {
  for (char const* name : {"gpu", "cuda:", "cuda:x", "cuda:-1", ""}) {
    EXPECT_THROW(choose_device(name, module_without_device()), Error) << name;
  }
}

TEST(DeviceChoice, TheCpuNeedsNoModule) {
  EXPECT_FALSE(choose_device("cpu", CudaModule{}).cuda);
}

TEST(GpuBackend, PassesItsSelfTest) {
  FINDRHO_NEED_GPU(module);
  EXPECT_NO_THROW(cuda_self_test(module, 0));
}

TEST(GpuBackend, MemoryComesBackAsItWasSent) {
  FINDRHO_NEED_GPU(module);
  auto const session = CudaSession::open(module, 0);
  std::vector<int> values(1'000'003);
  std::iota(values.begin(), values.end(), -7);
  CudaVector<int> const device(session, values);
  EXPECT_EQ(device.download(), values);
  device.clear();
  EXPECT_EQ(device.download(), std::vector<int>(values.size(), 0));
}

TEST(GpuBackend, TheSecondAllocationTakesNothingFromTheDevice) {
  FINDRHO_NEED_GPU(module);
  auto const session = CudaSession::open(module, 0);
  constexpr std::int64_t kBytes = 64 << 20;
  { CudaMemory const first(session, kBytes); }
  session.synchronize();
  auto const before = session.memory_use();
  EXPECT_GE(before.pool_held, kBytes);
  { CudaMemory const second(session, kBytes); }
  session.synchronize();
  EXPECT_EQ(session.memory_use().pool_held, before.pool_held);
  session.trim();
  EXPECT_EQ(session.memory_use().pool_held, 0);
}

TEST(GpuBackend, TooMuchMemoryIsAnErrorAndTheNextCallWorks) {
  FINDRHO_NEED_GPU(module);
  auto const session = CudaSession::open(module, 0);
  try {
    CudaMemory const memory(session, std::int64_t{1} << 50);
    FAIL() << "no error";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind, ErrorKind::out_of_memory);
    EXPECT_FALSE(error.hint.empty());
  }
  EXPECT_EQ(CudaVector<int>(session, std::vector<int>{5}).download(), std::vector<int>{5});
}

TEST(GpuBackend, EventsMeasureWhatLiesBetweenThem) {
  FINDRHO_NEED_GPU(module);
  auto const session = CudaSession::open(module, 0);
  CudaMemory const memory(session, 256 << 20);
  CudaEvent const before(session);
  memory.clear();
  CudaEvent const after(session);
  double const seconds = after.seconds_since(before);
  EXPECT_GT(seconds, 1e-6);  // 256 MiB at 100 TB/s would still take longer
  EXPECT_LT(seconds, 1.0);
}

template <class T>
void compare_with_the_cpu(Matrix const& matrix, std::vector<std::int64_t> const& size, std::int64_t batch) {
  FINDRHO_NEED_GPU(module);
  auto const session = CudaSession::open(module, 0);
  std::mt19937 random(3);
  std::normal_distribution<T> normal;
  std::int64_t const count = batch * matrix.x * matrix.y * matrix.z;
  std::vector<std::complex<T>> expected(static_cast<std::size_t>(count));
  for (auto& value : expected) value = {normal(random), normal(random)};
  CudaVector<std::complex<T>> const data(session, expected);
  CudaFft<T> const plan(session, size, batch);
  Context const context = Context::cpu();
  Fft<T> const cpu(matrix, batch);
  // Both errors grow as eps log2(n); 8 eps bounds a rounding per radix-2 stage of 20 stages and the
  // twiddles'.
  T const tolerance = 8 * std::numeric_limits<T>::epsilon();
  for (bool const inverse : {false, true}) {
    inverse ? plan.inverse(data.data()) : plan.forward(data.data());
    inverse ? cpu.inverse(context, expected.data()) : cpu.forward(context, expected.data());
    auto const result = data.download();
    double error_sq = 0, norm_sq = 0;
    for (std::size_t i = 0; i < result.size(); ++i) {
      error_sq += std::norm(std::complex<double>(result[i]) - std::complex<double>(expected[i]));
      norm_sq += std::norm(std::complex<double>(expected[i]));
    }
    EXPECT_LT(std::sqrt(error_sq / norm_sq), tolerance) << (inverse ? "inverse" : "forward");
  }
}

TEST(GpuFft, IsTheCpusIn3d) {
  compare_with_the_cpu<float>({.x = 24, .y = 30, .z = 25}, {25, 30, 24}, 3);
  compare_with_the_cpu<double>({.x = 24, .y = 30, .z = 25}, {25, 30, 24}, 3);
}

TEST(GpuFft, IsTheCpusForPrimeSizes) {
  compare_with_the_cpu<double>({.x = 101, .y = 67, .z = 1}, {67, 101}, 2);
}

TEST(GpuFft, RefusesFourAxes) {
  FINDRHO_NEED_GPU(module);
  auto const session = CudaSession::open(module, 0);
  EXPECT_THROW(CudaFft<float>(session, {2, 2, 2, 2}), Error);
}

TEST(GpuBlas, MultipliesAndTransposesRowMajor) {
  FINDRHO_NEED_GPU(module);
  auto const session = CudaSession::open(module, 0);
  std::int64_t const m = 5, n = 7, k = 3;
  std::vector<float> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
  // Small integers: every product and sum is exact.
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<float>(i % 5) - 2;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i % 7) - 3;
  CudaVector<float> const device_a(session, a), device_b(session, b);
  CudaVector<float> const device_c(session, m * n), device_t(session, m * n);
  CudaBlas const blas(session);
  for (auto const precision : {CudaBlas::Precision::fp32, CudaBlas::Precision::tf32}) {
    device_c.clear();
    blas.multiply(m, n, k, device_a.data(), device_b.data(), device_c.data(), precision);
    blas.transpose(device_c.data(), device_t.data(), m, n);
    auto const c = device_c.download(), t = device_t.download();
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (std::int64_t l = 0; l < k; ++l)
          sum += a[static_cast<std::size_t>(i * k + l)] * b[static_cast<std::size_t>(l * n + j)];
        EXPECT_EQ(c[static_cast<std::size_t>(i * n + j)], sum);
        EXPECT_EQ(t[static_cast<std::size_t>(j * m + i)], sum);
      }
    }
  }
}

}  // namespace
}  // namespace findrho
