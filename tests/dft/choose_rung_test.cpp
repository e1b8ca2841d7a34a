// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/dft/choose_rung.hpp"

#include <gtest/gtest.h>

namespace findrho {
namespace {

constexpr double kTurns = 96;  // three axes of 128 voxels: 64 cycles times 1/2 each

TEST(FastestRung, OnAGridIsASeparableOne) {
  EXPECT_EQ(fastest_rung({.accuracy = 1e-3, .device = SumDevice::cuda_tensor}, kTurns), Rung::separable_fp16);
  EXPECT_EQ(fastest_rung({.accuracy = 1e-5, .device = SumDevice::cuda_tensor}, kTurns),
            Rung::separable_split);
  EXPECT_EQ(fastest_rung({.accuracy = 1e-3, .device = SumDevice::cuda}, kTurns), Rung::separable_fp32);
  EXPECT_EQ(fastest_rung({.accuracy = 1e-5, .device = SumDevice::cpu}, kTurns), Rung::separable_vector);
}

TEST(FastestRung, WithoutAGridIsAGatherOne) {
  EXPECT_EQ(fastest_rung({.accuracy = 1e-3, .grid = false, .device = SumDevice::cuda_tensor}, kTurns),
            Rung::tuned);
  EXPECT_EQ(fastest_rung({.accuracy = 1e-3, .grid = false, .device = SumDevice::cpu}, kTurns),
            Rung::gather_vector);
}

TEST(FastestRung, BeyondFloatIsTheMostAccurate) {
  EXPECT_EQ(fastest_rung({.accuracy = 1e-9, .device = SumDevice::cuda}, kTurns), Rung::separable_fp32);
  EXPECT_EQ(fastest_rung({.accuracy = 1e-9, .grid = false, .device = SumDevice::cuda}, kTurns),
            Rung::gather_constant_padded);
}

TEST(FastestRung, InDoubleHasADoubleVersion) {
  EXPECT_EQ(fastest_rung({.accuracy = 1e-12, .in_double = true, .device = SumDevice::cpu}, kTurns),
            Rung::separable_vector);
  EXPECT_EQ(fastest_rung({.accuracy = 1e-12, .in_double = true, .device = SumDevice::cuda_tensor}, kTurns),
            Rung::gather_constant_padded);
}

TEST(FastestRung, AngleErrorsGrowWithTheDistance) {
  EXPECT_GT(expected_error(Rung::tuned, 1000), 10 * expected_error(Rung::tuned, 10));
  EXPECT_EQ(expected_error(Rung::separable_fp32, 1000), expected_error(Rung::separable_fp32, 10));
}

}  // namespace
}  // namespace findrho
