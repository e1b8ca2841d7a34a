// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/dft/vector_sum.hpp"

namespace findrho {

template <class T>
void vector_adjoint(Context const& context, Trajectory const& trajectory, View<std::complex<T> const> samples,
                    View<std::complex<T>> images, RungOptions const& options) {
  Shape const& s = images.shape;
  Matrix const matrix{.x = s.extent(Axis::x), .y = s.extent(Axis::y), .z = s.extent(Axis::z)};
  std::int64_t const coils = s.extent(Axis::coil), count = trajectory.size();
  require_shape(s, matrix.shape(coils), "images");
  require_shape(samples.shape, sample_shape(coils, count), "samples");
  std::vector<std::complex<double>> const none(static_cast<std::size_t>(count));
  ExactSum<T> sum = fhd_sum<T>(trajectory, matrix, none);  // positions are the same for all coils
  for (std::int64_t c = 0; c < coils; ++c) {
    for (std::int64_t m = 0; m < count; ++m) {
      sum.d_re[static_cast<std::size_t>(m)] = samples[c * count + m].real();
      sum.d_im[static_cast<std::size_t>(m)] = samples[c * count + m].imag();
    }
    SumResult<T> const result = run_rung(context, sum, Rung::gather_vector, options);
    for (std::int64_t n = 0; n < matrix.voxels(); ++n) {
      auto const i = static_cast<std::size_t>(n);
      images[c * matrix.voxels() + n] = {result.re[i], result.im[i]};
    }
  }
}

template <class T>
Array<std::complex<T>> vector_q(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                                std::span<double const> weights, RungOptions const& options) {
  SumResult<T> const half =
      run_rung(context, q_sum<T>(trajectory, matrix, weights), Rung::gather_vector, options);
  return unfold_q<T>(matrix, half.re, half.im);
}

#define FINDRHO_FOR(T)                                                                         \
  template void vector_adjoint(Context const&, Trajectory const&, View<std::complex<T> const>, \
                               View<std::complex<T>>, RungOptions const&);                     \
  template Array<std::complex<T>> vector_q(Context const&, Trajectory const&, Matrix const&,   \
                                           std::span<double const>, RungOptions const&);
FINDRHO_FOR(float)
FINDRHO_FOR(double)
#undef FINDRHO_FOR

}  // namespace findrho
