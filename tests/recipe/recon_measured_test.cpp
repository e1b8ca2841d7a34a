// SPDX-License-Identifier: BSD-3-Clause
// Measured scans against images that BART made of them: the same anatomy, no flip, no shift.
#include "scans.hpp"

namespace findrho {
namespace {

using test::against;
using test::load;
using test::read_reference;

Array<float> reference_magnitude(std::string const& file) {
  Array<std::complex<float>> const image = read_reference(file);
  return magnitude(image);
}

// BART's images are unregularised iterative solutions of the same samples; ours differ by kernel, stopping and a small
// lambda. 0.98 is far above what any flip or a shift of one voxel leaves (below 0.9 for each of these images).
constexpr double kSameImage = 0.98;

TEST(MeasuredScan, BrainSpiralLooksAsBartsImage) {
  FINDRHO_NEEDS_MEASURED("brain-spiral/brain.h5");
  Context const context = Context::cpu(2);
  ReconResult const result = reconstruct(context, load(context, "brain-spiral/brain.h5"), {});
  EXPECT_EQ(result.method, Method::cg);
  EXPECT_GE(against(result, reference_magnitude("brain-spiral/brain_reference.cfl")).correlation, kSameImage);
}

TEST(MeasuredScan, BrainVolumeWithMapsLooksAsBartsImage) {
  FINDRHO_NEEDS_MEASURED("brain-spiral-3d/brain3d.h5");
  Context const context = Context::cpu(2);
  Array<std::complex<float>> const maps = load_maps(test::measured("brain-spiral-3d/brain3d_maps.cfl"));
  ReconResult const result = reconstruct(context, load(context, "brain-spiral-3d/brain3d.h5"), {},
                                         {.maps = maps.view(), .reference = {}});
  EXPECT_GE(against(result, reference_magnitude("brain-spiral-3d/brain3d_reference.cfl")).correlation,
            kSameImage);
}

TEST(MeasuredScan, UnregularisedHeadLooksAsBartsImage) {
  FINDRHO_NEEDS_MEASURED("head-spiral-b0/signals_spiralout_clean_slc30.h5");
  Context const context = Context::cpu(2);
  ReconResult const result =
      reconstruct(context, load(context, "head-spiral-b0/signals_spiralout_clean_slc30.h5"), {.lambda = 0});
  EXPECT_GE(against(result, reference_magnitude("head-spiral-b0/head_clean_reference.cfl")).correlation,
            kSameImage);
}

TEST(MeasuredScan, HeartCoilByCoilShowsBartsStreaks) {
  FINDRHO_NEEDS_MEASURED("heart-radial/heart.h5");
  Context const context = Context::cpu(2);
  ReconResult const result =
      reconstruct(context, load(context, "heart-radial/heart.h5"),
                  {.coils = CoilMode::rss,
                   .lambda = 0,
                   .iterations = 30});  // BART's 30; without lambda noise grows on: 0.91 at 50
  EXPECT_TRUE(result.magnitude_only);
  // 16-fold undersampled: which streaks remain depends on the stopping, hence 0.95 instead of 0.98.
  EXPECT_GE(against(result, reference_magnitude("heart-radial/heart_reference.cfl")).correlation, 0.95);
}

/// Mean magnitude in the outer tenth of the FOV, where there is no body, over the 99th percentile of the image.
/// Not over its mean: streaks fill the whole gridded image and raise its mean with them (0.50 for SENSE, 0.79 gridded).
double streaks(Array<float> const& image) {
  std::int64_t const n = image.shape().extent(Axis::x);
  double outside = 0;
  std::int64_t count = 0;
  for (std::int64_t y = 0; y < n; ++y) {
    for (std::int64_t x = 0; x < n; ++x) {
      if (std::max(std::abs(x - n / 2), std::abs(y - n / 2)) < 9 * n / 20) continue;
      outside += image[y * n + x];
      ++count;
    }
  }
  std::vector<float> sorted(image.begin(), image.end());
  std::sort(sorted.begin(), sorted.end());
  return outside / static_cast<double>(count) / sorted[sorted.size() * 99 / 100];
}

TEST(MeasuredScan, SenseTakesTheStreaksOutOfTheHeart) {
  FINDRHO_NEEDS_MEASURED("heart-radial/heart.h5");
  Context const context = Context::cpu(2);
  Dataset const heart = load(context, "heart-radial/heart.h5");
  ReconResult const sense = reconstruct(context, heart, {});
  ReconResult const gridded = reconstruct(context, heart, {.method = Method::gridding});
  EXPECT_EQ(sense.coils, CoilMode::sense);
  // "Plainly weaker": at most half.
  EXPECT_LE(streaks(test::first_volume(sense)), 0.5 * streaks(test::first_volume(gridded)));
}

TEST(MeasuredScan, CartesianScansGoThroughTheInverseFft) {
  FINDRHO_NEEDS_MEASURED("fieldmap-dual-echo/fieldMap_30_2.h5");
  Context const context = Context::cpu(2);
  ReconResult const result = reconstruct(context, load(context, "fieldmap-dual-echo/fieldMap_30_2.h5"), {});
  EXPECT_EQ(result.method, Method::ifft);
  EXPECT_EQ(result.images.shape().extent(Axis::frame), 2);  // two echoes
  EXPECT_EQ(result.images.shape().extent(Axis::x), 64);     // readout oversampling cropped
}

}  // namespace
}  // namespace findrho
