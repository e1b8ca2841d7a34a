// SPDX-License-Identifier: BSD-3-Clause
// The plain path, for any size: pad, cuFFT, multiply, inverse cuFFT, crop. What the fused path is measured against.
#include <algorithm>

#include "backend/cuda/elements.hpp"
#include "backend/cuda/fft.hpp"
#include "operator/cuda/product.hpp"

namespace findrho::device {
namespace {

using Index = std::int64_t;

struct Boxes {
  Index n[3], grid[3];
  Index voxels() const { return n[0] * n[1] * n[2]; }
  Index cells() const { return grid[0] * grid[1] * grid[2]; }
};

/// The least even 2^a 3^b 5^c 7^d that holds 2 n: lengths that cuFFT is fast at.
Index plain_length(Index n) {
  for (Index length = 2 * n;; length += 2) {
    Index rest = length;
    for (Index factor : {2, 3, 5, 7}) {
      while (rest % factor == 0) rest /= factor;
    }
    if (rest == 1) return length;
  }
}

Boxes boxes_of(CudaToeplitzRecord const& r) {
  Boxes b{};
  for (int d = 0; d < 3; ++d) {
    b.n[d] = r.n[d];
    b.grid[d] = d == 2 && r.n[d] == 1 ? 1 : plain_length(r.n[d]);
  }
  return b;
}

Index coils_of_batch(CudaToeplitzRecord const& r, std::size_t complex_size) {
  // The grid, and as much again for cuFFT.
  Index const bytes = boxes_of(r).cells() * static_cast<Index>(2 * complex_size);
  return std::clamp<Index>(r.memory_bytes / bytes, 1, r.coils);
}

CudaFftRecord transforms(Boxes const& b, Index batch, bool double_precision) {
  return fft_record(b.n[2] > 1 ? 3 : 2, b.grid, batch, double_precision);
}

template <class T>
struct Pad {
  Complex<T> const *x, *maps;
  Complex<T>* grid;
  Boxes b;
  __device__ void operator()(Index i) const {
    Index const gx = i % b.grid[0], row = i / b.grid[0], gy = row % b.grid[1], plane = row / b.grid[1];
    Index const gz = plane % b.grid[2], coil = plane / b.grid[2];
    bool const inside = gx < b.n[0] && gy < b.n[1] && gz < b.n[2];
    Index const voxel = (gz * b.n[1] + gy) * b.n[0] + gx;
    if (!inside) {
      grid[i] = {0, 0};
    } else {
      grid[i] = maps == nullptr ? x[voxel] : x[voxel] * maps[coil * b.n[0] * b.n[1] * b.n[2] + voxel];
    }
  }
};

template <class T>
struct Scale {
  T const* spectrum;
  Complex<T>* grid;
  Index cells;
  __device__ void operator()(Index i) const { grid[i] = scaled(spectrum[i % cells], grid[i]); }
};

template <class T>
struct Crop {
  Complex<T> const *grid, *maps;
  Complex<T>* z;
  Boxes b;
  Index coils;
  Write write;
  __device__ void operator()(Index i) const {
    Index const x = i % b.n[0], row = i / b.n[0], y = row % b.n[1], iz = row / b.n[1];
    Index const cell = (iz * b.grid[1] + y) * b.grid[0] + x, cells = b.grid[0] * b.grid[1] * b.grid[2];
    Index const voxels = b.n[0] * b.n[1] * b.n[2];
    Complex<T> sum = write == Write::add ? z[i] : Complex<T>{0, 0};
    for (Index c = 0; c < coils; ++c) {
      Complex<T> const value = grid[c * cells + cell];
      sum = sum + (maps == nullptr ? value : times_conj(value, maps[c * voxels + i]));
    }
    z[i] = sum;
  }
};

template <class T>
class Plain final : public Product<T> {
 public:
  Plain(Session& session, CudaToeplitzRecord const& r)
      : session_(session),
        boxes_(boxes_of(r)),
        coils_(r.coils),
        batch_(coils_of_batch(r, sizeof(Complex<T>))),
        grid_(session, static_cast<std::size_t>(boxes_.cells() * batch_)),
        spectrum_(session, static_cast<std::size_t>(boxes_.cells())),
        fft_(session, transforms(boxes_, batch_, sizeof(T) == sizeof(double))) {}

  void set_spectrum(T const* spectrum) override {
    FINDRHO_CHECK(cudaMemcpyAsync(spectrum_.get(), spectrum, spectrum_.bytes(), cudaMemcpyDeviceToDevice,
                                  session_.stream));
  }

  void apply(Complex<T> const* x, Complex<T> const* maps, Complex<T>* z, CudaForm const*) override {
    cudaStream_t const stream = session_.stream;
    for (Index first = 0; first < coils_; first += batch_) {
      Index const count = std::min(batch_, coils_ - first), cells = boxes_.cells();
      Complex<T> const* const batch = maps == nullptr ? nullptr : maps + first * boxes_.voxels();
      launch_elements(stream, count * cells, Pad<T>{x, batch, grid_.get(), boxes_});
      fft_.run(grid_.get(), CUFFT_FORWARD);
      launch_elements(stream, count * cells, Scale<T>{spectrum_.get(), grid_.get(), cells});
      fft_.run(grid_.get(), CUFFT_INVERSE);
      launch_elements(
          stream, boxes_.voxels(),
          Crop<T>{grid_.get(), batch, z, boxes_, count, first == 0 ? Write::replace : Write::add});
    }
  }

 private:
  Session& session_;
  Boxes boxes_;
  Index coils_, batch_;
  Buffer<Complex<T>> grid_;
  Buffer<T> spectrum_;
  CufftPlan fft_;
};

}  // namespace

CudaToeplitzFacts describe_plain(Session& session, CudaToeplitzRecord const& r) {
  Boxes const b = boxes_of(r);
  Index const real = r.double_precision != 0 ? 8 : 4,
              batch = coils_of_batch(r, static_cast<std::size_t>(2 * real));
  std::size_t const work = CufftPlan::work_bytes(session, transforms(b, batch, r.double_precision != 0));
  return {.fused = 0,
          .grid = {b.grid[0], b.grid[1], b.grid[2]},
          .bytes = b.cells() * real * (1 + 2 * batch) + static_cast<Index>(work),
          .batch = static_cast<int>(batch),
          .slab = 0,
          .together = 0};
}

template <class T>
std::unique_ptr<Product<T>> make_plain(Session& session, CudaToeplitzRecord const& record) {
  return std::make_unique<Plain<T>>(session, record);
}
template std::unique_ptr<Product<float>> make_plain(Session&, CudaToeplitzRecord const&);
template std::unique_ptr<Product<double>> make_plain(Session&, CudaToeplitzRecord const&);

}  // namespace findrho::device
