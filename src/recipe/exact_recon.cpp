// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/exact_recon.hpp"

#include <chrono>

#include "findrho/backend/fft.hpp"
#include "findrho/core/lag_boxes.hpp"
#include "findrho/operator/largest_eigenvalue.hpp"
#include "findrho/operator/regularized_normal.hpp"
#include "findrho/operator/vector_ops.hpp"
#include "findrho/prior/identity.hpp"

namespace findrho {
namespace {

/// Calls body(index in the image, index in the grid) for every voxel of a row of the image, rows in parallel.
template <class Body>
void each_row(Context const& context, Matrix const& m, Matrix const& grid, Body const& body) {
  context.pool().each(m.z * m.y, [&](std::int64_t row) {
    std::int64_t const z = row / m.y, y = row % m.y;
    body(row * m.x, (z * grid.y + y) * grid.x);
  });
}

}  // namespace

template <class T>
struct ExactNormal<T>::Impl {
  Matrix matrix, grid;
  Fft<T> fft;
  Array<T> spectrum;
  Array<C> work;
  Impl(Matrix const& m)
      : matrix(m), grid(doubled(m)), fft(grid, 1), spectrum(grid.shape()), work(grid.shape()) {}
};

template <class T>
ExactNormal<T>::ExactNormal(Context const& context, Matrix const& matrix, View<C const> q)
    : LinearOperator<T>(matrix.shape(), matrix.shape()), impl_(std::make_unique<Impl>(matrix)) {
  Impl& s = *impl_;
  Matrix const& g = s.grid;
  require_shape(q.shape, g.shape(), "Q");
  // Lag 0 goes from index N to the origin; the scale of the inverse transform goes into the spectrum.
  context.pool().each(g.z, [&](std::int64_t z) {
    std::int64_t const to_z = (z + g.z / 2) % g.z;
    for (std::int64_t y = 0; y < g.y; ++y) {
      std::int64_t const to = (to_z * g.y + (y + g.y / 2) % g.y) * g.x, from = (z * g.y + y) * g.x;
      for (std::int64_t x = 0; x < g.x; ++x) s.work[to + (x + g.x / 2) % g.x] = q[from + x];
    }
  });
  s.fft.forward(context, s.work.data());
  T const scale = T(1) / static_cast<T>(g.voxels());
  for (std::int64_t i = 0; i < s.spectrum.size(); ++i) s.spectrum[i] = scale * s.work[i].real();
}

template <class T>
ExactNormal<T>::~ExactNormal() = default;

template <class T>
void ExactNormal<T>::do_forward(Context const& context, View<C const> x, View<C> z, Write write) const {
  Impl& s = *impl_;
  context.pool().each(s.grid.z, [&](std::int64_t plane) {
    std::int64_t const cells = s.grid.x * s.grid.y;
    std::fill_n(s.work.data() + plane * cells, cells, C(0));
  });
  each_row(context, s.matrix, s.grid, [&](std::int64_t voxel, std::int64_t cell) {
    std::copy_n(x.data + voxel, s.matrix.x, s.work.data() + cell);
  });
  s.fft.forward(context, s.work.data());
  for_blocks(context, s.work.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) s.work[i] *= s.spectrum[i];
  });
  s.fft.inverse(context, s.work.data());
  each_row(context, s.matrix, s.grid, [&](std::int64_t voxel, std::int64_t cell) {
    for (std::int64_t i = 0; i < s.matrix.x; ++i) {
      C const value = s.work[cell + i];
      z[voxel + i] = write == Write::add ? z[voxel + i] + value : value;
    }
  });
}

template <class T>
void ExactNormal<T>::do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const {
  do_forward(context, y, x, write);  // Hermitian
}

template <class T>
ExactRecon reconstruct_exact(Context const& context, Matrix const& matrix, View<std::complex<T> const> fhd,
                             View<std::complex<T> const> q, ExactReconOptions const& options) {
  ExactNormal<T> const normal(context, matrix, q);
  Identity<T> const identity(matrix.shape());
  double lambda = options.lambda_absolute;
  if (lambda < 0) lambda = options.lambda > 0 ? options.lambda * largest_eigenvalue<T>(context, normal) : 0;
  RegularizedNormal<T> const system(normal, identity, lambda);
  Array<std::complex<T>> rho(matrix.shape());
  auto const start = std::chrono::steady_clock::now();
  ExactRecon result;
  result.lambda_absolute = lambda;
  result.cg = cg<T>(context, system, fhd, rho,
                    {.max_iterations = options.iterations, .tolerance = options.tolerance});
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  result.image = convert<std::complex<float>>(View<std::complex<T> const>(rho));
  return result;
}

template class ExactNormal<float>;
template class ExactNormal<double>;
template ExactRecon reconstruct_exact(Context const&, Matrix const&, View<std::complex<float> const>,
                                      View<std::complex<float> const>, ExactReconOptions const&);
template ExactRecon reconstruct_exact(Context const&, Matrix const&, View<std::complex<double> const>,
                                      View<std::complex<double> const>, ExactReconOptions const&);

}  // namespace findrho
