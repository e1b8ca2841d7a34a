// SPDX-License-Identifier: BSD-3-Clause
// The ladder's picture from a report as a device would give it.
#include <gtest/gtest.h>

#include <filesystem>

#include "findrho/io/png.hpp"
#include "ladder_table.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

LadderRow row(Rung rung, bool cuda, double pairs_per_second) {
  LadderRow r;
  r.rung = rung;
  r.cuda = cuda;
  r.pairs_per_second = pairs_per_second;
  return r;
}

/// Figures of the order that one H200 has.
LadderReport device_report() {
  LadderReport report{.title = "F^H d, 128 x 128 x 128 voxels, 284592 samples, random, single precision",
                      .samples = 284592,
                      .voxels = 2097152};
  report.rows = {row(Rung::sequential, false, 9.2e7),
                 row(Rung::gather_vector, false, 5.6e9),
                 row(Rung::pair, true, 114e9),
                 row(Rung::scatter, true, 28.8e9),
                 row(Rung::mu, true, 1e9),
                 row(Rung::gather, true, 320e9),
                 row(Rung::gather_registers, true, 418e9),
                 row(Rung::gather_constant_padded, true, 590e9),
                 row(Rung::gather_fast_trig, true, 1.13e12),
                 row(Rung::gather_coarse, true, 1.56e12),
                 row(Rung::tuned, true, 1.96e12),
                 row(Rung::separable_fp32, true, 10.8e12),
                 row(Rung::separable_tf32, true, 78.6e12),
                 row(Rung::separable_fp16, true, 118e12),
                 row(Rung::separable_split, true, 48.3e12)};
  report.sine_rate = 4.12e12;
  report.float_rate = 31.6e12;
  using Kind = Ceiling::Kind;
  report.ceilings = Ceilings{"one device",
                             {{"DRAM", Kind::bytes, 4.2e12},
                              {"L2", Kind::bytes, 8e12},
                              {"shared", Kind::bytes, 33e12},
                              {"FP32", Kind::operations, 63e12},
                              {"SFU", Kind::operations, 4.1e12},
                              {"TF32", Kind::operations, 413e12},
                              {"FP16", Kind::operations, 757e12}}};
  return report;
}

TEST(LadderLimit, OfTheProcessorsProductIsHalfItsMultiplyAdds) {
  LadderReport report = device_report();
  LadderRow const product = row(Rung::separable_vector, false, 20e9);
  EXPECT_FALSE(limit_of(product, report));  // the processor was not measured
  report.cpu_multiply_adds = 117e9;
  ASSERT_TRUE(limit_of(product, report));
  EXPECT_DOUBLE_EQ(limit_of(product, report)->pairs_per_second, 58.5e9);
  EXPECT_FALSE(limit_of(row(Rung::gather_vector, false, 3e9), report));
  report.element_bytes = 8;
  EXPECT_FALSE(limit_of(product, report));  // the lab measures float
}

class LadderPicture : public testing::Test {
 protected:
  test::TempFolder const folder_;
  std::filesystem::path const file_ = folder_ / "ladder.png";
  std::int64_t height(LadderReport const& report) {
    write_ladder_picture(file_, report);
    return read_png(file_).shape().extent(Axis::y);
  }
};

TEST_F(LadderPicture, HasTheRooflineWhereTheDeviceWasMeasured) {
  LadderReport const with = device_report();
  LadderReport without = with;
  without.ceilings.reset();
  std::int64_t const bars = height(without);
  EXPECT_GT(height(with), bars + 400);
}

}  // namespace
}  // namespace findrho
