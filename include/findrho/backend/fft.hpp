// SPDX-License-Identifier: BSD-3-Clause
// Fourier transforms on the CPU: Fft, any size, over FFTW; PrunedFft, box <-> larger grid, for the
// NUFFT. Forward is exp(-i 2 pi), inverse exp(+i 2 pi); neither carries a scale factor.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

/// The smallest even 2^a 3^b 5^c that is not below n.
std::int64_t good_size(std::int64_t n);

enum class CoilOrder {
  slowest,   // element (coil, z, y, x), as images are stored
  innermost  // element (z, y, x, coil), as work grids are stored
};

/// In-place transform of every coil of an array, index 0 at the origin. Any size. Plans are made once, here.
/// FFTW_ESTIMATE: measuring would make the bytes of the result depend on the load of the machine.
/// Errors  bad_shape, out_of_memory
template <class T>
class Fft {
 public:
  using C = std::complex<T>;
  Fft(Matrix const& matrix, std::int64_t coils, CoilOrder order = CoilOrder::slowest);
  ~Fft();
  Fft(Fft&&) noexcept;
  Fft& operator=(Fft&&) noexcept;
  /// data: coils x voxels elements in the order of the constructor
  void forward(Context const& context, C* data) const;
  void inverse(Context const& context, C* data) const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Where a work grid lies in memory: element (z, y, x, coil) of the grid is
///   origin[((z * plane + y * row) + x) * coils + coil],  z, y, x from 0 to grid - 1.
/// A grid without margins has row = grid.x and plane = grid.x * grid.y.
template <class T>
struct GridView {
  std::complex<T>* origin = nullptr;
  std::int64_t row = 0;    // cells from y to y + 1
  std::int64_t plane = 0;  // cells from z to z + 1
  int coils = 1;
};

/// Some coils of an image: element (coil, z, y, x) is data[coil * voxels + (z * ny + y) * nx + x].
/// Coils beyond count, up to the grid's, read as zero and are not written.
template <class T>
struct BoxView {
  T* data = nullptr;
  int count = 1;
};

/// Called with the index of a grid plane while that plane is in cache.
using PlaneHook = std::function<void(std::int64_t z)>;

/// Transforms between a box of N voxels and a grid of G >= N cells per axis, skipping what is known to be
/// zero (forward) or not wanted (inverse). Voxel n of the box is cell (n - floor(N/2)) mod G of the grid, so
/// box voxel floor(N/2) is the origin; frequency g of the grid is cell g, 0 first, as a DFT has it:
///   forward  grid[g] = sum_n scale[n] box[n] exp(-i 2 pi g (n - floor(N/2)) / G)
///   inverse  box[n]  = scale[n] sum_g grid[g] exp(+i 2 pi g (n - floor(N/2)) / G)
/// Each axis is transformed for a batch of lines at a time in vector registers; the grid is swept twice in
/// memory: the z axis, then y and x of each plane while it is in cache. Holds its scratch: one call at a
/// time.
template <class T>
class PrunedFft {
 public:
  using C = std::complex<T>;

  /// scale: real factors per axis (x, y, z), each of the box's size, or all empty for 1.
  /// Errors  bad_shape when G < N, or when G is not a 2^a 3^b 5^c (see good_size)
  PrunedFft(Matrix const& box, Matrix const& grid, int threads, std::array<std::vector<T>, 3> scale = {});
  ~PrunedFft();
  PrunedFft(PrunedFft&&) noexcept;
  PrunedFft& operator=(PrunedFft&&) noexcept;

  /// The grid's previous contents are ignored. after_plane(z) is called when plane z is complete.
  void forward(Context const& context, BoxView<C const> box, GridView<T> grid,
               PlaneHook const& after_plane = {}) const;
  /// The grid's contents are destroyed. before_plane(z) is called before plane z is read.
  void inverse(Context const& context, GridView<T> grid, BoxView<C> box, Write write = Write::replace,
               PlaneHook const& before_plane = {}) const;

  Matrix const& box() const;
  Matrix const& grid() const;
  /// Memory of tables and scratch.
  std::int64_t bytes() const { return bytes(box(), grid(), threads()); }
  static std::int64_t bytes(Matrix const& box, Matrix const& grid, int threads);
  int threads() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace findrho
