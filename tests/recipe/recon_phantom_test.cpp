// SPDX-License-Identifier: BSD-3-Clause
// Reconstructions of simulated scans, whose truth is known: quality, position, stacking, refusals.
#include <atomic>
#include <functional>

#include "findrho/core/error.hpp"
#include "scans.hpp"
#include "support/caught.hpp"

namespace findrho {
namespace {

using test::against;
using test::simulated;
using test::Simulated;

SimulateOptions spiral(std::int64_t n, double snr) {
  SimulateOptions options{.matrix = {n, n, 1}, .trajectory = Spiral2dOptions{}};
  options.snr = snr;
  return options;
}

TEST(PhantomRecon, IterativeBeatsBilinearGriddingBy10Decibel) {
  Context const context = Context::cpu(2);
  Simulated const s = simulated(context, spiral(256, 20));
  double const cg = against(reconstruct(context, s.dataset, {}), s.truth).psnr_db;
  ReconOptions bilinear{.method = Method::gridding, .density = DensityKind::none};
  bilinear.nufft.kernel = GriddingKernel::bilinear;
  double const floor =
      against(reconstruct(context, s.dataset, bilinear), s.truth, ScaleFit::least_squares).psnr_db;
  double const gridded =
      against(reconstruct(context, s.dataset, {.method = Method::gridding}), s.truth).psnr_db;
  EXPECT_GE(cg, floor + 10);
  EXPECT_GE(cg, gridded);
}

TEST(PhantomRecon, SenseBeatsGriddingBy3DecibelAtTwofoldUndersampling) {
  Context const context = Context::cpu(2);
  SimulateOptions options = spiral(256, 20);
  options.trajectory = Spiral2dOptions{.undersampling = 2};
  options.coils = 8;
  Simulated const s = simulated(context, options);
  ReconInputs const maps{.maps = s.maps.view(), .reference = {}};
  double const cg = against(reconstruct(context, s.dataset, {}, maps), s.truth).psnr_db;
  double const gridded =
      against(reconstruct(context, s.dataset, {.method = Method::gridding}, maps), s.truth).psnr_db;
  EXPECT_GE(cg, gridded + 3);
}

TEST(PhantomRecon, GriddedImagesAreInTheUnitsOfRho) {
  Context const context = Context::cpu(2);
  Simulated const s = simulated(context, spiral(128, 0));
  Quality const q = against(reconstruct(context, s.dataset, {.method = Method::gridding}), s.truth,
                            ScaleFit::least_squares);
  // The area of the sampled disc is known to about a turn of the spiral in N/2 = 64, 3 %; the rest is the corners of
  // k-space that the disc leaves out, which lower the edges: together below 10 %.
  EXPECT_NEAR(q.scale, 1, 0.1);
}

// A shift of half a voxel would cost an edge-rich image far more than this.
TEST(PhantomRecon, FullCartesianScansOfEvenAndOddSizeComeBackInPlace) {
  Context const context = Context::cpu(2);
  for (Matrix const matrix : {Matrix{64, 64, 1}, Matrix{63, 65, 1}, Matrix{24, 25, 26}}) {
    SimulateOptions options{.matrix = matrix, .trajectory = CartesianOptions{}};
    Simulated const s = simulated(context, options);
    Quality const q = against(reconstruct(context, s.dataset, {}), s.truth);
    // The samples are the continuous object's, band-limited at N/2: Gibbs ringing at the skull against voxel averages.
    EXPECT_GE(q.correlation, 0.97) << matrix.shape().str();
  }
}

TEST(PhantomRecon, ShiftByWholeVoxelsMovesTheImage) {
  Context const context = Context::cpu(2);
  SimulateOptions options{.matrix = {40, 40, 1}, .trajectory = CartesianOptions{}, .fov_mm = {200, 200, 5}};
  Simulated const s = simulated(context, options);
  ReconResult const still = reconstruct(context, s.dataset, {});
  ReconResult const moved =
      reconstruct(context, s.dataset, {.shift_mm = {15, -10, 0}});  // 5 mm voxels: +3, -2
  float largest = 0;
  for (auto const& v : still.images) largest = std::max(largest, std::abs(v));
  for (std::int64_t y = 0; y < 40; ++y) {
    for (std::int64_t x = 0; x < 40; ++x) {
      std::complex<float> const expected = still.images[(y + 2) % 40 * 40 + (x + 37) % 40];
      // Float rounding of two inverse FFTs of 1600 points: some 1e-6 of the largest value.
      EXPECT_LE(std::abs(moved.images[y * 40 + x] - expected), 2e-5F * largest);
    }
  }
}

TEST(PhantomRecon, EstimatedMapsMatchTheCoilsInsideTheObject) {
  Context const context = Context::cpu(2);
  SimulateOptions options = spiral(96, 50);
  options.coils = 6;
  Simulated const s = simulated(context, options);
  ReconResult const result = reconstruct(context, s.dataset, {});
  EXPECT_EQ(result.coils, CoilMode::sense);
  // Estimated maps have unit norm, so the image is the object times the coils' root sum of squares, which varies by a
  // factor of about two over the object: the pictures agree, the scale does not.
  Array<float> shaded(s.truth.shape());
  for (std::int64_t n = 0; n < shaded.size(); ++n) {
    double power = 0;
    for (std::int64_t c = 0; c < 6; ++c) power += std::norm(s.maps[c * shaded.size() + n]);
    shaded[n] = s.truth[n] * static_cast<float>(std::sqrt(power));
  }
  EXPECT_GE(against(result, shaded).correlation, 0.95);
}

TEST(PhantomRecon, BytesDoNotDependOnTheThreadCount) {
  Context const one = Context::cpu(1), three = Context::cpu(3);
  SimulateOptions options = spiral(48, 20);
  options.coils = 3;
  Simulated const s = simulated(one, options);
  ReconResult const a = reconstruct(one, s.dataset, {}), b = reconstruct(three, s.dataset, {});
  EXPECT_TRUE(std::equal(a.images.begin(), a.images.end(), b.images.begin()));
}

TEST(PhantomRecon, SlicesAreStackedInTheOrderOfTheirPositions) {
  Context const context = Context::cpu(1);
  Dataset stack;
  for (int slice : {0, 1, 2}) {
    SimulateOptions options{.matrix = {16, 16, 1}, .trajectory = CartesianOptions{}};
    Simulated s = simulated(context, options);
    Frame& frame = s.dataset.frames.front();
    for (auto& v : frame.samples) v *= static_cast<float>(slice + 1);
    frame.index.slice = slice;
    frame.geometry.position_mm = {0, 0, slice == 2 ? -8.0 : 4.0 * slice};  // slice 2 lies lowest
    frame.geometry.fov_mm[2] = 3;
    if (slice == 0) {
      stack = std::move(s.dataset);
    } else {
      stack.frames.push_back(std::move(frame));
    }
  }
  ReconResult const result = reconstruct(context, stack, {});
  EXPECT_EQ(result.images.shape(), (Shape{{Axis::frame, 1}, {Axis::z, 3}, {Axis::y, 16}, {Axis::x, 16}}));
  auto const energy = [&](std::int64_t z) {
    double sum = 0;
    for (std::int64_t n = 0; n < 256; ++n) sum += std::abs(result.images[z * 256 + n]);
    return sum;
  };
  // Scaling by 3 : 1 : 2 is exact up to float rounding of each sum.
  EXPECT_NEAR(energy(0) / energy(1), 3, 1e-4);
  EXPECT_NEAR(energy(2) / energy(1), 2, 1e-4);
  EXPECT_NEAR(result.geometry.fov_mm[2], 3 * 6.0, 1e-9);  // -8 to 4 mm in two steps of 6
}

/// A context that is cancelled by the first event for which `when` holds.
struct Stopping {
  Context context = Context::cpu(1);
  std::atomic<bool> stop{false};
  explicit Stopping(std::function<bool(Event const&)> when) {
    context.set_cancel_flag(&stop);
    context.set_event_sink([this, when = std::move(when)](Event const& e) {
      if (when(e)) stop = true;
    });
  }
};

TEST(PhantomRecon, StopsOnRequestWithAnImageMarkedInterrupted) {
  Simulated const s = simulated(Context::cpu(1), spiral(32, 20));
  Stopping const at_three([](Event const& e) { return e.type == Event::Type::iteration && e.step == 3; });
  ReconResult const result = reconstruct(at_three.context, s.dataset, {.tolerance = 0});
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.frames.front().cg.iterations, 3);
  EXPECT_GT(against(result, s.truth).correlation, 0.5);
}

TEST(PhantomRecon, StoppedBeforeAnythingIsSolvedThereIsNoImage) {
  Simulated const s = simulated(Context::cpu(1), spiral(32, 20));
  Stopping const early(
      [](Event const& e) { return e.type == Event::Type::phase_begin && e.text == "largest eigenvalue"; });
  EXPECT_EQ(test::caught([&] { reconstruct(early.context, s.dataset, {.method = Method::cg}); }).kind,
            ErrorKind::cancelled);
  ASSERT_TRUE(early.stop);  // it was reached
  EXPECT_EQ(test::caught([&] { reconstruct(early.context, s.dataset, {.method = Method::gridding}); }).kind,
            ErrorKind::cancelled);
}

TEST(PhantomRecon, RefusesWhatDoesNotFit) {
  Context const context = Context::cpu(1);
  SimulateOptions options = spiral(32, 0);
  options.coils = 2;
  Simulated const s = simulated(context, options);
  auto const kind = [&](ReconOptions const& o, ReconInputs const& inputs = {}) {
    return test::caught([&] { reconstruct(context, s.dataset, o, inputs); }).kind;
  };
  EXPECT_EQ(kind({.method = Method::ifft}), ErrorKind::bad_option);
  EXPECT_EQ(kind({.lambda = -1}), ErrorKind::bad_option);
  EXPECT_EQ(kind({.iterations = 0}), ErrorKind::bad_option);
  EXPECT_EQ(kind({.prior = PriorKind::edges}), ErrorKind::bad_option);
  EXPECT_EQ(kind({.whiten = WhitenKind::on}), ErrorKind::bad_option);
  EXPECT_EQ(kind({.density = DensityKind::file}), ErrorKind::bad_option);

  Array<std::complex<float>> const three(Matrix{32, 32, 1}.shape(3));
  EXPECT_EQ(kind({}, {.maps = three.view(), .reference = {}}), ErrorKind::bad_shape);
  Array<std::complex<float>> bad(Matrix{32, 32, 1}.shape(2));
  EXPECT_EQ(kind({}, {.maps = bad.view(), .reference = {}}), ErrorKind::bad_file);  // all zero
  bad[7] = std::complex<float>(NAN, 0);
  Error const nan =
      test::caught([&] { reconstruct(context, s.dataset, {}, {.maps = bad.view(), .reference = {}}); });
  EXPECT_NE(std::string(nan.what()).find("coil 0, z 0, y 0, x 7"), std::string::npos) << nan.what();
}

TEST(PhantomRecon, WhiteningHelpsWhenOneCoilIsNoisy) {
  Context const context = Context::cpu(2);
  SimulateOptions options = spiral(64, 40);
  options.coils = 4;
  options.noise_samples = 4096;
  Simulated s = simulated(context, options);
  // Coil 2 gets twenty times its noise, in the scan and in the noise readout alike.
  std::int64_t const m = s.dataset.frames.front().trajectory->size();
  Simulated clean = simulated(context, [&] {
    auto o = options;
    o.snr = 0;
    o.noise_samples = 0;
    return o;
  }());
  for (std::int64_t i = 0; i < m; ++i) {
    auto& noisy = s.dataset.frames.front().samples[2 * m + i];
    noisy += 19.0F * (noisy - clean.dataset.frames.front().samples[2 * m + i]);
  }
  for (std::int64_t i = 0; i < 4096; ++i) s.dataset.noise[2 * 4096 + i] *= 20;
  ReconInputs const maps{.maps = s.maps.view(), .reference = {}};
  double const off =
      against(reconstruct(context, s.dataset, {.whiten = WhitenKind::off}, maps), s.truth).psnr_db;
  double const on = against(reconstruct(context, s.dataset, {.whiten = WhitenKind::on}, maps), s.truth,
                            ScaleFit::least_squares)
                        .psnr_db;
  EXPECT_GT(on, off + 3);
}

}  // namespace
}  // namespace findrho
