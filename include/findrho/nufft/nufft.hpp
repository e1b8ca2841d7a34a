// SPDX-License-Identifier: BSD-3-Clause
// The non-uniform FFT: F and F^H between an image grid and a trajectory, planned once and used many times.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <string>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

enum class GriddingKernel {
  kaiser_bessel,  // Beatty, Nishimura and Pauly, IEEE TMI 24:799 (2005), beta from width and oversampling
  bilinear        // triangle of width 2 grid cells: the textbook baseline
};

struct NufftOptions {
  double accuracy =
      1e-3;  // relative l2 error against the exact sum that width and oversampling are chosen for
  double oversampling = 0;  // grid size over matrix size, 1.25 to 2; 0: chosen
  int width = 0;            // kernel width in grid cells; 0: from the accuracy
  GriddingKernel kernel = GriddingKernel::kaiser_bessel;
};

/// F and F^H as in docs/conventions.md: forward exponent negative, voxel n at (n - floor(N/2)) / N, no scale factor.
template <class T>
class Nufft {
 public:
  using C = std::complex<T>;

  /// Sorts the samples by tile and plans the transforms.
  /// Units   k in cycles per FOV; periodic beyond |k_d| = N_d/2
  /// Errors  bad_option, bad_shape, out_of_memory
  Nufft(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
        NufftOptions const& options = {});
  ~Nufft();
  Nufft(Nufft&&) noexcept;
  Nufft& operator=(Nufft&&) noexcept;

  /// samples[c,m] = sum_n image[c,n] exp(-i 2 pi k_m . r_n)
  /// Shapes  image (coil, z, y, x); samples (coil, sample)
  void forward(Context const& context, View<C const> image, View<C> samples,
               Write write = Write::replace) const;
  /// image[c,n] = sum_m samples[c,m] exp(+i 2 pi k_m . r_n)
  void adjoint(Context const& context, View<C const> samples, View<C> image,
               Write write = Write::replace) const;

  /// Gives the work grid back; the next transform makes it anew. Not while a transform runs.
  void release_work() const;

  Matrix const& matrix() const;
  std::int64_t samples() const;
  /// Memory that the plan and its work arrays hold once `coils` coils have been transformed.
  std::int64_t bytes(std::int64_t coils) const;
  /// "Kaiser-Bessel, width 4, oversampling 1.5, grid 384 x 384"
  std::string description() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// What Nufft::bytes(coils) will be, before anything is allocated.
template <class T>
std::int64_t nufft_bytes(std::int64_t samples, Matrix const& matrix, std::int64_t coils, int threads,
                         NufftOptions const& options);

}  // namespace findrho
