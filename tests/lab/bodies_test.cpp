// SPDX-License-Identifier: BSD-3-Clause
// The lab's team bodies against their definitions, serially and with a thread for every lane.
#include "lab/bodies.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "lab/numbers.hpp"

namespace findrho {
namespace {

/// Runs the body serially and with 3 and 32 threads.
template <class Body>
void each_way(Body const& body, std::function<void()> const& clear,
              std::function<void(int lanes)> const& check) {
  for (int const lanes : {0, 3, kMostTestLanes}) {
    clear();
    lanes == 0 ? run_serial(body.blocks(), body) : run_threaded(lanes, body.blocks(), body);
    check(lanes);
  }
}

/// body_of(in, out) makes the body.
template <class BodyOf>
void expect_turned(int rows, int columns, BodyOf const& body_of) {
  auto const count = static_cast<std::size_t>(rows * columns);
  std::vector<Four> in_fours(count / 4 + 1), out_fours(in_fours.size());  // aligned to 16 bytes
  std::span<float> const in(in_fours.front().v, count), out(out_fours.front().v, count);
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = mixed_float(i);
  auto const body = body_of(in.data(), out.data());
  each_way(
      body, [&] { std::fill(out.begin(), out.end(), -2.0f); },
      [&](int lanes) {
        for (int y = 0; y < rows; ++y) {
          for (int x = 0; x < columns; ++x) {
            ASSERT_EQ(out[static_cast<std::size_t>(x * rows + y)],
                      in[static_cast<std::size_t>(y * columns + x)])
                << lanes << " lanes, row " << y << ", column " << x;
          }
        }
      });
}

TEST(TransposeBody, TurnsAnyShapeWithAndWithoutPadding) {
  // Whole tiles and parts of tiles.
  for (int const pad : {0, 1}) {
    expect_turned(37, 65, [&](auto* in, auto* out) { return TransposeBody<32>{37, 65, pad, in, out}; });
    expect_turned(37, 70, [&](auto* in, auto* out) { return TransposeBody<64>{37, 70, pad, in, out}; });
  }
}

TEST(TransposeFoursBody, TurnsWholeTilesAndParts) {
  for (auto const& [rows, columns] : {std::pair{64, 64}, {68, 132}, {132, 60}}) {
    expect_turned(rows, columns, [&](auto* in, auto* out) {
      return TransposeFoursBody<64>{rows, columns, in, out};
    });
    expect_turned(rows, columns, [&](auto* in, auto* out) {
      return TransposeFoursBody<128, 512>{rows, columns, in, out};
    });
  }
}

struct Weights {
  float const* values;
  float operator[](int i) const { return values[i]; }
};

TEST(FilterBody, IsTheWindowsSumWithClampedEdges) {
  int const width = 35, height = 19;
  std::vector<float> in(static_cast<std::size_t>(width * height)), out(in.size());
  for (std::size_t i = 0; i < in.size(); ++i) in[i] = mixed_float(i);
  std::vector<float> const weights{0.1f, 0.2f, -0.3f, 0.4f, 0.9f, -0.4f, 0.3f, 0.2f, 0.1f};
  FilterBody<Weights> const body{width, height, {weights.data()}, in.data(), out.data()};
  each_way(
      body, [&] { std::fill(out.begin(), out.end(), -99.0f); },
      [&](int lanes) {
        for (int y = 0; y < height; ++y) {
          for (int x = 0; x < width; ++x) {
            double sum = 0;
            for (int k = 0; k < 9; ++k) {
              int const yy = std::min(std::max(y + k / 3 - 1, 0), height - 1);
              int const xx = std::min(std::max(x + k % 3 - 1, 0), width - 1);
              sum += static_cast<double>(weights[static_cast<std::size_t>(k)]) *
                     in[static_cast<std::size_t>(yy * width + xx)];
            }
            // Nine products of size 1 at most, each rounded twice in float.
            ASSERT_NEAR(out[static_cast<std::size_t>(y * width + x)], sum, 2 * 9 * 6e-8)
                << lanes << " lanes, row " << y << ", column " << x;
          }
        }
      });
}

TEST(HistogramBody, CountsEveryByteHoweverOftenItRepeats) {
  std::int64_t const words = HistogramBody::kWordsPerBlock + 1001;  // a short second block
  for (bool const aggregated : {false, true}) {
    for (bool const hot : {false, true}) {
      std::vector<std::uint32_t> in(static_cast<std::size_t>(words));
      std::vector<unsigned> expected(HistogramBody::kBins, 0), bins(HistogramBody::kBins);
      for (std::size_t i = 0; i < in.size(); ++i) {
        in[i] = hot ? 0x07070707u : mixed(i);
        for (int b = 0; b < 4; ++b) ++expected[in[i] >> 8 * b & 255];
      }
      HistogramBody const body{words, aggregated, in.data(), bins.data()};
      each_way(
          body, [&] { std::fill(bins.begin(), bins.end(), 0u); },
          [&](int lanes) { EXPECT_EQ(bins, expected) << lanes << " lanes, aggregated " << aggregated; });
    }
  }
}

TEST(Cycle, VisitsEveryNodeBeforeItReturns) {
  for (std::uint64_t const n : {32ull, 48ull, 4096ull, 6144ull, 1ull << 17}) {
    Cycle const cycle{n};
    std::vector<bool> seen(n, false);
    std::uint64_t at = 0;
    for (std::uint64_t i = 0; i < n; ++i) {
      ASSERT_FALSE(seen[at]) << n << " nodes, after " << i;
      seen[at] = true;
      at = cycle.next(at);
    }
    EXPECT_EQ(at, 0u);
  }
}

}  // namespace
}  // namespace findrho
