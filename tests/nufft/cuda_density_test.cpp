// SPDX-License-Identifier: BSD-3-Clause
// What is made of NUFFT plans on a CUDA device: the spectrum of Q, and density weights. Skipped where there is no device.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>
#include <type_traits>
#include <vector>

#include "backend/gpu.hpp"
#include "findrho/dft/exact_sum.hpp"
#include "findrho/nufft/cuda_nufft.hpp"
#include "nufft/samples.hpp"

namespace findrho {
namespace {

using test::every_kind_of_point;

template <class T>
class GpuSpectrum : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(GpuSpectrum, Precisions);

/// Q summed exactly in double, its spectrum by a plain Fourier sum.
TYPED_TEST(GpuSpectrum, IsThatOfTheExactQ) {
  FINDRHO_NEED_GPU(module);
  CudaSession const session = CudaSession::open(module, 0);
  Context const context = Context::cpu(2);
  struct Case {
    Matrix matrix, grid;
  };
  for (auto const& [m, grid] :
       {Case{{6, 5, 1}, {12, 10, 1}}, Case{{6, 5, 1}, {15, 9, 1}}, Case{{4, 3, 5}, {8, 6, 12}}}) {
    Trajectory const t = every_kind_of_point(m, 200, 81);
    Trajectory wide = t;
    Array<std::complex<double>> weights(sample_shape(1, t.size()));
    std::vector<TypeParam> as_floats;
    for (int d = 0; d < t.dims; ++d) {
      for (double& k : wide[d]) k *= 2;
    }
    for (std::int64_t i = 0; i < t.size(); ++i) {
      as_floats.push_back(static_cast<TypeParam>(0.5 + 0.1 * static_cast<double>(i % 7)));
      weights[i] = static_cast<double>(as_floats.back());
    }
    Matrix const doubled{2 * m.x, 2 * m.y, m.z > 1 ? 2 * m.z : 1};
    Array<std::complex<double>> q(doubled.shape(1));
    exact_adjoint<double>(context, wide, weights, q);
    std::vector<double> want;
    double norm = 0;
    for (std::int64_t g = 0; g < grid.voxels(); ++g) {
      std::complex<double> sum = 0;
      for (std::int64_t n = 0; n < doubled.voxels(); ++n) {
        std::int64_t const x = n % doubled.x, y = n / doubled.x % doubled.y, z = n / (doubled.x * doubled.y);
        if (x == 0 || y == 0 || (m.z > 1 && z == 0)) continue;  // the lags -N
        auto const turns = [](std::int64_t f, std::int64_t lag, std::int64_t size) {
          return static_cast<double>(f * lag % size) / static_cast<double>(size);
        };
        double const phase = turns(g % grid.x, x - m.x, grid.x) +
                             turns(g / grid.x % grid.y, y - m.y, grid.y) +
                             (m.z > 1 ? turns(g / (grid.x * grid.y), z - m.z, grid.z) : 0);
        sum += q[n] * std::polar(1.0, -2 * std::numbers::pi * phase);
      }
      want.push_back(0.25 * sum.real());
      norm += std::norm(sum) / 16;
    }
    CudaTrajectoryCopy const trajectory(session, t);
    CudaVector<TypeParam> const d_weights(session, as_floats), spectrum(session, grid.voxels());
    double const accuracy = std::is_same_v<TypeParam, float> ? 1e-4 : 1e-9;
    cuda_toeplitz_spectrum<TypeParam>(session, trajectory.view(), d_weights.data(), m, grid, 0.25,
                                      spectrum.data(), {.nufft = {.accuracy = accuracy}});
    auto const got = spectrum.download();
    double error = 0;
    for (std::size_t i = 0; i < want.size(); ++i) error += std::pow(static_cast<double>(got[i]) - want[i], 2);
    // A Fourier transform keeps the relative l2 error of Q, but for the lags -N, a small part of its norm.
    EXPECT_LE(std::sqrt(error), 1.2 * accuracy * std::sqrt(norm)) << m.shape().str();
  }
}

TEST(GpuPipeMenon, GivesTheWeightsOfTheCpu) {
  FINDRHO_NEED_GPU(module);
  CudaSession const session = CudaSession::open(module, 0);
  Context const context = Context::cpu(2);
  for (Matrix const m : {Matrix{64, 64, 1}, Matrix{20, 22, 24}}) {
    Trajectory const t = test::radial(m, 128, 64);
    std::vector<double> const want = pipe_menon_weights(context, t, m);
    CudaTrajectoryCopy const trajectory(session, t);
    CudaVector<float> const weights(session, t.size());
    cuda_pipe_menon_weights(session, trajectory.view(), m, weights.data());
    auto const got = weights.download();
    double difference = 0, norm = 0;
    for (std::size_t i = 0; i < want.size(); ++i) {
      difference += std::pow(static_cast<double>(got[i]) - want[i], 2);
      norm += want[i] * want[i];
    }
    // Each of the 10 iterations adds the rounding of sums of about 100 positive terms, 100 u at most, and hands earlier
    // errors on without growth: C diag(w) / (C w) averages over neighbours.
    EXPECT_LE(std::sqrt(difference / norm), 10 * 100 * 0x1p-24) << m.shape().str();
  }
}

}  // namespace
}  // namespace findrho
