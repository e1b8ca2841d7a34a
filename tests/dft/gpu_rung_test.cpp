// SPDX-License-Identifier: BSD-3-Clause
// The rungs on a CUDA device against the sum in double, everywhere on small sums, at probes and among each other on a
// large one. Skipped where there is no device.
#include <gtest/gtest.h>

#include "dft/small_sums.hpp"
#include "findrho/core/error.hpp"
#include "findrho/dft/cuda_ladder.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using test::kOddBox;

class GpuRungs : public testing::Test {
 protected:
  void SetUp() override {
    CudaModule const module = load_cuda_module();
    if (!module.ready()) GTEST_SKIP() << "no CUDA device: " << module.reason;
    session_.emplace(CudaSession::open(module, 0));
  }

  /// The special function units' error, 2^-21.4 in sine and cosine, on top of the rounding.
  template <class T>
  static double allowed(ExactSum<T> const& sum, Rung rung) {
    double const rounding = test::worst_error(sum);
    if (facts(rung).in_double) return rounding;
    double mu = 0;
    for (std::size_t m = 0; m < sum.kx.size(); ++m) {
      std::complex<double> const phi(sum.phi_re[m], sum.phi_im[m]), d(sum.d_re[m], sum.d_im[m]);
      mu += sum.kind == SumKind::q ? std::abs(d.real()) * std::norm(phi) : std::abs(phi * d);
    }
    // tuned forms the angle in radians and the unit scales it back: two more roundings of it, within those of
    // worst_error's five, of which it spares the reduction and the factor.
    return rounding + std::sqrt(2.0) * std::exp2(-21.4) * mu;
  }

  template <class T>
  void expect_agreement(SumKind kind, std::vector<RungOptions> const& options,
                        std::vector<Rung> const& rungs) {
    auto const sum = test::small_sum<T>(kind, kOddBox, 97);
    CudaSum<T> device_sum(*session_, sum);
    for (Rung rung : rungs) {
      if (sizeof(T) == 8 && !facts(rung).in_double) continue;
      for (RungOptions const& o : options) {
        device_sum.run(rung, o);
        auto const result = device_sum.result();
        EXPECT_LE(test::largest_error(context_, sum, result.re, result.im), allowed(sum, rung))
            << facts(rung).name << ", " << name(kind) << ", block " << o.block_size << ", chunk " << o.chunk
            << ", unroll " << o.unroll << ", per thread " << o.per_thread;
      }
    }
  }

  static std::vector<Rung> plain() {
    std::vector<Rung> rungs;
    for (RungFacts const& f : rung_facts()) {
      bool const own_tests = f.needs_grid || f.rung == Rung::mu || f.rung == Rung::tuned;
      if (f.on_gpu && !own_tests) rungs.push_back(f.rung);
    }
    return rungs;
  }

  Context context_ = Context::cpu(2);
  std::optional<CudaSession> session_;
};

std::vector<RungOptions> const kShortChunks{
    {.block_size = 64, .chunk = 40}, {.block_size = 32, .chunk = 97}, {.block_size = 1024, .chunk = 1}};

TEST_F(GpuRungs, AgreeInSinglePrecision) {
  for (SumKind kind : {SumKind::fhd, SumKind::q, SumKind::forward}) {
    expect_agreement<float>(kind, kShortChunks, plain());
  }
}

TEST_F(GpuRungs, AgreeInDoublePrecision) {
  for (SumKind kind : {SumKind::fhd, SumKind::q, SumKind::forward}) {
    expect_agreement<double>(kind, kShortChunks, plain());
  }
}

TEST_F(GpuRungs, EveryTunedConfigurationAgrees) {
  std::vector<RungOptions> options;
  for (auto memory : {SampleMemory::constant, SampleMemory::global, SampleMemory::shared}) {
    for (int unroll : {1, 2, 4, 8}) {
      for (int voxels : {1, 2, 4, 8}) options.push_back({32, 40, unroll, voxels, memory});
    }
  }
  // 0 as above: as many parts as fill the device, here one a tile.
  for (int parts : {1, 2, 5}) options.push_back({32, 40, 2, 2, SampleMemory::shared, parts});
  for (SumKind kind : {SumKind::fhd, SumKind::q, SumKind::forward})
    expect_agreement<float>(kind, options, {Rung::tuned});
  expect_agreement<float>(SumKind::fhd, {{32, 40, 1, 2}, {32, 40, 1, 8}}, {Rung::gather_coarse});
}

TEST_F(GpuRungs, AgreeWithEachOtherEverywhere) {
  Matrix const matrix{.x = 66, .y = 65, .z = 64};
  auto const sum = test::small_sum<float>(SumKind::fhd, matrix, 5003);
  CudaSum<float> device_sum(*session_, sum);
  device_sum.run(Rung::gather, {});
  auto const reference = device_sum.result();
  // Independent errors of random data: u 2 pi S sqrt(3)/3 with S = 98 turns is 2.1e-5 for either, the plain sums' part
  // u sqrt(5003) = 4e-6: below 4e-5 together, relative to the sums.
  EXPECT_LT(probe_error(context_, sum, reference, {}), 4e-5);
  // The sine units' error of 2^-21.4 sqrt(2), of random sign as well, is 5e-7 for tuned and gather_fast_trig.
  std::vector<Rung> rungs = plain();
  rungs.push_back(Rung::tuned);
  for (Rung rung : rungs) {
    device_sum.run(rung, {.block_size = 256, .chunk = 1000});
    auto const result = device_sum.result();
    double difference = 0, norm = 0;
    for (std::size_t n = 0; n < result.re.size(); ++n) {
      difference += std::norm(std::complex<double>(result.re[n], result.im[n]) -
                              std::complex<double>(reference.re[n], reference.im[n]));
      norm += std::norm(std::complex<double>(reference.re[n], reference.im[n]));
    }
    EXPECT_LT(std::sqrt(difference / norm), 4e-5) << facts(rung).name;
  }
}

TEST_F(GpuRungs, FiguresDescribeTheLaunch) {
  auto const sum = test::small_sum<float>(SumKind::fhd, kOddBox, 97);
  CudaSum<float> device_sum(*session_, sum);
  auto const run = device_sum.run(Rung::gather_constant, {.block_size = 64, .chunk = 40});
  EXPECT_EQ(run.figures.blocks, 4);        // 210 voxels
  EXPECT_EQ(run.figures.launches, 1 + 3);  // Mu and three chunks
  EXPECT_GT(run.figures.registers, 10);
  EXPECT_GT(run.figures.occupancy(), 0);
  EXPECT_LE(run.figures.occupancy(), 1);
}

TEST_F(GpuRungs, BlocksThatAKernelCannotHaveAreRefused) {
  auto const sum = test::small_sum<float>(SumKind::fhd, kOddBox, 97);
  CudaSum<float> device_sum(*session_, sum);
  auto const error = test::caught(
      [&] { device_sum.run(Rung::tuned, {.block_size = 1024, .chunk = 40, .unroll = 1, .per_thread = 8}); });
  EXPECT_EQ(error.kind, ErrorKind::not_built);
  device_sum.run(Rung::gather, {});  // and the device still works
}

}  // namespace
}  // namespace findrho
