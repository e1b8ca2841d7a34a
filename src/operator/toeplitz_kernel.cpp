// SPDX-License-Identifier: BSD-3-Clause
// Q is an adjoint transform: with the samples at 2 k, voxel n of a matrix 2 N lies at the lag n - N of the
// matrix N. Q(-n) = conj(Q(n)): the lags from 0 on of the slowest axis suffice, with those at 0 halved; the spectrum
// is twice the real part of their transform.
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "findrho/core/error.hpp"
#include "findrho/core/lag_boxes.hpp"
#include "findrho/dft/exact_sum.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/operator/vector_ops.hpp"
#include "operator/toeplitz_layout.hpp"

namespace findrho {
namespace {

using lanes::LaneFft;
using lanes::Rows;

void check_weights(Trajectory const& trajectory, std::span<double const> weights) {
  if (!weights.empty() && static_cast<std::int64_t>(weights.size()) != trajectory.size()) {
    throw Error(ErrorKind::bad_shape, std::to_string(weights.size()) + " weights for " +
                                          std::to_string(trajectory.size()) + " samples of the trajectory");
  }
}

/// Q on a box of lags; the slowest axis, z or in 2D y, has the lag 0 at index zero.
template <class T>
struct Lags {
  Array<std::complex<T>> q;
  std::int64_t zero;
};

template <class T>
Array<std::complex<T>> samples_of(std::span<double const> weights, std::int64_t count) {
  Array<std::complex<T>> w(sample_shape(1, count));
  for (std::int64_t m = 0; m < count; ++m) {
    w[m] = weights.empty() ? T(1) : static_cast<T>(weights[static_cast<std::size_t>(m)]);
  }
  return w;
}

/// The lags from 0 on of the slowest axis: a box of N voxels there, whose middle, h = floor(N/2), the samples move to
/// lag h by the phase exp(i 2 pi k h / N).
template <class T>
Lags<T> half_lags(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                  std::span<double const> weights, NufftOptions const& options) {
  int const slowest = matrix.dims() - 1;
  Matrix const box = half_doubled(matrix);
  Trajectory wide;
  wide.dims = trajectory.dims;
  for (int d = 0; d < trajectory.dims; ++d) {
    wide[d] = trajectory[d];
    for (double& k : wide[d]) k *= d < slowest ? 2 : 1;
  }
  Array<std::complex<T>> w = samples_of<T>(weights, trajectory.size());
  double const turns = static_cast<double>(matrix[slowest] / 2) / static_cast<double>(matrix[slowest]);
  for_blocks(context, w.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = begin; m < end; ++m) {
      double const angle = 2 * std::numbers::pi * turns * trajectory[slowest][static_cast<std::size_t>(m)];
      w[m] *= std::complex<T>(static_cast<T>(std::cos(angle)), static_cast<T>(std::sin(angle)));
    }
  });
  Lags<T> lags{Array<std::complex<T>>(box.shape(1)), 0};
  Nufft<T>(context, wide, box, options).adjoint(context, w, lags.q);
  return lags;
}

template <class T>
Lags<T> lags(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
             std::span<double const> weights, EncodingOptions const& options) {
  check_weights(trajectory, weights);
  if (options.transform == TransformKind::nufft) {
    return half_lags<T>(context, trajectory, matrix, weights, options.nufft);
  }
  std::int64_t const zero = matrix[matrix.dims() - 1];
  return {exact_lags<T>(context, trajectory, matrix, weights, options.sums), zero};
}

// Transforms an array over the lags of all axes to the real spectrum.
template <class T>
class SpectrumBuilder {
 public:
  using C = std::complex<T>;
  using Layout = ToeplitzLayout<T>;
  static constexpr std::int64_t L = Layout::L, kRow = Layout::kRow;

  SpectrumBuilder(Context const& context, Matrix const& matrix, Lags<T> const& lags)
      : context_(context),
        half_(matrix),
        lags_(doubled(matrix)),
        q_(lags.q),
        zero_(lags.zero),
        layout_(matrix, lags_.x),
        x_(layout_.grid.x),
        y_(layout_.grid.y),
        planes_at_once_(std::min<std::int64_t>(context.threads(), layout_.grid.z)),
        tiles_({{Axis::other, context.threads()}, {Axis::other, layout_.tile_size()}}),
        lines_({{Axis::other, planes_at_once_}, {Axis::other, layout_.lines_size()}}) {}

  Array<T> run() {
    if (half_.z > 1) transform_z();
    Array<T> spectrum({{Axis::other, layout_.grid.z * layout_.spectrum_plane()}});
    if (half_.z == 1) {
      auto const each = [&](std::int64_t n, auto const& task) {
        context_.pool().each_in_slots(context_.threads(), n, task);
      };
      transform_plane(0, lines_.data(), spectrum.data(), each);
      return spectrum;
    }
    context_.pool().each_in_slots(planes_at_once_, layout_.grid.z, [&](std::int64_t slot, std::int64_t kz) {
      auto const each = [slot](std::int64_t n, auto const& task) {
        for (std::int64_t t = 0; t < n; ++t) task(slot, t);
      };
      transform_plane(kz, lines_.data() + slot * layout_.lines_size(),
                      spectrum.data() + kz * layout_.spectrum_plane(), each);
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

  /// The half of the slowest axis, into the first rows of the tile: read(i, row) for the lags 0..n-1.
  template <class Read>
  Rows<T const> place_half(std::int64_t n, T* tile, Read const& read) const {
    for (std::int64_t i = 0; i < n; ++i) read(zero_ + i, tile + i * kRow);
    for (std::int64_t l = 0; l < kRow; ++l) tile[l] /= 2;
    return {tile, kRow, n};
  }

  void transform_z() {
    LaneFft<T> const fft(layout_.grid.z);
    columns_ = Array<T>({{Axis::other, layout_.grid.z * layout_.plane_stride(lags_.y)}});
    context_.pool().each_in_slots(
        context_.threads(), layout_.x_tiles * lags_.y, [&](std::int64_t slot, std::int64_t task) {
          std::int64_t const t = task / lags_.y, y = task % lags_.y;
          Rows<T const> const rows = place_half(half_.z, tile(slot), [&](std::int64_t z, T* row) {
            kernels_.pack(source(z, y, t), Layout::lanes_of(t, lags_.x), row);
          });
          kernels_.forward(fft, rows, tile(slot));
          for (std::int64_t kz = 0; kz < fft.size; ++kz)
            std::copy_n(tile(slot) + kz * kRow, kRow, columns(kz, t, y));
        });
  }

  /// each(n, task) runs task(slot, t) for t < n.
  template <class Each>
  void transform_plane(std::int64_t kz, T* lines, T* spectrum, Each const& each) {
    each(layout_.x_tiles, [&](std::int64_t slot, std::int64_t t) {
      T* const rows = tile(slot);
      if (half_.z > 1) {
        place_lags(half_.y, y_.size, rows,
                   [&](std::int64_t y, T* row) { std::copy_n(columns(kz, t, y), kRow, row); });
        kernels_.forward(y_, {rows, kRow, y_.size}, rows);
      } else {
        Rows<T const> const half = place_half(half_.y, rows, [&](std::int64_t y, T* row) {
          kernels_.pack(source(0, y, t), Layout::lanes_of(t, lags_.x), row);
        });
        kernels_.forward(y_, half, rows);
      }
      kernels_.tile_to_lines(rows, y_.size, lines + t * L * layout_.line_stride, layout_.line_stride);
    });
    // The inverse transforms of the product carry no scale factor; the spectrum does. Twice for the other half.
    T const scale = T(2) / static_cast<T>(layout_.grid.voxels());
    each(layout_.ky_tiles, [&](std::int64_t slot, std::int64_t t) {
      T* const rows = tile(slot);
      place_lags(half_.x, x_.size, rows, [&](std::int64_t x, T* row) {
        std::copy_n(lines + x * layout_.line_stride + t * kRow, kRow, row);
      });
      kernels_.forward(x_, {rows, kRow, x_.size}, rows);
      for (std::int64_t kx = 0; kx < x_.size; ++kx) {
        for (std::int64_t l = 0; l < L; ++l)
          spectrum[(t * x_.size + kx) * L + l] = scale * rows[kx * kRow + l];
      }
    });
  }

  Context const& context_;
  lanes::LaneKernels<T> const kernels_ = lanes::lane_kernels<T>();
  Matrix half_, lags_;
  View<C const> q_;
  std::int64_t zero_;
  Layout layout_;
  LaneFft<T> x_, y_;
  std::int64_t planes_at_once_;
  Array<T> tiles_, lines_, columns_;
};

}  // namespace

template <class T>
Array<std::complex<T>> exact_lags(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                                  std::span<double const> weights, std::optional<FastSums> const& sums) {
  check_weights(trajectory, weights);
  if (sums) return fast_q<T>(context, *sums, trajectory, matrix, weights);
  Trajectory wide = trajectory;
  for (int d = 0; d < trajectory.dims; ++d) {
    for (double& k : wide[d]) k *= 2;
  }
  Array<std::complex<T>> q(doubled(matrix).shape(1));
  exact_adjoint<T>(context, wide, samples_of<T>(weights, trajectory.size()), q);
  return q;
}

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
  Lags<T> const q = lags<T>(context, trajectory, matrix, weights, options);
  spectrum_ = SpectrumBuilder<T>(context, matrix, q).run();
}

template Array<std::complex<float>> exact_lags(Context const&, Trajectory const&, Matrix const&,
                                               std::span<double const>, std::optional<FastSums> const&);
template Array<std::complex<double>> exact_lags(Context const&, Trajectory const&, Matrix const&,
                                                std::span<double const>, std::optional<FastSums> const&);
template class ToeplitzKernel<float>;
template class ToeplitzKernel<double>;
template std::int64_t toeplitz_spectrum_size<float>(Matrix const&);
template std::int64_t toeplitz_spectrum_size<double>(Matrix const&);

}  // namespace findrho
