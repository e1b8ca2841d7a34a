// SPDX-License-Identifier: BSD-3-Clause
// Coupled noise, off-resonance, decay and heads in whole simulated scans.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "findrho/core/error.hpp"
#include "findrho/recipe/simulate.hpp"
#include "recipe/whiten.hpp"

namespace findrho {
namespace {

using std::numbers::pi;

Context const context = Context::cpu(2);

/// The samples of all readouts but noise, or of the noise readout alone. (coil, sample)
Array<std::complex<float>> samples_of(SimulatedScan const& s, bool noise) {
  std::int64_t const coils = s.maps.shape().extent(Axis::coil);
  std::int64_t total = 0, done = 0;
  for (RawReadout const& r : s.scan.readouts) total += r.has(ReadoutFlag::noise) == noise ? r.samples : 0;
  Array<std::complex<float>> result(sample_shape(coils, total));
  for (RawReadout const& r : s.scan.readouts) {
    if (r.has(ReadoutFlag::noise) != noise) continue;
    for (std::int64_t c = 0; c < coils; ++c) {
      for (std::int64_t j = 0; j < r.samples; ++j) {
        result[c * total + done + j] =
            s.scan.data[static_cast<std::size_t>(r.data_offset + c * r.samples + j)];
      }
    }
    done += r.samples;
  }
  return result;
}

TEST(SimulateNoise, WhiteningByTheNoiseReadoutMakesTheScansNoiseWhite) {
  constexpr std::int64_t kCoils = 6, kReadout = 20000;
  SimulateOptions options{.matrix = {64, 64, 1}, .coils = kCoils, .snr = 20, .noise_samples = kReadout};
  options.phantom = Phantom{2, {{.density = 1e-9}}};  // nothing but noise, whose size follows the object's
  options.noise_covariance = loop_noise_covariance(make_coil_array(2, kCoils, CoilModel::loops));
  SimulatedScan const s = simulate(context, options);
  NoiseWhitening const whitening(samples_of(s, true));
  auto scan = samples_of(s, false);
  std::int64_t const n = scan.shape().extent(Axis::sample);
  // The object's own signal is at most the density times sqrt(prod N) SNR / mean = 20 sigma: take it off first.
  SimulateOptions still = options;
  still.snr = 0;
  still.noise_samples = 0;
  auto const object = samples_of(simulate(context, still), false);
  for (std::int64_t i = 0; i < scan.size(); ++i) scan[i] -= object[i];
  auto const before = copy(scan.view());
  whitening.apply(context, scan);
  double const variance = 2 * s.noise_sigma * s.noise_sigma;
  double coupled = 0;
  for (std::int64_t i = 0; i < kCoils; ++i) {
    for (std::int64_t j = 0; j < kCoils; ++j) {
      std::complex<double> sum = 0, raw = 0;
      for (std::int64_t m = 0; m < n; ++m) {
        sum += std::complex<double>(scan[i * n + m] * std::conj(scan[j * n + m]));
        raw += std::complex<double>(before[i * n + m] * std::conj(before[j * n + m]));
      }
      if (i != j) coupled = std::max(coupled, std::abs(raw) / static_cast<double>(n) / variance);
      // Psi is known from the readout to 1/sqrt(readout) per entry, the mean of n products to 1/sqrt(n); the mean variance,
      // to which whitening scales, to less. Five deviations of 36 entries, seeded.
      double const five =
          5 * std::sqrt(1.0 / kReadout + 1.0 / static_cast<double>(n)) + 1.0 / std::sqrt(kReadout);
      EXPECT_LE(std::abs(sum / static_cast<double>(n) / variance - (i == j ? 1.0 : 0.0)), five) << i << j;
    }
  }
  EXPECT_GT(coupled, 0.1);  // there was something to whiten
}

TEST(SimulateEffects, ALinearFieldIsInClosedFormAndAgreesWithTheSumOverVoxels) {
  SimulateOptions options{.matrix = {32, 32, 1}, .coils = 2};
  options.field.polynomial = {20, 50, -30};
  options.decay = {.t2star_s = 0.01};
  SimulatedScan const closed = simulate(context, options);
  EXPECT_EQ(closed.method, "closed form");
  options.field.blobs = {{1e-9, {0, 0, 0}, 0.1}};  // a blob of next to nothing: the other way
  options.supersampling = 8;
  SimulatedScan const sum = simulate(context, options);
  EXPECT_EQ(sum.method, "sum over 256 x 256 voxels");
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < closed.scan.data.size(); ++i) {
    difference += std::norm(std::complex<double>(closed.scan.data[i] - sum.scan.data[i]));
    size += std::norm(std::complex<double>(closed.scan.data[i]));
  }
  // h^2 2 pi |k| |gradient| / 12 as in voxel_samples_test, with h = 1/256, |k| = 16 and at most 5 per FOV of coils and
  // 2 pi 120 Hz/FOV times the readout: below 5e-3.
  EXPECT_LE(std::sqrt(difference / size), 5e-3);
  // At the constant's frequency alone, a sample turns by it.
  EXPECT_EQ(closed.field_hz.shape(), options.matrix.shape());
  EXPECT_NEAR(closed.field_hz[16 * 32 + 16], 20, 1e-12);
}

TEST(SimulateEffects, LoopsGoOverVoxelsAndTheirMapsAreTheField) {
  SimulateOptions options{.matrix = {24, 24, 1}, .coils = 4, .coil_model = CoilModel::loops};
  SimulatedScan const s = simulate(context, options);
  EXPECT_EQ(s.method, "sum over 96 x 96 voxels");
  EXPECT_EQ(s.coil_fit_error, 0);
  auto const field =
      sensitivities_at(context, make_coil_array(2, 4, CoilModel::loops), {{5.0 / 24, -3.0 / 24, 0}});
  for (std::int64_t c = 0; c < 4; ++c) EXPECT_EQ(s.maps[c * 576 + 9 * 24 + 17], field[c]);
}

std::string anatomy_file() {
  return std::string(FINDRHO_DATA_DIR) + "/anatomy/ch2bet.nii.gz";
}

TEST(SimulateHead, HasItsTissuesWhereAHeadHasThem) {
  if (!std::filesystem::exists(anatomy_file())) GTEST_SKIP() << "no " << anatomy_file();
  Anatomy const anatomy = read_anatomy(anatomy_file());
  EXPECT_EQ(anatomy.matrix, (Matrix{181, 217, 181}));
  Matrix const matrix{110, 110, 1};
  VoxelPhantom const head = head_phantom(context, anatomy, matrix, {220, 220, 4}, Nucleus::sodium);
  auto const at = [&](std::size_t tissue, std::int64_t x, std::int64_t y) {
    return head.tissues[tissue].density[y * 110 + x];
  };
  // A ventricle lies 4 mm left of the middle and 16 mm in front of it, white matter 30 mm to the left; opposite of the ventricle,
  // behind the middle, there is none.
  EXPECT_GT(at(0, 57, 47), 0.5F * 145);
  EXPECT_LT(at(0, 57, 63), 0.5F * 145);
  EXPECT_GT(at(2, 70, 48), 0.5F * 35);
  double volume[3] = {};
  Matrix const all{90, 110, 90};
  VoxelPhantom const whole = head_phantom(context, anatomy, all, {180, 220, 180}, Nucleus::hydrogen);
  for (std::size_t i = 0; i < 3; ++i) {
    for (float const v : whole.tissues[i].density) {
      volume[i] += static_cast<double>(v) / tissue_classes()[i].proton_density * 8e-3;  // ml
    }
  }
  // Grown-ups have 0.5 to 0.9 l of grey and 0.35 to 0.75 l of white matter; this head has been enlarged to a standard space.
  EXPECT_GT(volume[1], 500);
  EXPECT_LT(volume[1], 1300);
  EXPECT_GT(volume[2], 350);
  EXPECT_LT(volume[2], 1000);
}

TEST(SimulateHead, DecaysByTissueOnlyWhenAsked) {
  if (!std::filesystem::exists(anatomy_file())) GTEST_SKIP() << "no " << anatomy_file();
  SimulateOptions options{.matrix = {32, 32, 1}, .fov_mm = {220, 220, 10}};
  options.anatomy = std::make_shared<Anatomy const>(read_anatomy(anatomy_file()));
  options.nucleus = Nucleus::sodium;
  options.trajectory = Radial2dOptions{.kind = SpokeKind::half, .dwell_s = 1e-3};
  SimulatedScan const still = simulate(context, options);
  options.tissue_decay = TissueDecay::by_tissue;
  SimulatedScan const decaying = simulate(context, options);
  // Both begin alike at the centre of k-space (t = 0) and then differ: by
  // the second sample, at 1 ms and still with most of the signal, tissue has lost a tenth, so of all energy more than 0.1 %.
  EXPECT_NEAR(std::abs(still.scan.data[0] - decaying.scan.data[0]) / std::abs(still.scan.data[0]), 0, 1e-4);
  double difference = 0, size = 0;
  for (std::size_t i = 0; i < still.scan.data.size(); ++i) {
    difference += std::norm(still.scan.data[i] - decaying.scan.data[i]);
    size += std::norm(still.scan.data[i]);
  }
  EXPECT_GT(difference, 1e-3 * size);
}

}  // namespace
}  // namespace findrho
