// SPDX-License-Identifier: BSD-3-Clause
// Q is an adjoint transform: with the samples at 2 k, voxel n of a matrix 2 N lies at the lag n - N of the
// matrix N.
#include <string>
#include <utility>

#include "findrho/core/error.hpp"
#include "findrho/dft/exact_sum.hpp"
#include "findrho/dft/vector_sum.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "operator/toeplitz_layout.hpp"

namespace findrho {
namespace {

using lanes::LaneFft;
using lanes::Rows;

Matrix doubled(Matrix const& m) {
  return {2 * m.x, 2 * m.y, m.z > 1 ? 2 * m.z : 1};
}

template <class T>
Array<std::complex<T>> lags(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                            std::span<double const> weights, EncodingOptions const& options) {
  using C = std::complex<T>;
  if (!weights.empty() && static_cast<std::int64_t>(weights.size()) != trajectory.size()) {
    throw Error(ErrorKind::bad_shape, std::to_string(weights.size()) + " weights for " +
                                          std::to_string(trajectory.size()) + " samples of the trajectory");
  }
  if (options.transform == TransformKind::exact && options.rung) {
    return vector_q<T>(context, trajectory, matrix, weights, *options.rung);
  }
  Trajectory wide;
  wide.dims = trajectory.dims;
  for (int d = 0; d < trajectory.dims; ++d) {
    wide[d] = trajectory[d];
    for (double& k : wide[d]) k *= 2;
  }
  Array<C> w(sample_shape(1, trajectory.size()));
  for (std::int64_t m = 0; m < w.size(); ++m) {
    w[m] = weights.empty() ? T(1) : static_cast<T>(weights[static_cast<std::size_t>(m)]);
  }
  Array<C> q(doubled(matrix).shape(1));
  if (options.transform == TransformKind::exact) {
    exact_adjoint<T>(context, wide, w, q);
    return q;
  }
  Nufft<T>(context, wide, doubled(matrix), options.nufft).adjoint(context, w, q);
  return q;
}

// Transforms an array over the lags of all axes to the real spectrum.
template <class T>
class SpectrumBuilder {
 public:
  using C = std::complex<T>;
  using Layout = ToeplitzLayout<T>;
  static constexpr std::int64_t L = Layout::L, kRow = Layout::kRow;

  SpectrumBuilder(Context const& context, Matrix const& matrix, View<C const> q)
      : context_(context),
        half_(matrix),
        lags_(doubled(matrix)),
        q_(q),
        layout_(matrix, lags_.x),
        x_(layout_.grid.x),
        y_(layout_.grid.y),
        slots_(std::min<std::int64_t>(context.threads(), layout_.grid.z)),
        tiles_({{Axis::other, std::max<std::int64_t>(slots_, context.threads())},
                {Axis::other, layout_.tile_size()}}),
        lines_({{Axis::other, slots_}, {Axis::other, layout_.lines_size()}}) {}

  Array<T> run() {
    if (half_.z > 1) transform_z();
    Array<T> spectrum({{Axis::other, layout_.grid.z * layout_.spectrum_plane()}});
    context_.pool().each_in_slots(slots_, layout_.grid.z, [&](std::int64_t slot, std::int64_t kz) {
      transform_plane(slot, kz, spectrum.data() + kz * layout_.spectrum_plane());
    });
    return spectrum;
  }

 private:
  T* tile(std::int64_t slot) { return tiles_.data() + slot * layout_.tile_size(); }
  T* columns(std::int64_t kz, std::int64_t tile, std::int64_t y) {
    return columns_.data() + kz * layout_.plane_stride(lags_.y) + (tile * lags_.y + y) * kRow;
  }
  T const* source(std::int64_t z, std::int64_t y, std::int64_t tile) const {
    return reinterpret_cast<T const*>(q_.data + (z * lags_.y + y) * lags_.x + tile * L);
  }

  /// read(i, row) for the lags i - n = -(n-1)..n-1, each into its cyclic place in the tile; zero elsewhere.
  /// The lag -n has no partner +n, so it is left out: the spectrum would not be real with it.
  template <class Read>
  static void place_lags(std::int64_t n, std::int64_t size, T* tile, Read const& read) {
    std::fill_n(tile, size * kRow, T(0));
    for (std::int64_t i = 1; i < 2 * n; ++i) read(i, tile + (i - n + size) % size * kRow);
  }

  void transform_z() {
    LaneFft<T> const fft(layout_.grid.z);
    columns_ = Array<T>({{Axis::other, layout_.grid.z * layout_.plane_stride(lags_.y)}});
    context_.pool().each_in_slots(context_.threads(), layout_.x_tiles * lags_.y,
                                  [&](std::int64_t slot, std::int64_t task) {
                                    std::int64_t const t = task / lags_.y, y = task % lags_.y;
                                    place_lags(half_.z, fft.size, tile(slot), [&](std::int64_t z, T* row) {
                                      kernels_.pack(source(z, y, t), Layout::lanes_of(t, lags_.x), row);
                                    });
                                    kernels_.forward(fft, {tile(slot), kRow, fft.size}, tile(slot));
                                    for (std::int64_t kz = 0; kz < fft.size; ++kz)
                                      std::copy_n(tile(slot) + kz * kRow, kRow, columns(kz, t, y));
                                  });
  }

  void transform_plane(std::int64_t slot, std::int64_t kz, T* spectrum) {
    T* const rows = tile(slot);
    T* const lines = lines_.data() + slot * layout_.lines_size();
    for (std::int64_t t = 0; t < layout_.x_tiles; ++t) {
      place_lags(half_.y, y_.size, rows, [&](std::int64_t y, T* row) {
        if (half_.z > 1) {
          std::copy_n(columns(kz, t, y), kRow, row);
        } else {
          kernels_.pack(source(0, y, t), Layout::lanes_of(t, lags_.x), row);
        }
      });
      kernels_.forward(y_, {rows, kRow, y_.size}, rows);
      kernels_.tile_to_lines(rows, y_.size, lines + t * L * layout_.line_stride, layout_.line_stride);
    }
    // The inverse transforms of the product carry no scale factor; the spectrum does.
    T const scale = T(1) / static_cast<T>(layout_.grid.voxels());
    for (std::int64_t t = 0; t < layout_.ky_tiles; ++t) {
      place_lags(half_.x, x_.size, rows, [&](std::int64_t x, T* row) {
        std::copy_n(lines + x * layout_.line_stride + t * kRow, kRow, row);
      });
      kernels_.forward(x_, {rows, kRow, x_.size}, rows);
      for (std::int64_t kx = 0; kx < x_.size; ++kx) {
        for (std::int64_t l = 0; l < L; ++l)
          spectrum[(t * x_.size + kx) * L + l] = scale * rows[kx * kRow + l];
      }
    }
  }

  Context const& context_;
  lanes::LaneKernels<T> const& kernels_ = lanes::lane_kernels<T>();
  Matrix half_, lags_;
  View<C const> q_;
  Layout layout_;
  LaneFft<T> x_, y_;
  std::int64_t slots_;
  Array<T> tiles_, lines_, columns_;
};

}  // namespace

template <class T>
std::int64_t toeplitz_spectrum_size(Matrix const& matrix) {
  ToeplitzLayout<T> const layout(matrix, matrix.x);
  return layout.grid.z * layout.spectrum_plane();
}

template <class T>
ToeplitzKernel<T>::ToeplitzKernel(Matrix const& matrix, Array<T> spectrum)
    : matrix_(matrix), grid_(ToeplitzLayout<T>(matrix, matrix.x).grid), spectrum_(std::move(spectrum)) {
  require_shape(spectrum_.shape(), {{Axis::other, toeplitz_spectrum_size<T>(matrix)}}, "spectrum of Q");
}

template <class T>
ToeplitzKernel<T>::ToeplitzKernel(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                                  std::span<double const> weights, EncodingOptions const& options)
    : matrix_(matrix), grid_(ToeplitzLayout<T>(matrix, matrix.x).grid) {
  Array<std::complex<T>> const q = lags<T>(context, trajectory, matrix, weights, options);
  spectrum_ = SpectrumBuilder<T>(context, matrix, q).run();
}

template class ToeplitzKernel<float>;
template class ToeplitzKernel<double>;
template std::int64_t toeplitz_spectrum_size<float>(Matrix const&);
template std::int64_t toeplitz_spectrum_size<double>(Matrix const&);

}  // namespace findrho
