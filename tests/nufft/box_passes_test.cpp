// SPDX-License-Identifier: BSD-3-Clause
// The device's passes between image and grid on the CPU: the same bodies, one block after the other, against padding,
// FFTW on the whole grid and cropping.
#include "nufft/cuda/box_passes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "findrho/backend/fft.hpp"
#include "nufft/samples.hpp"

namespace findrho {
namespace {

using namespace nufft;
using C = std::complex<float>;
using test::noise;
using test::relative_error;

struct SerialPasses {
  int threads = 0;  // 0: serial
  template <class Body>
  void run(Body const& body) const {
    threads == 0 ? run_serial(body.blocks(), body) : run_threaded(threads, body.blocks(), body);
  }
  void rows_forward(int length, BoxTransformJob<float> const& a) const {
    device::with_factors(length, BoxLengths{}, [&](auto f) { run(RowsToGrid<float, decltype(f)>{{a}}); });
  }
  void rows_inverse(int length, BoxTransformJob<float> const& a) const {
    device::with_factors(length, BoxLengths{}, [&](auto f) { run(RowsToImage<float, decltype(f)>{{a}}); });
  }
  void columns_forward(int length, ColumnsJob<float> const& a) const {
    device::with_factors(length, BoxLengths{}, [&](auto f) { run(ColumnsToGrid<float, decltype(f)>{{a}}); });
  }
  void columns_inverse(int length, ColumnsJob<float> const& a) const {
    device::with_factors(length, BoxLengths{}, [&](auto f) { run(ColumnsToImage<float, decltype(f)>{{a}}); });
  }
};

/// An image of `coils` coils with a grid around it; the wanted results are computed in the slow way.
struct Problem {
  Matrix n, grid;
  std::int64_t coils;
  Array<C> image, one_image, maps, cells;
  std::vector<float> factor[3];
  std::vector<device::Complex<float>> roots[3];

  Problem(Matrix const& n_, Matrix const& grid_, std::int64_t coils_)
      : n(n_),
        grid(grid_),
        coils(coils_),
        image(noise<float>(n.shape(coils), 1)),
        one_image(noise<float>(n.shape(1), 2)),
        maps(noise<float>(n.shape(coils), 3)),
        cells(noise<float>(grid.shape(coils), 4)) {
    for (int d = 0; d < 3; ++d) {
      for (std::int64_t i = 0; i < n[d]; ++i)
        factor[d].push_back(1 + 0.01f * static_cast<float>(i * (d + 1)));
      roots[d] = device::line_turns<float>(static_cast<int>(grid[d]), BoxLengths{});
    }
  }

  template <class F>
  void each_voxel(F const& f) const {
    for (std::int64_t z = 0, i = 0; z < n.z; ++z)
      for (std::int64_t y = 0; y < n.y; ++y)
        for (std::int64_t x = 0; x < n.x; ++x, ++i) {
          std::int64_t const cx = (x - n.x / 2 + grid.x) % grid.x, cy = (y - n.y / 2 + grid.y) % grid.y,
                             cz = (z - n.z / 2 + grid.z) % grid.z;
          f(i, (cz * grid.y + cy) * grid.x + cx,
            factor[0][static_cast<std::size_t>(x)] * factor[1][static_cast<std::size_t>(y)] *
                factor[2][static_cast<std::size_t>(z)]);
        }
  }

  BoxTransformJob<float> job(Array<C>& to_image, C const* with_maps, Array<C>& to_cells, int add) const {
    BoxTransformJob<float> job{};
    for (int d = 0; d < 3; ++d) {
      job.axis[d] = {static_cast<int>(n[d]), static_cast<int>(grid[d])};
      job.factor[d] = factor[d].data();
      job.roots[d] = roots[d].data();
    }
    job.image = reinterpret_cast<device::Complex<float>*>(to_image.data());
    job.maps = reinterpret_cast<device::Complex<float> const*>(with_maps);
    job.cells = reinterpret_cast<device::Complex<float>*>(to_cells.data());
    job.coils = static_cast<int>(coils);
    job.add = add;
    return job;
  }
};

using D = std::complex<double>;

Array<D> wanted_cells(Problem const& p, bool with_maps) {
  Context const context = Context::cpu(1);
  Fft<double> const fft(p.grid, 1);
  Array<D> all(p.grid.shape(p.coils)), grid(p.grid.shape());
  for (std::int64_t c = 0; c < p.coils; ++c) {
    std::fill(grid.begin(), grid.end(), D{});
    p.each_voxel([&](std::int64_t i, std::int64_t cell, float factor) {
      std::int64_t const at = c * p.n.voxels() + i;
      grid[cell] =
          static_cast<double>(factor) * (with_maps ? D(p.one_image[i]) * D(p.maps[at]) : D(p.image[at]));
    });
    fft.forward(context, grid.data());
    std::copy(grid.begin(), grid.end(), all.begin() + c * grid.size());
  }
  return all;
}

Array<D> wanted_image(Problem const& p, bool with_maps, Array<C> const& before) {
  Context const context = Context::cpu(1);
  Fft<double> const fft(p.grid, 1);
  Array<D> image(before.shape()), grid(p.grid.shape());
  for (std::int64_t i = 0; i < image.size(); ++i) image[i] = before[i];
  for (std::int64_t c = 0; c < p.coils; ++c) {
    for (std::int64_t i = 0; i < grid.size(); ++i) grid[i] = p.cells[c * grid.size() + i];
    fft.inverse(context, grid.data());
    p.each_voxel([&](std::int64_t i, std::int64_t cell, float factor) {
      D const value = static_cast<double>(factor) * grid[cell];
      std::int64_t const at = c * p.n.voxels() + i;
      if (with_maps) {
        image[i] += value * std::conj(D(p.maps[at]));
      } else {
        image[at] += value;
      }
    });
  }
  return image;
}

// As for the fused product: transforms of 2^k points err by some 3 u sqrt(k) in the norm (Higham, Accuracy and Stability,
// section 24.1, with independent roundings). Three axes have at most 26 such steps, and factors, maps and sums of a few
// coils add less than as many roundings again: 3 u sqrt(52) < 12 eps.
constexpr double kAllowed = 12 * static_cast<double>(std::numeric_limits<float>::epsilon());

/// Errors of both directions, with maps and without; a second time with the image added to.
void expect_the_whole_grid_s_results(Problem& p, SerialPasses const& passes = {}) {
  std::string const what = p.n.shape().str() + " in " + p.grid.shape().str();
  for (bool const with_maps : {false, true}) {
    float const nan = std::numeric_limits<float>::quiet_NaN();
    Array<C> cells(p.cells.shape());
    std::fill(cells.begin(), cells.end(), C{nan, nan});  // nothing may be read that no pass has written
    Array<C>& from = with_maps ? p.one_image : p.image;
    C const* const maps = with_maps ? p.maps.data() : nullptr;
    box_to_grid(passes, p.job(from, maps, cells, 0));
    EXPECT_LT(relative_error(cells, wanted_cells(p, with_maps)), kAllowed) << "to the grid, " << what;
    for (int const add : {0, 1}) {
      Array<C> work = copy(p.cells.view()), to = copy(from.view()), before = copy(from.view());
      std::fill(to.begin(), to.end(), C{nan, nan});
      if (add == 1) to = copy(from.view());
      if (add == 0) std::fill(before.begin(), before.end(), C{});
      box_to_image(passes, p.job(to, maps, work, add));
      EXPECT_LT(relative_error(to, wanted_image(p, with_maps, before)), kAllowed)
          << "to the image, " << what << (with_maps ? ", with maps" : "");
    }
  }
}

TEST(BoxPasses, EveryLengthOnEveryAxisAgreesWithTheWholeGrid) {
  device::each_length(BoxLengths{}, [](int length) {
    std::int64_t const g = length, n = length * 4 / 5;
    for (Matrix const& grid : {Matrix{g, 32, 32}, Matrix{32, g, 32}, Matrix{32, 32, g}}) {
      Problem p({grid.x == 32 ? 7 : n, grid.y == 32 ? 5 : n, grid.z == 32 ? 6 : n}, grid, 1);
      expect_the_whole_grid_s_results(p);
    }
  });
}

TEST(BoxPasses, CoilsOddSizesAndFullBoxesAgree) {
  for (Matrix const& n : {Matrix{13, 25, 21}, Matrix{1, 1, 2}, Matrix{32, 64, 32}, Matrix{31, 2, 1}}) {
    Problem p(n, {32, 64, 32}, 3);
    expect_the_whole_grid_s_results(p);
  }
}

TEST(BoxPasses, ThreadsOfABlockAgreeToo) {
  Problem p({9, 8, 7}, {32, 32, 32}, 2);
  expect_the_whole_grid_s_results(p, {.threads = 4});
}

TEST(BoxPasses, AnAxisIsCyclicAroundItsMiddle) {
  for (int const n : {1, 2, 7, 8, 32}) {
    BoxAxis const axis{n, 32};
    int inside = 0;
    for (int cell = 0; cell < 32; ++cell) {
      int const voxel = axis.voxel(cell);
      if (voxel < 0) continue;
      ++inside;
      EXPECT_EQ(axis.cell(voxel), cell) << n;
      EXPECT_EQ((voxel - n / 2 + 32) % 32, cell) << n;
    }
    EXPECT_EQ(inside, n);
  }
}

}  // namespace
}  // namespace findrho
