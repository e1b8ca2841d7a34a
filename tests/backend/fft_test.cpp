// SPDX-License-Identifier: BSD-3-Clause
// Fft and PrunedFft against the sum that defines them, and against each other.
#include "findrho/backend/fft.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

template <class T>
Array<std::complex<T>> noise(std::int64_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  Array<std::complex<T>> a(Shape{{Axis::other, n}});
  for (auto& v : a) v = {static_cast<T>(normal(random)), static_cast<T>(normal(random))};
  return a;
}

// Rounding of a transform of n values grows as log2(n) eps; 20 eps leaves room for n up to 2^20.
template <class T>
double tolerance() {
  return 20 * static_cast<double>(std::numeric_limits<T>::epsilon());
}

struct ErrorNorm {
  double difference = 0, reference = 0;
  void add(std::complex<double> got, std::complex<double> want) {
    difference += std::norm(got - want);
    reference += std::norm(want);
  }
  double relative() const { return std::sqrt(difference / reference); }
};

std::complex<double> phasor(double cycles) {
  return std::polar(1.0, 2 * std::numbers::pi * (cycles - std::floor(cycles)));
}

/// sum over the box of box[n] exp(sign i 2 pi g (n - floor(N/2)) / G), for one coil.
template <class T>
std::complex<double> grid_value(std::complex<T> const* box, Matrix const& n, Matrix const& grid,
                                std::int64_t gx, std::int64_t gy, std::int64_t gz) {
  std::complex<double> sum = 0;
  for (std::int64_t z = 0; z < n.z; ++z) {
    for (std::int64_t y = 0; y < n.y; ++y) {
      for (std::int64_t x = 0; x < n.x; ++x) {
        double const cycles = static_cast<double>(gx * (x - n.x / 2)) / static_cast<double>(grid.x) +
                              static_cast<double>(gy * (y - n.y / 2)) / static_cast<double>(grid.y) +
                              static_cast<double>(gz * (z - n.z / 2)) / static_cast<double>(grid.z);
        sum += std::complex<double>(box[(z * n.y + y) * n.x + x]) * phasor(-cycles);
      }
    }
  }
  return sum;
}

template <class T>
class FftOf : public testing::Test {};
using Precisions = testing::Types<float, double>;
TYPED_TEST_SUITE(FftOf, Precisions);

TEST(GoodSize, IsTheSmallestEvenSmoothNumber) {
  EXPECT_EQ(good_size(1), 2);
  EXPECT_EQ(good_size(7), 8);
  EXPECT_EQ(good_size(11), 12);
  EXPECT_EQ(good_size(127), 128);
  EXPECT_EQ(good_size(161), 162);
  EXPECT_EQ(good_size(321), 324);
}

TYPED_TEST(FftOf, BothCoilOrdersMatchTheDefinition) {
  Context const context = Context::cpu(2);
  for (Matrix const m : {Matrix{8, 6, 1}, Matrix{7, 5, 3}, Matrix{4, 11, 6}}) {
    int const coils = 3;
    auto const input = noise<TypeParam>(coils * m.voxels(), 1);
    auto slow = copy(input.view());
    Array<std::complex<TypeParam>> inner(input.shape());
    for (std::int64_t v = 0; v < m.voxels(); ++v) {
      for (int c = 0; c < coils; ++c) inner[v * coils + c] = input[c * m.voxels() + v];
    }
    Fft<TypeParam> const slowest(m, coils), innermost(m, coils, CoilOrder::innermost);
    slowest.forward(context, slow.data());
    innermost.forward(context, inner.data());
    ErrorNorm error, order;
    for (int c = 0; c < coils; ++c) {
      for (std::int64_t v = 0; v < m.voxels(); ++v) {
        // The definition with index 0 at the origin: undo the centring of grid_value.
        std::int64_t const x = v % m.x, y = v / m.x % m.y, z = v / (m.x * m.y);
        double const shift = static_cast<double>(x * (m.x / 2)) / static_cast<double>(m.x) +
                             static_cast<double>(y * (m.y / 2)) / static_cast<double>(m.y) +
                             static_cast<double>(z * (m.z / 2)) / static_cast<double>(m.z);
        error.add(slow[c * m.voxels() + v],
                  grid_value(input.data() + c * m.voxels(), m, m, x, y, z) * phasor(-shift));
        order.add(inner[v * coils + c], slow[c * m.voxels() + v]);
      }
    }
    EXPECT_LT(error.relative(), tolerance<TypeParam>());
    EXPECT_LT(order.relative(), tolerance<TypeParam>());
    slowest.inverse(context, slow.data());
    ErrorNorm back;
    for (std::int64_t i = 0; i < slow.size(); ++i) {
      back.add(std::complex<double>(slow[i]) / static_cast<double>(m.voxels()), input[i]);
    }
    EXPECT_LT(back.relative(), tolerance<TypeParam>());
  }
}

TYPED_TEST(FftOf, PrunedMatchesTheDefinitionOnAnyBoxGridAndCoilCount) {
  using C = std::complex<TypeParam>;
  Context const context = Context::cpu(2);
  struct Case {
    Matrix box, grid;
    int coils, used;
  };
  for (Case const& k : {Case{{5, 4, 1}, {8, 6, 1}, 1, 1}, Case{{16, 9, 1}, {20, 18, 1}, 4, 3},
                        Case{{5, 6, 3}, {10, 12, 6}, 8, 8}, Case{{2, 2, 2}, {30, 2, 4}, 2, 2},
                        Case{{33, 3, 4}, {36, 6, 10}, 1, 1}, Case{{9, 8, 5}, {15, 9, 5}, 16, 16}}) {
    auto const input = noise<TypeParam>(k.used * k.box.voxels(), 2);
    // Margins around the grid must survive.
    std::int64_t const row = k.grid.x + 3, plane = row * (k.grid.y + 1);
    auto grid = noise<TypeParam>(plane * k.grid.z * k.coils, 3);
    auto const before = copy(grid.view());
    GridView<TypeParam> const view{grid.data(), row, plane, k.coils};
    PrunedFft<TypeParam> const fft(k.box, k.grid, 2);
    fft.forward(context, BoxView<C const>{input.data(), k.used}, view);
    ErrorNorm error;
    for (std::int64_t z = 0; z < k.grid.z; ++z) {
      for (std::int64_t y = 0; y < plane / row; ++y) {
        for (std::int64_t x = 0; x < row; ++x) {
          for (int c = 0; c < k.coils; ++c) {
            std::int64_t const at = (z * plane + y * row + x) * k.coils + c;
            if (x >= k.grid.x || y >= k.grid.y) {
              ASSERT_EQ(grid[at], before[at]);
            } else if (c >= k.used) {
              ASSERT_EQ(grid[at], C(0));
            } else {
              error.add(grid[at], grid_value(input.data() + c * k.box.voxels(), k.box, k.grid, x, y, z));
            }
          }
        }
      }
    }
    EXPECT_LT(error.relative(), tolerance<TypeParam>());
    Array<C> output(input.shape());
    fft.inverse(context, view, BoxView<C>{output.data(), k.used});
    ErrorNorm back;
    for (std::int64_t i = 0; i < input.size(); ++i) {
      back.add(std::complex<double>(output[i]) / static_cast<double>(k.grid.voxels()), input[i]);
    }
    EXPECT_LT(back.relative(), tolerance<TypeParam>());
  }
}

TYPED_TEST(FftOf, PrunedScalesByItsFactorsInBothDirectionsAndAdds) {
  using T = TypeParam;
  using C = std::complex<T>;
  Context const context = Context::cpu(1);
  Matrix const box{3, 2, 2}, grid{4, 4, 2};
  std::array<std::vector<T>, 3> const scale{{{1, 2, 3}, {4, 5}, {6, 7}}};
  PrunedFft<T> const plain(box, grid, 1), scaled(box, grid, 1, scale);
  auto const input = noise<T>(box.voxels(), 4);
  Array<C> weighted(input.shape()), a(Shape{{Axis::other, grid.voxels()}}), b(a.shape());
  std::vector<T> factor;
  for (T z : scale[2]) {
    for (T y : scale[1]) {
      for (T x : scale[0]) factor.push_back(x * y * z);
    }
  }
  for (std::int64_t i = 0; i < box.voxels(); ++i)
    weighted[i] = input[i] * factor[static_cast<std::size_t>(i)];
  GridView<T> const va{a.data(), 4, 16, 1}, vb{b.data(), 4, 16, 1};
  plain.forward(context, BoxView<C const>{weighted.data(), 1}, va);
  scaled.forward(context, BoxView<C const>{input.data(), 1}, vb);
  ErrorNorm forward, inverse;
  for (std::int64_t i = 0; i < a.size(); ++i) forward.add(b[i], a[i]);
  EXPECT_LT(forward.relative(), tolerance<T>());
  Array<C> out(input.shape()), sum = copy(input.view());
  plain.inverse(context, va, BoxView<C>{out.data(), 1});
  scaled.inverse(context, vb, BoxView<C>{sum.data(), 1}, Write::add);
  for (std::int64_t i = 0; i < box.voxels(); ++i) {
    inverse.add(sum[i], input[i] + out[i] * factor[static_cast<std::size_t>(i)]);
  }
  EXPECT_LT(inverse.relative(), tolerance<T>());
}

TEST(PrunedFft, RefusesBoxesThatDoNotFitAndSizesThatItCannotFactor) {
  EXPECT_THROW(PrunedFft<float>({8, 8, 1}, {6, 8, 1}, 1), Error);
  EXPECT_THROW(PrunedFft<float>({8, 8, 1}, {14, 8, 1}, 1), Error);
}

}  // namespace
}  // namespace findrho
