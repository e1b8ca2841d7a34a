// SPDX-License-Identifier: BSD-3-Clause
#include "operator/lane_fft.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <limits>
#include <numbers>
#include <random>

#include "findrho/core/array.hpp"

namespace findrho::lanes {
namespace {

template <class T>
class LaneFftTest : public testing::Test {
 protected:
  static constexpr std::int64_t L = kLanes<T>, R = kRow<T>;
  // eps/2 per level of a transform, as in tests/conformance/operator_laws.hpp
  static constexpr double kRounding = 32 * static_cast<double>(std::numeric_limits<T>::epsilon());
  LaneKernels<T> const kernels = lane_kernels<T>();

  static Array<T> random_rows(std::int64_t rows) {
    std::mt19937 engine(5);
    std::normal_distribution<double> normal;
    Array<T> values({{Axis::other, rows * R}});
    for (T& value : values) value = static_cast<T>(normal(engine));
    return values;
  }
  static std::complex<double> at(Array<T> const& rows, std::int64_t n, std::int64_t lane) {
    return {static_cast<double>(rows[n * R + lane]), static_cast<double>(rows[n * R + L + lane])};
  }
};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(LaneFftTest, Precisions);

TYPED_TEST(LaneFftTest, GivesTheDefinitionsFrequenciesInSomeOrder) {
  using T = TypeParam;
  for (std::int64_t const size : {8, 12, 16, 20, 24, 32, 36, 60, 64, 72, 108, 128, 240, 256}) {
    LaneFft<T> const fft(size);
    for (std::int64_t const count : {size, size / 2, size / 2 - 1}) {
      Array<T> const in = this->random_rows(count);
      Array<T> tile({{Axis::other, size * this->R}});
      this->kernels.forward(fft, {in.data(), this->R, count}, tile.data());
      // Each frequency of the definition must appear exactly once; rounding is far below the distance of random values.
      for (std::int64_t const lane : {std::int64_t{0}, this->L - 1}) {
        std::vector<bool> taken(static_cast<std::size_t>(size), false);
        for (std::int64_t f = 0; f < size; ++f) {
          std::complex<double> expected = 0;
          for (std::int64_t n = 0; n < count; ++n) {
            double const angle =
                -2 * std::numbers::pi * static_cast<double>(f * n % size) / static_cast<double>(size);
            expected += this->at(in, n, lane) * std::polar(1.0, angle);
          }
          int matches = 0;
          for (std::int64_t i = 0; i < size; ++i) {
            double const limit = this->kRounding * std::sqrt(2.0 * static_cast<double>(count));
            if (std::abs(this->at(tile, i, lane) - expected) <= limit &&
                !taken[static_cast<std::size_t>(i)]) {
              taken[static_cast<std::size_t>(i)] = true;
              ++matches;
            }
          }
          EXPECT_EQ(matches, 1) << "size " << size << ", " << count << " inputs, frequency " << f;
        }
      }
    }
  }
}

TYPED_TEST(LaneFftTest, InverseUndoesForwardTimesSize) {
  using T = TypeParam;
  for (std::int64_t const size : {8, 12, 20, 32, 36, 72, 100, 108, 256}) {
    LaneFft<T> const fft(size);
    Array<T> const in = this->random_rows(size / 2);
    Array<T> tile({{Axis::other, size * this->R}}), out({{Axis::other, size / 2 * this->R}});
    this->kernels.forward(fft, {in.data(), this->R, size / 2}, tile.data());
    this->kernels.inverse(fft, tile.data(), {out.data(), this->R, size / 2});
    for (std::int64_t i = 0; i < in.size(); ++i) {
      // |in| is at most about 5; both transforms round
      ASSERT_NEAR(out[i] / static_cast<T>(size), in[i], 5 * this->kRounding)
          << "size " << size << ", element " << i;
    }
  }
}

TYPED_TEST(LaneFftTest, ConvolveIsForwardSpectrumInverse) {
  using T = TypeParam;
  for (std::int64_t const size : {8, 12, 20, 36, 64, 108, 128, 160, 256}) {
    LaneFft<T> const fft(size);
    std::int64_t const count = size / 2 - 1;
    Array<T> rows = this->random_rows(count);
    Array<T> spectrum({{Axis::other, size * this->L}}), tile({{Axis::other, size * this->R}}),
        expected({{Axis::other, count * this->R}});
    for (std::int64_t i = 0; i < spectrum.size(); ++i) spectrum[i] = static_cast<T>(i % 11) - T(4);
    this->kernels.forward(fft, {rows.data(), this->R, count}, tile.data());
    for (std::int64_t f = 0; f < size; ++f) {
      for (std::int64_t l = 0; l < this->R; ++l) tile[f * this->R + l] *= spectrum[f * this->L + l % this->L];
    }
    this->kernels.inverse(fft, tile.data(), {expected.data(), this->R, count});
    this->kernels.convolve(fft, {rows.data(), this->R, count}, spectrum.data(), tile.data(),
                           {rows.data(), this->R, count});
    for (std::int64_t i = 0; i < rows.size(); ++i) {
      // |spectrum| <= 6, |in| about 5, times the size that the pair of transforms carries
      ASSERT_NEAR(rows[i], expected[i], 30 * static_cast<double>(size) * this->kRounding) << "size " << size;
    }
  }
}

TYPED_TEST(LaneFftTest, RowsOutsideTheTileAreReadAndWrittenAlike) {
  using T = TypeParam;
  for (std::int64_t const size : {8, 12, 20, 36, 64, 256}) {
    LaneFft<T> const fft(size);
    std::int64_t const half = size / 2, apart = 3 * this->R;
    Array<T> const in = this->random_rows(half);
    Array<T> tile({{Axis::other, size * this->R}}), outside({{Axis::other, size * apart}});
    Array<T> expected({{Axis::other, half * this->R}}), sum({{Axis::other, half * this->R}});
    lanes::Rows<T const> const from{in.data(), this->R, half};
    for (Destination const to : {Destination::caches, Destination::memory}) {
      std::fill_n(outside.data(), outside.size(), T(0));
      this->kernels.forward_of_coil(fft, from, {}, tile.data(), {outside.data(), apart, size}, to);
      this->kernels.forward(fft, from, tile.data());
      for (std::int64_t i = 0; i < size * this->R; ++i) {
        ASSERT_EQ(outside[i / this->R * apart + i % this->R], tile[i])
            << "size " << size << ", element " << i;
      }
    }
    this->kernels.inverse(fft, tile.data(), {expected.data(), this->R, half});
    this->kernels.add_inverse_of_coil(fft, {outside.data(), apart, size}, tile.data(), {},
                                      {sum.data(), this->R, half});
    for (std::int64_t i = 0; i < sum.size(); ++i) ASSERT_EQ(sum[i], expected[i]) << "size " << size;
  }
}

TYPED_TEST(LaneFftTest, LinesAndTileAreTransposesOfEachOther) {
  using T = TypeParam;
  std::int64_t const count = 20, stride = 3 * this->R;
  Array<T> const tile = this->random_rows(count);
  Array<T> lines({{Axis::other, this->L * stride}}), back({{Axis::other, count * this->R}});
  this->kernels.tile_to_lines(tile.data(), count, lines.data(), stride);
  for (std::int64_t n = 0; n < count; ++n) {
    for (std::int64_t l = 0; l < this->L; ++l) {
      ASSERT_EQ(lines[l * stride + n / this->L * this->R + n % this->L], tile[n * this->R + l]);
    }
  }
  this->kernels.lines_to_tile(lines.data(), stride, back.data(), count);
  for (std::int64_t i = 0; i < back.size(); ++i) ASSERT_EQ(back[i], tile[i]);
}

TEST(LaneFftSize, IsFourTimesAProductOfTwosThreesAndFives) {
  EXPECT_EQ(lane_fft_size(2), 8);
  EXPECT_EQ(lane_fft_size(256), 256);
  EXPECT_EQ(lane_fft_size(204), 216);
  EXPECT_EQ(lane_fft_size(250), 256);
  EXPECT_EQ(lane_fft_size(480), 480);
}

}  // namespace
}  // namespace findrho::lanes
