// SPDX-License-Identifier: BSD-3-Clause
// F^H W_d F as a convolution: Q on the doubled grid, and its product with an image. Read
// docs/math/equation.md first.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>

#include "findrho/core/scan.hpp"
#include "findrho/operator/encoding.hpp"
#include "findrho/operator/linear_operator.hpp"

namespace findrho {

/// The spectrum of Q(n) = sum_m w_m exp(+i 2 pi k_m . n / N), lags -(N-1)..N-1 on a grid of at least 2N
/// points an axis. Real, because Q(-n) = conj(Q(n)) and the lags -N are left out. Its order is private to
/// ToeplitzNormal: lines are transformed without sorting the frequencies, since the product does not care.
template <class T>
class ToeplitzKernel {
 public:
  /// weights: w, one per sample; empty: 1.
  /// Errors  bad_shape, bad_option; those of Nufft
  /// Cost    one adjoint on half of the doubled matrix: work arrays about 4 times spectrum().size() elements of T
  ToeplitzKernel(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                 std::span<double const> weights = {}, EncodingOptions const& options = {});
  /// From a spectrum that another kernel of this matrix had (the disk cache).
  ToeplitzKernel(Matrix const& matrix, Array<T> spectrum);

  Matrix const& matrix() const { return matrix_; }
  /// The doubled grid: per axis the least 4 * 2^a 3^b 5^c that is at least twice the matrix; z stays 1 in 2D.
  Matrix const& grid() const { return grid_; }
  View<T const> spectrum() const { return spectrum_; }

 private:
  Matrix matrix_, grid_;
  Array<T> spectrum_;
};

/// Q by exact sums at the lags n - N of the matrix N, n = 0..2N-1 along each axis (an axis z of 1 stays 1).
///   sums  as EncodingOptions::sums
/// Shapes  result (coil 1, 2 Nz, 2 Ny, 2 Nx), or without the axis coil
/// Errors  bad_shape, bad_option
template <class T>
Array<std::complex<T>> exact_lags(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                                  std::span<double const> weights = {},
                                  std::optional<FastSums> const& sums = {});

/// Elements that the spectrum of a matrix has.
template <class T>
std::int64_t toeplitz_spectrum_size(Matrix const& matrix);

/// Like the constructor of ToeplitzKernel, but looks into a folder of earlier spectra first, and leaves the
/// new one there. The key is a SHA-256 over format version, trajectory, weights, matrix, precision and
/// accuracy options. An entry whose checksum fails is rebuilt; several processes may share the folder. A
/// folder that cannot be written is a note event.
///   limit_bytes  the folder's entries are kept below this, those not used for longest going first
template <class T>
std::shared_ptr<ToeplitzKernel<T> const> cached_toeplitz_kernel(
    Context const& context, Trajectory const& trajectory, Matrix const& matrix,
    std::span<double const> weights, EncodingOptions const& options, std::filesystem::path const& folder,
    std::int64_t limit_bytes = std::int64_t{4} << 30);

/// z = sum_c conj(S_c) crop(Q * pad(S_c x)): F^H W_d F of the encoding with these maps, without its samples.
/// Shapes  domain and range (z, y, x); maps S (coil, z, y, x), or empty: one coil, S = 1
/// Cost    for 8 coils on one Zen 4 core with AVX-512, in float: 0.6 ms a coil for 256^2, 48 ms for 128^3;
///         toeplitz_work_bytes of scratch
template <class T>
class ToeplitzNormal final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  /// The maps must outlive the operator. memory_bytes bounds the scratch of the coils that share a sweep over
  /// Q.
  explicit ToeplitzNormal(std::shared_ptr<ToeplitzKernel<T> const> kernel, View<C const> maps = {},
                          std::int64_t memory_bytes = std::int64_t{256} << 20);
  ~ToeplitzNormal() override;

 private:
  void do_forward(Context const& context, View<C const> x, View<C> z, Write write) const override;
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override;
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Scratch that a ToeplitzNormal holds after its first call.
template <class T>
std::int64_t toeplitz_work_bytes(Matrix const& matrix, std::int64_t coils, int threads,
                                 std::int64_t memory_bytes = std::int64_t{256} << 20);

}  // namespace findrho
