// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/montage.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "io/font.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using Vector = std::array<double, 3>;
using test::caught;

MontageOptions plain(double low, double high) {
  return {.window = Window{low, high}, .percentile = 99.5, .least_width = 1, .least_slice_width = 1};
}

TEST(PercentileWindow, RunsFromZeroToThePercentileOfFiniteValues) {
  Array<float> a(Shape{{Axis::x, 1002}});
  for (std::int64_t i = 0; i < 1000; ++i) a[i] = static_cast<float>(i + 1);
  a[1000] = std::numeric_limits<float>::quiet_NaN();
  a[1001] = std::numeric_limits<float>::infinity();
  Window const window = percentile_window({a});
  EXPECT_EQ(window.low, 0);
  EXPECT_EQ(window.high, 995) << "element floor(0.995 x 999) = 994 of 1 ... 1000";
}

TEST(PercentileWindow, BeginsAtTheLeastValueWhereThatIsNegative) {
  Array<float> a(Shape{{Axis::x, 3}});
  a[0] = -3;
  a[1] = 3;
  a[2] = 1;
  EXPECT_EQ(percentile_window({a}, 100).low, -3);
  EXPECT_EQ(percentile_window({a}, 100).high, 3);
}

TEST(PercentileWindow, IsNeverEmpty) {
  Array<float> a(Shape{{Axis::x, 1000}});
  EXPECT_GT(percentile_window({a}).high, percentile_window({a}).low);
  a[3] = 2;  // one bright voxel: the percentile is 0, the largest value takes its place
  EXPECT_EQ(percentile_window({a}).high, 2);
}

TEST(Montage, MapsTheWindowToGreyAndClampsOutside) {
  Array<float> a(Shape{{Axis::y, 1}, {Axis::x, 5}});
  float const values[] = {-1, 0, 5, 10, 11};
  std::copy_n(values, 5, a.begin());
  Montage const montage = make_montage({a}, {}, plain(0, 10));
  EXPECT_EQ(montage.image.pixels, (std::vector<std::uint8_t>{0, 0, 128, 255, 255}));
  a[2] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(make_montage({a}, {}, plain(0, 10)).image.at(2, 0), 0);
}

TEST(Montage, LaysSlicesOutRowByRow) {
  Array<float> a(Matrix{2, 1, 5}.shape());
  for (std::int64_t i = 0; i < 10; ++i) a[i] = static_cast<float>(i);
  Montage const montage = make_montage({a}, {}, plain(0, 255));
  EXPECT_EQ(montage.image.width, 6) << "five slices: three columns of two pixels, two rows";
  EXPECT_EQ(montage.image.pixels, (std::vector<std::uint8_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 0, 0}));
  EXPECT_NE(montage.orientation.find("array order"), std::string::npos);
}

TEST(Montage, EnlargesSmallImagesByAnIntegerFactor) {
  Array<float> a(Matrix{100, 50, 1}.shape());
  a[99] = 1;
  Montage const montage = make_montage({a}, {});
  EXPECT_EQ(montage.image.width, 300);
  EXPECT_EQ(montage.image.height, 150);
  EXPECT_EQ(montage.image.at(297, 2), 255);
  EXPECT_EQ(montage.image.at(296, 2), 0);
  EXPECT_EQ(montage.image.at(297, 3), 0);
}

TEST(Montage, EnlargesSmallSlicesInALargePicture) {
  Array<float> const a(Matrix{64, 64, 16}.shape());
  EXPECT_EQ(make_montage({a}, {}).image.width, 4 * 128);
}

TEST(Montage, KeepsTheProportionsOfTheFov) {
  Array<float> const a(Matrix{10, 10, 1}.shape());
  Montage const montage = make_montage({a}, {.fov_mm = {10, 30, 1}}, plain(0, 1));
  EXPECT_EQ(montage.image.width, 10);
  EXPECT_EQ(montage.image.height, 30);
}

/// Where a bright voxel that lies towards `patient` (LPS) of the centre is shown: column and row, 0 to 2.
std::pair<int, int> shown_at(Geometry geometry, Vector const& patient, std::string& words) {
  geometry.orientation_known = true;
  Array<float> a(Matrix{3, 3, 1}.shape());
  auto const along = [&](Vector const& axis) {
    return std::lround(axis[0] * patient[0] + axis[1] * patient[1] + axis[2] * patient[2]);
  };
  a[(1 + along(geometry.phase)) * 3 + 1 + along(geometry.read)] = 1;
  Montage const montage = make_montage({a}, geometry, plain(0, 1));
  words = montage.orientation;
  for (int i = 0; i < 9; ++i) {
    if (montage.image.pixels[static_cast<std::size_t>(i)] == 255) return {i % 3, i / 3};
  }
  return {-1, -1};
}

TEST(Montage, ShowsThePatientInRadiologicalOrderHoweverTheSliceWasRead) {
  Vector const left{1, 0, 0}, right{-1, 0, 0}, back{0, 1, 0}, front{0, -1, 0}, head{0, 0, 1}, feet{0, 0, -1};
  struct Case {
    Vector read, phase, slice;
    Vector to_right, to_top;  // what the viewer sees on the right and on top
    char const* word;
  };
  Case const cases[] = {
      {left, back, head, left, front, "axial"},   {back, left, head, left, front, "axial"},
      {right, front, head, left, front, "axial"}, {front, left, feet, left, front, "axial"},
      {left, feet, back, left, head, "coronal"},  {head, right, front, left, head, "coronal"},
      {back, feet, left, back, head, "sagittal"}, {head, front, right, back, head, "sagittal"}};
  for (Case const& c : cases) {
    Geometry const geometry{{3, 3, 1}, {}, c.read, c.phase, c.slice, true};
    std::string words;
    EXPECT_EQ(shown_at(geometry, c.to_right, words), std::make_pair(2, 1));
    EXPECT_EQ(shown_at(geometry, c.to_top, words), std::make_pair(1, 0));
    EXPECT_NE(words.find(c.word), std::string::npos) << words;
    EXPECT_NE(words.find("radiological"), std::string::npos);
  }
}

TEST(Montage, RefusesVolumesThatDiffer) {
  Array<float> const a(Matrix{3, 3, 1}.shape()), b(Matrix{4, 3, 1}.shape());
  EXPECT_EQ(caught([&] { make_montage({a, b}, {}); }).kind, ErrorKind::bad_shape);
  EXPECT_EQ(caught([&] { make_montage({}, {}); }).kind, ErrorKind::bad_shape);
  EXPECT_EQ(caught([&] { make_montage({View<float const>(a.data(), sample_shape(3, 3))}, {}); }).kind,
            ErrorKind::bad_shape);
}

TEST(WrapText, BreaksAtSpacesAndInsideWordsOnlyWhereThereAreNone) {
  EXPECT_EQ(wrap_text("one two three", 7), (std::vector<std::string>{"one two", "three"}));
  EXPECT_EQ(wrap_text("one\ntwo", 7), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(wrap_text("abcdefgh", 3), (std::vector<std::string>{"abc", "def", "gh"}));
  EXPECT_TRUE(wrap_text("", 3).empty());
}

TEST(DrawText, GivesEveryPrintableCharacterAShapeOfItsOwn) {
  std::set<std::string> shapes;
  for (char c = ' '; c <= '~'; ++c) {
    GreyImage image(kTextAdvance, kLineAdvance);
    draw_text(image, 0, 0, std::string(1, c), 1);
    shapes.emplace(image.pixels.begin(), image.pixels.end());
  }
  EXPECT_EQ(shapes.size(), 95U);
}

TEST(DrawText, CutsOffWhatDoesNotFit) {
  GreyImage image(7, 5);
  EXPECT_NO_THROW(draw_text(image, 3, 2, "HHH", 2));
  EXPECT_EQ(image.at(3, 2), 255);
}

TEST(Panel, PutsImagesOfOneWindowSideBySideWithCaptionsBelow) {
  Array<float> a(Shape{{Axis::y, 64}, {Axis::x, 64}}), b(a.shape());
  std::fill(a.begin(), a.end(), 5.0F);
  std::fill(b.begin(), b.end(), 10.0F);
  GreyImage const bare = make_panel({{a, ""}, {b, ""}}, {.window = {}, .percentile = 100});
  EXPECT_EQ(bare.width, 8 + 256 + 8 + 256 + 8);
  EXPECT_EQ(bare.at(8 + 128, 128), 128) << "half of the common window";
  EXPECT_EQ(bare.at(8 + 256 + 8 + 128, 128), 255);
  GreyImage const panel = make_panel({{a, "gridding"}, {b, "cg"}});
  EXPECT_EQ(panel.height, bare.height + kLineAdvance * 2);
  EXPECT_GT(std::count(panel.pixels.begin() + bare.width * bare.height, panel.pixels.end(), 255), 100);
}

TEST(Panel, RefusesVolumes) {
  Array<float> const a(Matrix{4, 4, 2}.shape());
  EXPECT_EQ(caught([&] { make_panel({{a, "x"}}); }).kind, ErrorKind::bad_shape);
  EXPECT_EQ(caught([] { make_panel({}); }).kind, ErrorKind::bad_shape);
}

}  // namespace
}  // namespace findrho
