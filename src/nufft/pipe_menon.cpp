// SPDX-License-Identifier: BSD-3-Clause
// Pipe-Menon density weights: C w is a spread onto the grid and an interpolation back, no Fourier transform between.
#include "findrho/nufft/pipe_menon.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "findrho/core/error.hpp"
#include "nufft/gridding.hpp"
#include "nufft/kernel.hpp"

namespace findrho {

nufft::Design nufft::convolution_design(Matrix const& matrix) {
  NufftOptions const options{.accuracy = 1e-2, .oversampling = 2, .width = 3};
  return choose_design<float>(0, matrix, options);
}

namespace {

using nufft::Design;
using nufft::Gridding;

/// Marks the unit cells that hold a sample; the cells of one axis run over [-floor(N/2), N - floor(N/2)).
std::vector<char> filled_cells(Trajectory const& t, Matrix const& m) {
  std::vector<char> filled(static_cast<std::size_t>(m.voxels()), 0);
  for (std::int64_t s = 0; s < t.size(); ++s) {
    std::int64_t cell = 0;
    for (int d = t.dims - 1; d >= 0; --d) {
      // The edge +N/2 belongs to the last cell.
      double const k = std::floor(t[d][static_cast<std::size_t>(s)] + 0.5) + static_cast<double>(m[d] / 2);
      std::int64_t const n = m[d];
      cell = cell * n + static_cast<std::int64_t>(std::clamp(k, 0.0, static_cast<double>(n - 1)));
    }
    filled[static_cast<std::size_t>(cell)] = 1;
  }
  return filled;
}

}  // namespace

double sampled_area(Trajectory const& t, Matrix const& m) {
  std::vector<char> const filled = filled_cells(t, m);
  auto const at = [&](std::int64_t cell) { return filled[static_cast<std::size_t>(cell)] != 0; };
  std::int64_t count = 0;
  for (std::int64_t cell = 0; cell < m.voxels(); ++cell) {
    bool inside = at(cell);
    std::int64_t step = 1;
    for (int d = 0; d < t.dims && !inside; ++d) {
      std::int64_t const position = cell / step % m[d];
      inside = position > 0 && position + 1 < m[d] && at(cell - step) && at(cell + step);
      step *= m[d];
    }
    count += inside;
  }
  return static_cast<double>(count);
}

std::vector<double> pipe_menon_weights(Context const& context, Trajectory const& t, Matrix const& m,
                                       int iterations) {
  using C = std::complex<float>;
  if (t.dims != m.dims()) {
    throw Error(ErrorKind::bad_shape, "a trajectory of " + std::to_string(t.dims) +
                                          " dimensions does not fit the matrix " + m.shape().str());
  }
  Design const design = nufft::convolution_design(m);
  Gridding<float> const gridding(context, t, m, design);
  Array<C> grid(Shape{{Axis::other, gridding.layout().cells()}});
  Array<C> weights(sample_shape(1, t.size())), convolved(weights.shape());
  std::fill(weights.begin(), weights.end(), C(1));
  for (int i = 0; i < iterations; ++i) {
    context.throw_if_cancelled();
    gridding.spread(context, weights.data(), 1, grid.data(), 1);
    for (int pass = 0; pass < 2; ++pass) {
      context.pool().each(design.grid.z, [&](std::int64_t z) {
        if (pass == 0) gridding.fold_plane(grid.data(), 1, z);
        if (pass == 1) gridding.fill_plane(grid.data(), 1, z);
      });
    }
    gridding.fill_margin_planes(context, grid.data(), 1);
    gridding.interpolate(context, grid.data(), 1, convolved.data(), 1, Write::replace);
    for (std::int64_t s = 0; s < weights.size(); ++s) weights[s] /= convolved[s].real();
  }
  std::vector<double> result;
  double sum = 0;
  for (C const& w : weights) sum += result.emplace_back(static_cast<double>(w.real()));
  double const scale = sampled_area(t, m) / static_cast<double>(m.voxels()) / sum;
  for (double& w : result) w *= scale;
  return result;
}

}  // namespace findrho
