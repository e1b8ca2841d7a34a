// SPDX-License-Identifier: BSD-3-Clause
// The device's fused product on the CPU: the same bodies, one block after the other, against FFTW on the whole grid.
#include <gtest/gtest.h>

#include <numeric>

#include "conformance/random.hpp"
#include "findrho/backend/fft.hpp"
#include "operator/cuda/fused_product.hpp"

namespace findrho {
namespace {

using namespace device;

template <class T>
struct SerialPasses {
  using Set = typename FusedLengths<T>::Type;
  int threads = 0;  // 0: serial
  int lanes() const { return 2; }
  SerialPasses main() const { return *this; }
  SerialPasses lane(int) const { return *this; }
  void fork() const {}
  void join() const {}
  template <class Body>
  void run(Body const& body) const {
    threads == 0 ? run_serial(body.blocks(), body) : run_threaded(threads, body.blocks(), body);
  }
  void rows_forward(int length, RowsArguments<T> const& a) const {
    with_factors(length, Set{}, [&](auto f) { run(RowsForward<T, decltype(f)>{a}); });
  }
  void rows_inverse(int length, RowsArguments<T> const& a) const {
    with_factors(length, Set{}, [&](auto f) { run(RowsInverse<T, decltype(f)>{a}); });
  }
  void columns_forward(int length, ColumnsArguments<T> const& a) const {
    with_factors(length, Set{}, [&](auto f) { run(ColumnsForward<T, decltype(f)>{{a}}); });
  }
  void columns_inverse(int length, ColumnsArguments<T> const& a) const {
    with_factors(length, Set{}, [&](auto f) { run(ColumnsInverse<T, decltype(f)>{{a}}); });
  }
  void multiply(int length, ColumnsArguments<T> const& a) const {
    with_factors(length, Set{}, [&](auto f) { run(Multiply<T, decltype(f)>{{a}}); });
  }
  void rows_to_planes(int length, RowsArguments<T> const& a) const {
    with_factors(length, Set{}, [&](auto f) { run(RowsForward<T, decltype(f), PlaneAfterPlane>{a}); });
  }
  void rows_from_planes(int length, RowsArguments<T> const& a) const {
    with_factors(length, Set{}, [&](auto f) { run(RowsInverse<T, decltype(f), PlaneAfterPlane>{a}); });
  }
  void planes(int length, PlanesArguments<T> const& a) const {
    with_factors(length, PlaneLengths{}, [&](auto f) { run_planes(Planes<T, decltype(f)>{a}); });
  }
  /// The phases one after the other, each for all ranks of a plane and their groups.
  template <class Body>
  void run_planes(Body const& body) const {
    using Shape = typename Body::Shape;
    for (Index plane = 0; plane < body.blocks(); plane += Shape::kRanks) {
      Complex<T> const nan{std::numeric_limits<T>::quiet_NaN(), 0};
      std::vector<std::vector<Complex<T>>> parts(Shape::kRanks);
      for (auto& part : parts) part.assign(body.plane_elements(), nan);
      auto const part_of = [&](int rank) { return parts[static_cast<std::size_t>(rank)].data(); };
      std::vector<Complex<T>> work(Shape::kWork);
      auto const each_group = [&](auto const& phase) {
        for (int rank = 0; rank < Shape::kRanks; ++rank) {
          for (int group = 0; group < Shape::kGroups; ++group) {
            run(Phase{[&](auto const& team) { phase(team, plane + rank, group, rank); }});
          }
        }
      };
      each_group([&](auto const& team, Index block, int group, int) {
        body.y_forward(team, block, group, work.data(), part_of);
      });
      each_group([&](auto const& team, Index block, int group, int rank) {
        body.multiply(team, block, group, work.data(), part_of(rank));
      });
      each_group([&](auto const& team, Index block, int group, int) {
        body.y_inverse(team, block, group, work.data(), part_of);
      });
    }
  }
  /// A body of one block.
  template <class F>
  struct Phase {
    F f;
    std::size_t scratch_bytes() const { return 0; }
    Index blocks() const { return 1; }
    template <class Team>
    void operator()(Team const& team, Index, unsigned char*) const {
      f(team);
    }
  };
};

template <class T>
Array<std::complex<T>> whole_grid_product(Matrix const& n, Matrix const& grid, View<T const> spectrum,
                                          View<std::complex<T> const> x, View<std::complex<T> const> maps) {
  Context const context = Context::cpu(1);
  std::int64_t const coils = maps.shape.extent(Axis::coil);
  Array<std::complex<T>> z(n.shape()), work(grid.shape());
  auto const each_voxel = [&](auto const& f) {
    for (std::int64_t iz = 0, i = 0; iz < n.z; ++iz)
      for (std::int64_t iy = 0; iy < n.y; ++iy)
        for (std::int64_t ix = 0; ix < n.x; ++ix) f(i++, (iz * grid.y + iy) * grid.x + ix);
  };
  Fft<T> const fft(grid, 1);
  for (std::int64_t c = 0; c < coils; ++c) {
    std::fill(work.begin(), work.end(), std::complex<T>{});
    each_voxel([&](std::int64_t i, std::int64_t at) { work[at] = x[i] * maps[c * n.voxels() + i]; });
    fft.forward(context, work.data());
    for (std::int64_t i = 0; i < work.size(); ++i) work[i] *= spectrum[i];
    fft.inverse(context, work.data());
    each_voxel(
        [&](std::int64_t i, std::int64_t at) { z[i] += work[at] * std::conj(maps[c * n.voxels() + i]); });
  }
  return z;
}

struct Case {
  int coils = 1, slab = 16, together = 1, lanes = 0;  // slab 0: plane by plane
  bool form = false;
};

template <class T>
constexpr T kShift = T(0.375);

/// The parts add up to Re <x, z>: products in T, sums in double, each rounding at most eps / 2 of all terms so far.
template <class T>
void expect_form(View<std::complex<T> const> x, View<std::complex<T> const> z,
                 std::vector<double> const& parts) {
  double form = 0, size = 0;
  for (std::int64_t i = 0; i < x.size(); ++i) {
    std::complex<double> const a(x[i]), b(z[i]);
    form += (std::conj(a) * b).real();
    size += std::abs(a) * std::abs(b);
  }
  double const sum = std::accumulate(parts.begin(), parts.end(), 0.0);
  double const rounding = 2 * std::numeric_limits<T>::epsilon() +
                          static_cast<double>(x.size()) * std::numeric_limits<double>::epsilon();
  EXPECT_NEAR(sum, form, rounding * size);
}

/// Relative error of the fused product; coils may be more than a batch.
template <class T>
double error_of(Matrix const& n, Case const& c, int batch) {
  using C = std::complex<T>;
  FusedShape s{{int(n.x), int(n.y), int(n.z)}, {}, batch, 0, c.together, c.slab == 0};
  for (int d = 0; d < 3; ++d) s.length[d] = d == 2 && n.z == 1 ? 1 : fused_length<T>(s.n[d]);
  s.slab = s.volume() ? c.slab : s.length[0];
  Matrix const grid{s.length[0], s.length[1], s.length[2]};
  Array<C> const x = laws::random_array<T>(n.shape(), 1), maps = laws::random_array<T>(n.shape(c.coils), 2);
  Array<T> spectrum(grid.shape());
  std::mt19937 engine(3);
  for (T& q : spectrum)
    q = static_cast<T>(std::normal_distribution<double>()(engine)) / static_cast<T>(grid.voxels());

  std::vector<int> places[3], columns;
  std::vector<Complex<T>> w[3];
  PlaneRuns runs{};
  for (int d = 0; d < 3; ++d) {
    w[d] = line_turns<T>(s.length[d], typename FusedLengths<T>::Type{});
    with_factors(s.length[d], typename FusedLengths<T>::Type{}, [&](auto f) {
      for (int p = 0; p < s.length[d]; ++p) places[d].push_back(decltype(f)::frequency(p));
    });
  }
  with_factors(s.length[1], PlaneLengths{}, [&](auto f) {
    using Shape = PlaneShape<T, decltype(f)>;
    runs = {s.length[1], Shape::kLines, decltype(f)::R3};
    for (int p = 0; p < s.length[1]; ++p) columns.push_back(Shape::frequency(p));
  });
  Array<T> sorted(grid.shape());
  SortSpectrum<T> const sort{spectrum.data(),
                             sorted.data(),
                             places[1].data(),
                             places[2].data(),
                             {s.length[0], s.length[1], s.length[2]},
                             s.slab,
                             s.volume()};
  if (s.planes) {
    SortPlanes<T> const by_planes{spectrum.data(),  sorted.data(), columns.data(),
                                  places[2].data(), s.length[0],   runs};
    run_serial(by_planes.blocks(), by_planes);
  } else {
    for (std::int64_t i = 0; i < sorted.size(); ++i) sort(i);
  }

  auto const nan = std::numeric_limits<T>::quiet_NaN();  // nothing may be read that no pass has written
  std::vector<Complex<T>> rows(batch * s.rows_size(), {nan, nan}),
      slabs(2 * c.together * s.slab_size(), {nan, nan});
  FusedMemory<T> const m{rows.data(), slabs.data(), {w[0].data(), w[1].data(), w[2].data()}, sorted.data()};
  Array<C> z(n.shape());
  std::vector<double> parts;
  auto const* const in = reinterpret_cast<Complex<T> const*>(x.data());
  auto const* const s_maps = reinterpret_cast<Complex<T> const*>(maps.data());
  for (int first = 0; first < c.coils; first += batch) {
    int const coils = std::min(batch, c.coils - first);
    FormArguments<T> form{};
    if (c.form && first + coils == c.coils) {
      parts.resize(static_cast<std::size_t>(form_parts<T>(s, coils)),
                   std::numeric_limits<double>::quiet_NaN());
      form = {in, kShift<T>, parts.data()};
    }
    fused_product(SerialPasses<T>{c.lanes}, s, m, coils, in, s_maps + first * n.voxels(),
                  reinterpret_cast<Complex<T>*>(z.data()), first == 0 ? Write::replace : Write::add, form);
  }
  Array<C> expected = whole_grid_product<T>(n, grid, spectrum, x, maps);
  if (c.form) {
    for (std::int64_t i = 0; i < x.size(); ++i) expected[i] += kShift<T> * x[i];
    expect_form<T>(x, z, parts);
  }
  return laws::relative_error<C>(z.view(), expected.view());
}

// Both transforms of 2^k points err by some 3 u sqrt(k) in the norm (Higham, Accuracy and Stability, section 24.1, with
// independent roundings); forward and inverse of the three axes have at most 60 such steps: 3 u sqrt(60) < 24 u.
template <class T>
constexpr double kAllowed = 24 * std::numeric_limits<T>::epsilon();

template <class T>
void expect_every_length_agrees() {
  each_length(typename FusedLengths<T>::Type{}, [](int length) {
    int const n = length / 2;
    ASSERT_EQ(fused_length<T>(n), length);
    EXPECT_LT(error_of<T>({n, 9, 1}, {}, 1), kAllowed<T>) << n << " along x";
    EXPECT_LT(error_of<T>({7, n, 1}, {}, 1), kAllowed<T>) << n << " along y";
    EXPECT_LT(error_of<T>({7, n, 3}, {}, 1), kAllowed<T>) << n << " along y of a volume";
  });
}

TEST(FusedProduct, EveryLengthAgreesWithTheWholeGrid) {
  expect_every_length_agrees<float>();
  expect_every_length_agrees<double>();
}

TEST(FusedProduct, OddSizesCoilsSlabsAndBatchesAgree) {
  for (Matrix const& n :
       {Matrix{13, 21, 6}, Matrix{33, 5, 17}, Matrix{1, 1, 2}, Matrix{1, 7, 1}, Matrix{30, 31, 1}}) {
    EXPECT_LT(error_of<float>(n, {3, 16, 2}, 3), kAllowed<float>) << n.x << " x " << n.y << " x " << n.z;
    EXPECT_LT(error_of<double>(n, {5, 32, 1}, 2), kAllowed<double>) << n.x << " x " << n.y << " x " << n.z;
    EXPECT_LT(error_of<float>(n, {4, 48, 4}, 4), kAllowed<float>) << n.x << " x " << n.y << " x " << n.z;
  }
}

TEST(FusedProduct, AddsAShiftAndLeavesTheQuadraticForm) {
  // Coils that share a block's lines, coils after each other, batches; lanes whose number is no power of two.
  EXPECT_LT(error_of<float>({13, 21, 6}, {3, 16, 2, 0, true}, 3), kAllowed<float>);
  EXPECT_LT(error_of<double>({33, 5, 17}, {5, 32, 1, 0, true}, 2), kAllowed<double>);
  EXPECT_LT(error_of<float>({30, 90, 70}, {2, 48, 2, 0, true}, 2), kAllowed<float>);
  EXPECT_LT(error_of<float>({6, 100, 128}, {1, 0, 1, 0, true}, 1), kAllowed<float>);
  EXPECT_LT(error_of<float>({30, 31, 1}, {4, 16, 1, 5, true}, 2), kAllowed<float>);
}

TEST(FusedProduct, EveryLengthOfPlanesAgrees) {
  each_length(PlaneLengths{}, [](int length) {
    ASSERT_TRUE(goes_by_planes<float>(length, length));
    int const n = length / 2;
    EXPECT_LT(error_of<float>({3, n, n}, {1, 0}, 1), kAllowed<float>) << n;
    EXPECT_LT(error_of<float>({2, n - 1, n - 5}, {1, 0}, 1), kAllowed<float>) << n;
  });
}

TEST(FusedProduct, PlanesOfOddSizesAndCoilsAgree) {
  Matrix const n{13, 97, 119};
  EXPECT_LT(error_of<float>(n, {3, 0}, 3), kAllowed<float>);
  EXPECT_LT(error_of<float>(n, {5, 0}, 2), kAllowed<float>);
}

TEST(FusedProduct, ThreadsOfABlockAgreeToo) {
  EXPECT_LT(error_of<float>({9, 8, 5}, {2, 16, 1, 4}, 2), kAllowed<float>);
  EXPECT_LT(error_of<float>({2, 99, 101}, {2, 0, 1, 4}, 2), kAllowed<float>);
}

}  // namespace
}  // namespace findrho
