// SPDX-License-Identifier: BSD-3-Clause
// The non-uniform FFT on a CUDA device: Nufft's operators, kernel, width and grid, with all arrays in device memory.
// Work is queued on the session's stream and not waited for. docs/design/cuda.md has the kernels.
#pragma once
#include <complex>
#include <cstdint>
#include <memory>
#include <string>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/core/array.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/nufft/nufft.hpp"
#include "findrho/nufft/pipe_menon.hpp"

namespace findrho {

/// A trajectory in device memory, cycles per FOV. It is read while a plan is made and not kept.
struct CudaTrajectory {
  int dims = 2;
  std::int64_t samples = 0;
  double const* k[3] = {};  // x, y, z
};

/// Copies a trajectory to the device.
class CudaTrajectoryCopy {
 public:
  CudaTrajectoryCopy(CudaSession const& session, Trajectory const& trajectory);
  CudaTrajectory view() const;

 private:
  int dims_;
  std::int64_t samples_;
  CudaVector<double> k_;  // axis after axis
};

enum class CudaSpreading {
  chosen,     // by precision, kernel, samples a tile and coils
  by_tiles,   // a block a tile of the grid takes the samples that reach it: for few samples a tile
  by_samples  // a warp takes a tile's samples, boxes are joined afterwards: for many samples a tile.
              // Only in single precision for kernels of up to 7 cells; elsewhere by_tiles is done instead
};

struct CudaNufftOptions {
  NufftOptions nufft;  // the same options choose the same kernel, width and grid as on the CPU
  // Coils share a pass while their work grids fit this many bytes; more coils take more passes, not more memory.
  std::int64_t grid_bytes = std::int64_t{2} << 30;
  CudaSpreading spreading = CudaSpreading::chosen;
};

/// F and F^H as Nufft has them. Planned once; after a first call with so many coils no further one allocates, and fewer
/// coils leave what it allocated in place, so that later calls may be captured in a graph. The same input gives the same
/// bytes: no sum depends on the order of threads.
template <class T>
class CudaNufft {
 public:
  using C = std::complex<T>;

  /// Errors  bad_option, bad_shape, out_of_memory, device_fault
  CudaNufft(CudaSession const& session, CudaTrajectory const& trajectory, Matrix const& matrix,
            CudaNufftOptions const& options = {});
  CudaNufft(CudaSession const& session, Trajectory const& trajectory, Matrix const& matrix,
            CudaNufftOptions const& options = {});
  ~CudaNufft();
  CudaNufft(CudaNufft&&) noexcept;
  CudaNufft& operator=(CudaNufft&&) noexcept;

  /// samples[c,m] = sum_n image[c,n] exp(-i 2 pi k_m . r_n)
  /// Shapes  image (coil, z, y, x); samples (coil, sample); device memory
  void forward(C const* image, C* samples, std::int64_t coils, Write write = Write::replace) const;
  /// image[c,n] = sum_m samples[c,m] exp(+i 2 pi k_m . r_n)
  void adjoint(C const* samples, C* image, std::int64_t coils, Write write = Write::replace) const;

  /// samples[c,m] = sum_n maps[c,n] image[n] exp(-i 2 pi k_m . r_n): the maps are applied while the image is read.
  /// Shapes  image (z, y, x); maps (coil, z, y, x)
  void forward_with_maps(C const* image, C const* maps, C* samples, std::int64_t coils,
                         Write write = Write::replace) const;
  /// image[n] = sum_c conj(maps[c,n]) sum_m samples[c,m] exp(+i 2 pi k_m . r_n)
  void adjoint_with_maps(C const* samples, C const* maps, C* image, std::int64_t coils,
                         Write write = Write::replace) const;

  /// Makes the work memory for so many coils now and not at the first call.
  void reserve(std::int64_t coils) const;

  Matrix const& matrix() const;
  std::int64_t samples() const;
  /// Device memory that the plan and its work arrays hold once `coils` coils have been transformed, or that planning took.
  std::int64_t bytes(std::int64_t coils) const;
  std::string description() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// The spectrum of Q for products by pad, FFT, multiply, inverse FFT, crop:
///   spectrum[g] = scale sum_lags Q(l) exp(-i 2 pi g . l / grid), Q(l) = sum_m weights[m] exp(+i 2 pi k_m . l / N)
/// over the lags -(N-1)..N-1. It is real, because Q(-l) = conj(Q(l)).
/// grid      at least 2N - 1 points an axis (1 where N is 1)
/// weights   device memory, one a sample; null: 1
/// scale     1 / grid.voxels() makes up for the two transforms without a factor
/// spectrum  device memory, grid.voxels() elements (z, y, x) in FFT order: frequency 0 first
/// Errors    bad_option, bad_shape, out_of_memory, device_fault
template <class T>
void cuda_toeplitz_spectrum(CudaSession const& session, CudaTrajectory const& trajectory, T const* weights,
                            Matrix const& matrix, Matrix const& grid, double scale, T* spectrum,
                            CudaNufftOptions const& options = {});

/// Device memory that cuda_toeplitz_spectrum takes while it works, beside its operands.
template <class T>
std::int64_t cuda_toeplitz_spectrum_bytes(CudaSession const& session, CudaTrajectory const& trajectory,
                                          Matrix const& matrix, Matrix const& grid,
                                          CudaNufftOptions const& options = {});

/// pipe_menon_weights on the device, in single precision as there.
/// weights  device memory, one a sample
void cuda_pipe_menon_weights(CudaSession const& session, CudaTrajectory const& trajectory,
                             Matrix const& matrix, float* weights, int iterations = kPipeMenonIterations);

}  // namespace findrho
