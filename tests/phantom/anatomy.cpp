// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/anatomy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support.hpp"

namespace findrho {
namespace {

Context const context = Context::cpu(2);

/// A cube of 12 voxels: white matter (value 200) with a layer of grey (150) at its back and a block of CSF (60) on top of it.
Anatomy layers() {
  Anatomy a{{12, 12, 12}, {2, 2, 2}, Array<float>(Matrix{12, 12, 12}.shape())};
  for (std::int64_t n = 0; n < a.values.size(); ++n) {
    std::int64_t const y = n / 12 % 12, z = n / 144;
    a.values[n] = z >= 9 ? 60.0F : y >= 8 ? 150.0F : 200.0F;
  }
  return a;
}

double total(VoxelPhantom::Tissue const& tissue) {
  double sum = 0;
  for (float const v : tissue.density) sum += static_cast<double>(v);
  return sum;
}

TEST(Anatomy, ClassesKeepTheirVolumeOnAnyMatrix) {
  Anatomy const anatomy = layers();
  for (Matrix const matrix : {Matrix{12, 12, 12}, Matrix{7, 9, 5}, Matrix{30, 20, 25}}) {
    std::array<double, 3> const fov{40, 50, 44};
    auto const head = head_phantom(context, anatomy, matrix, fov, Nucleus::hydrogen);
    ASSERT_EQ(head.tissues.size(), 3U);
    double const voxel_mm3 = fov[0] * fov[1] * fov[2] / static_cast<double>(matrix.voxels());
    double const expected[] = {12 * 12 * 3 * 8 * 1.00, 12 * 4 * 9 * 8 * 0.86, 12 * 8 * 9 * 8 * 0.77};
    // Sums of floats of up to 15000 voxels, each right to a few roundings of 6e-8.
    for (std::size_t i = 0; i < 3; ++i)
      EXPECT_NEAR(total(head.tissues[i]) * voxel_mm3 / expected[i], 1, 1e-6);
  }
}

TEST(Anatomy, EachPlaceHasItsTissueAndItsDecay) {
  auto const head = head_phantom(context, layers(), {12, 12, 12}, {24, 24, 24}, Nucleus::sodium);
  auto const at = [&](std::size_t tissue, std::int64_t y, std::int64_t z) {
    return head.tissues[tissue].density[(z * 12 + y) * 12 + 6];
  };
  EXPECT_FLOAT_EQ(at(0, 3, 10), 145);
  EXPECT_FLOAT_EQ(at(1, 9, 4), 45);
  EXPECT_FLOAT_EQ(at(2, 3, 4), 35);
  EXPECT_EQ(at(1, 3, 4), 0);
  EXPECT_EQ(head.tissues[0].decay, (Decay{.t2star_s = 0.054}));
  EXPECT_EQ(head.tissues[2].decay.second_part, 0.6);
}

TEST(Anatomy, ASliceIsTheAverageOfItsThickness) {
  auto const head = head_phantom(context, layers(), {12, 12, 1}, {24, 24, 16}, Nucleus::hydrogen);
  // Plane n covers n - 6 +- 1/2 planes of 2 mm, the slice -4 to 4 of them: of the CSF, plane 9 fully and plane 10 by half.
  EXPECT_NEAR(static_cast<double>(head.tissues[0].density[6 * 12 + 6]), 1.5 / 8, 1e-6);
}

TEST(Anatomy, RefusesAnEmptyImage) {
  Anatomy const nothing{{4, 4, 4}, {1, 1, 1}, Array<float>(Matrix{4, 4, 4}.shape())};
  EXPECT_EQ(testing::refusal([&] {
              head_phantom(context, nothing, {4, 4, 4}, {4, 4, 4}, Nucleus::hydrogen);
            }),
            "the anatomy is 0 everywhere");
}

}  // namespace
}  // namespace findrho
