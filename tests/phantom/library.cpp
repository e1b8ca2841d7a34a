// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/library.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "support.hpp"

namespace findrho {
namespace {

using testing::refusal;

Context const context = Context::cpu(2);

double value_at(Array<std::complex<double>> const& image, std::int64_t n, double x, double y) {
  auto const index = [n](double r) { return std::llround(r * static_cast<double>(n)) + n / 2; };
  return image[index(y) * n + index(x)].real();
}

TEST(ResolutionPhantom, HasBarsAndGapsOfItsWidths) {
  // At 768 voxels a bar of 1/48 has 16 voxels and one of 1/256 three: along a row, bars and gaps follow each other.
  constexpr std::int64_t kN = 768;
  auto const image = phantom_image(context, resolution_phantom(2), {kN, kN, 1});
  double left = 0.03;
  for (double const width : kBarWidths) left -= 7 * width + 0.03;
  left *= 0.5;
  for (double const width : kBarWidths) {
    for (int i = 0; i < 7; ++i) {
      double const expected = i % 2 == 0 ? 1 : 0.3;
      double const middle = left + (i + 0.5) * width;
      EXPECT_NEAR(value_at(image, kN, middle, -0.2), expected, 1e-12) << width << " upright " << i;
      EXPECT_NEAR(value_at(image, kN, left + 3.5 * width, (i - 3) * width), expected, 1e-12)
          << width << " level " << i;
    }
    EXPECT_NEAR(value_at(image, kN, left + 3.5 * width, 0.2), 1, 1e-12) << width << " rod";
    EXPECT_NEAR(value_at(image, kN, left + 4.5 * width, 0.2 + width), 0.3, 1e-12) << width << " between rods";
    left += 7 * width + 0.03;
  }
}

TEST(ResolutionPhantom, IsTheSameInTheMiddlePlaneOfTheSolidOne) {
  auto const flat = phantom_image(context, resolution_phantom(2), {96, 96, 1});
  auto const solid = phantom_image(context, resolution_phantom(3), {96, 96, 5});
  for (std::int64_t n = 0; n < flat.size(); ++n) {
    EXPECT_NEAR(solid[2 * flat.size() + n].real(), flat[n].real(), 1e-12);
  }
}

TEST(ContrastPhantom, HasDiscsOfItsContrasts) {
  constexpr std::int64_t kN = 400;  // the smallest disc has 6 voxels
  auto const image = phantom_image(context, contrast_phantom(2), {kN, kN, 1});
  for (std::size_t row = 0; row < 5; ++row) {
    for (std::size_t column = 0; column < 5; ++column) {
      double const x = 0.13 * (static_cast<double>(column) - 2), y = 0.13 * (static_cast<double>(row) - 2);
      EXPECT_NEAR(value_at(image, kN, x, y), 1 + kDiscContrasts[row], 1e-12);
      EXPECT_NEAR(value_at(image, kN, x + 0.5 * kDiscDiameters[column] + 0.005, y), 1, 1e-12);
    }
  }
}

TEST(PhantomText, HoldsSolidsAndTheirSignals) {
  Phantom const phantom = parse_phantom(
      "# a comment\n"
      "ellipsoid 1 0 0 0 0.4 0.3 0.2 0\n"
      "\n"
      "box -0.5 0.1 -0.2 0.05 0.1 0.05 0.3 30 t2star_ms=20 frequency_hz=-40 # tissue\n"
      "cylinder 2 0 0 0 0.1 0.1 0.3 0 t2star_ms=30 second_t2star_ms=3 second_part=0.6\n",
      3, "text");
  ASSERT_EQ(phantom.solids.size(), 3U);
  EXPECT_EQ(phantom.solids[0].shape, SolidShape::ellipsoid);
  Solid const& box = phantom.solids[1];
  EXPECT_EQ(box.shape, SolidShape::box);
  EXPECT_EQ(box.density, -0.5);
  EXPECT_EQ(box.center, (std::array<double, 3>{0.1, -0.2, 0.05}));
  EXPECT_EQ(box.semi_axis, (std::array<double, 3>{0.1, 0.05, 0.3}));
  EXPECT_NEAR(box.rotation_rad, std::numbers::pi / 6, 1e-15);
  EXPECT_EQ(box.decay, (Decay{.t2star_s = 0.02}));
  EXPECT_EQ(box.frequency_hz, -40);
  EXPECT_EQ(phantom.solids[2].decay, (Decay{.t2star_s = 0.03, .second_t2star_s = 0.003, .second_part = 0.6}));
}

TEST(PhantomText, SaysWhichLineIsWrong) {
  auto const refused = [](std::string const& line) {
    return refusal([&] { parse_phantom("box 1 0 0 0 1 1 1 0\n" + line + "\n", 3, "p.txt"); });
  };
  EXPECT_EQ(refused("cube 1 0 0 0 1 1 1 0"), "p.txt, line 2: 'cube' is no shape");
  EXPECT_EQ(refused("box 1 0 0 0 1"), "p.txt, line 2: 6 columns, 9 are needed");
  EXPECT_EQ(refused("box 1 0 zero 0 1 1 1 0"), "p.txt, line 2: y is 'zero', not a number");
  EXPECT_EQ(refused("box 1 0 0 0 1 -1 1 0"), "p.txt, line 2: b is -1, not above 0");
  EXPECT_EQ(refused("box 1 0 0 0 1 1 1 0 7"), "p.txt, line 2: '7' is one column too many");
  EXPECT_EQ(refused("box 1 0 0 0 1 1 1 0 t1_ms=7"), "p.txt, line 2: 't1_ms' is not known");
  EXPECT_EQ(refused("box 1 0 0 0 1 1 1 0 t2star_ms=-7"), "p.txt, line 2: T2* is -7 ms");
  EXPECT_EQ(refusal([] { parse_phantom("# nothing\n", 2, "p.txt"); }), "p.txt has no solids");
  EXPECT_EQ(refusal([] { read_phantom("/nowhere/p.txt", 2); }), "cannot read the phantom /nowhere/p.txt");
}

TEST(NamedPhantom, RefusesANameThatIsNone) {
  for (std::string const name : {"shepp-logan", "shepp-logan-original", "resolution", "contrast"}) {
    EXPECT_FALSE(named_phantom(name, 3).solids.empty());
  }
  EXPECT_EQ(refusal([] { named_phantom("teapot", 2); }), "there is no phantom 'teapot'");
}

}  // namespace
}  // namespace findrho
