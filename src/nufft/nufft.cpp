// SPDX-License-Identifier: BSD-3-Clause
// Nufft: samples <-> oversampled grid (gridding.hpp) <-> image (PrunedFft, which also divides by the kernel's
// transform).
#include "findrho/nufft/nufft.hpp"

#include <algorithm>
#include <functional>
#include <string>

#include "findrho/backend/fft.hpp"
#include "findrho/core/error.hpp"
#include "nufft/gridding.hpp"
#include "nufft/kernel.hpp"

namespace findrho {

using nufft::Design;
using nufft::Gridding;
using nufft::Layout;

namespace {

constexpr std::int64_t kGridMemory = std::int64_t{2} << 30;  // coils share a grid up to this size

/// Coils that go through the grid together when `left` remain: 1, 2, 4 or 8. Padding 3 to 4 or 6 to 8 with
/// zeros is cheaper than another pass.
template <class T>
int coil_block(std::int64_t left, Layout const& layout) {
  int block = left >= 6 ? 8 : left >= 3 ? 4 : static_cast<int>(left);
  while (block > 1 &&
         layout.cells() * block * static_cast<std::int64_t>(sizeof(std::complex<T>)) > kGridMemory) {
    block /= 2;
  }
  return block;
}

template <class T>
std::int64_t grid_elements(std::int64_t coils, Layout const& layout) {
  return coil_block<T>(coils, layout) * layout.cells();
}

void check(Trajectory const& t, Matrix const& m) {
  nufft::require_dims(t.dims, m);
  for (int d = 0; d < t.dims; ++d) {
    if (t[d].size() != t.kx.size()) {
      throw Error(ErrorKind::bad_shape, "the trajectory has " + std::to_string(t.kx.size()) + " kx and " +
                                            std::to_string(t[d].size()) + " values along another axis");
    }
  }
}

}  // namespace

template <class T>
struct Nufft<T>::Impl {
  Matrix matrix;
  Design design;
  Gridding<T> gridding;
  PrunedFft<T> fft;
  Array<C> grid;  // made at the first call, grown when more coils come

  Impl(Context const& context, Trajectory const& trajectory, Matrix const& m, Design const& d)
      : matrix(m),
        design(d),
        gridding(context, trajectory, m, d),
        fft(m, d.grid, context.threads(), deapodisation()) {}

  std::array<std::vector<T>, 3> deapodisation() const {
    std::array<std::vector<T>, 3> scale;
    for (int d = 0; d < design.dims; ++d) {
      if (d > 0 && matrix[d] == matrix[d - 1] && design.grid[d] == design.grid[d - 1]) {
        scale[static_cast<std::size_t>(d)] = scale[static_cast<std::size_t>(d - 1)];
        continue;
      }
      for (double const factor : nufft::deapodisation(gridding.kernel(), matrix[d], design.grid[d]))
        scale[static_cast<std::size_t>(d)].push_back(static_cast<T>(factor));
    }
    return scale;
  }

  void reserve(std::int64_t coils) {
    std::int64_t const elements = grid_elements<T>(coils, gridding.layout());
    if (grid.size() < elements) {
      grid = Array<C>();
      grid = Array<C>(Shape{{Axis::other, elements}});
    }
  }

  void require_fit(Shape const& image, Shape const& samples) const {
    std::int64_t const coils = image.extent(Axis::coil);
    if (coils < 1) throw Error(ErrorKind::bad_shape, "image has no coils");
    require_shape(image, matrix.shape(coils), "image");
    require_shape(samples, sample_shape(coils, gridding.samples()), "samples");
  }

  /// Calls f(first coil, coils in use, coils of the grid) for each pass over the grid.
  template <class F>
  void each_block(std::int64_t coils, F const& f) {
    reserve(coils);
    for (std::int64_t first = 0; first < coils;) {
      int const block = coil_block<T>(coils - first, gridding.layout());
      int const used = static_cast<int>(std::min<std::int64_t>(block, coils - first));
      f(first, used, block);
      first += used;
    }
  }
};

template <class T>
Nufft<T>::Nufft(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                NufftOptions const& options) {
  check(trajectory, matrix);
  Design const design = nufft::choose_design<T>(trajectory.size(), matrix, options);
  impl_ = std::make_unique<Impl>(context, trajectory, matrix, design);
}
template <class T>
Nufft<T>::~Nufft() = default;
template <class T>
Nufft<T>::Nufft(Nufft&&) noexcept = default;
template <class T>
Nufft<T>& Nufft<T>::operator=(Nufft&&) noexcept = default;

template <class T>
void Nufft<T>::forward(Context const& context, View<C const> image, View<C> samples, Write write) const {
  Impl& p = *impl_;
  p.require_fit(image.shape, samples.shape);
  p.each_block(image.shape.extent(Axis::coil), [&](std::int64_t first, int used, int coils) {
    C* const memory = p.grid.data();
    auto const fill = [&p, memory, coils](std::int64_t z) { p.gridding.fill_plane(memory, coils, z); };
    p.fft.forward(context, {image.data + first * p.matrix.voxels(), used}, p.gridding.view(memory, coils),
                  PlaneHook(std::ref(fill)));
    p.gridding.fill_margin_planes(context, memory, coils);
    p.gridding.interpolate(context, memory, coils, samples.data + first * p.gridding.samples(), used, write);
  });
}

template <class T>
void Nufft<T>::adjoint(Context const& context, View<C const> samples, View<C> image, Write write) const {
  Impl& p = *impl_;
  p.require_fit(image.shape, samples.shape);
  p.each_block(image.shape.extent(Axis::coil), [&](std::int64_t first, int used, int coils) {
    C* const memory = p.grid.data();
    auto const fold = [&p, memory, coils](std::int64_t z) { p.gridding.fold_plane(memory, coils, z); };
    p.gridding.spread(context, samples.data + first * p.gridding.samples(), used, memory, coils);
    p.fft.inverse(context, p.gridding.view(memory, coils), {image.data + first * p.matrix.voxels(), used},
                  write, PlaneHook(std::ref(fold)));
  });
}

template <class T>
void Nufft<T>::release_work() const {
  impl_->grid = Array<C>();
}

template <class T>
Matrix const& Nufft<T>::matrix() const {
  return impl_->matrix;
}
template <class T>
std::int64_t Nufft<T>::samples() const {
  return impl_->gridding.samples();
}
template <class T>
std::int64_t Nufft<T>::bytes(std::int64_t coils) const {
  std::int64_t const elements =
      std::max(impl_->grid.size(), grid_elements<T>(coils, impl_->gridding.layout()));
  return impl_->gridding.bytes() + impl_->fft.bytes() + elements * static_cast<std::int64_t>(sizeof(C));
}

template <class T>
std::string Nufft<T>::description() const {
  return nufft::describe(impl_->design);
}

template <class T>
std::int64_t nufft_bytes(std::int64_t samples, Matrix const& matrix, std::int64_t coils, int threads,
                         NufftOptions const& options) {
  Design const design = nufft::choose_design<T>(samples, matrix, options);
  Layout const layout(design.grid, design.dims, design.width);
  return Gridding<T>::bytes(samples, layout) + PrunedFft<T>::bytes(matrix, design.grid, threads) +
         grid_elements<T>(coils, layout) * static_cast<std::int64_t>(sizeof(std::complex<T>));
}

template class Nufft<float>;
template class Nufft<double>;
template std::int64_t nufft_bytes<float>(std::int64_t, Matrix const&, std::int64_t, int, NufftOptions const&);
template std::int64_t nufft_bytes<double>(std::int64_t, Matrix const&, std::int64_t, int,
                                          NufftOptions const&);

}  // namespace findrho
