// SPDX-License-Identifier: BSD-3-Clause
// The product with Q, one sweep forward and one back over memory: z to kz for columns of L voxels along x;
// then, a plane kz at a time while it is in cache, y to ky, the convolution along x, and ky back to y; then
// kz back to z. In 2D the plane is all there is. Coils of a block follow each other within a task, so that
// the task's part of the spectrum is read once for all.
#include <algorithm>
#include <utility>

#include "findrho/operator/toeplitz.hpp"
#include "operator/toeplitz_layout.hpp"

namespace findrho {

using lanes::LaneFft;

namespace {

template <class T>
std::int64_t coil_work_size(Matrix const& matrix) {
  ToeplitzLayout<T> const layout(matrix, matrix.x);
  return matrix.z > 1 ? layout.grid.z * layout.plane_stride(matrix.y) : layout.lines_size();
}

template <class T>
std::int64_t slot_size(Matrix const& matrix) {
  ToeplitzLayout<T> const layout(matrix, matrix.x);
  std::int64_t const column = std::max(matrix.y, matrix.z) * layout.kRow;
  return layout.tile_size() + 2 * column + (matrix.z > 1 ? layout.lines_size() : 0);
}

/// Coils that share a sweep: blocks of equal size, as few as the memory allows.
template <class T>
std::int64_t coils_per_block(Matrix const& matrix, std::int64_t coils, std::int64_t memory_bytes) {
  std::int64_t const bytes = coil_work_size<T>(matrix) * static_cast<std::int64_t>(sizeof(T));
  std::int64_t const most = std::clamp<std::int64_t>(memory_bytes / bytes, 1, coils);
  std::int64_t const blocks = (coils + most - 1) / most;
  return (coils + blocks - 1) / blocks;
}

}  // namespace

template <class T>
struct ToeplitzNormal<T>::Impl {
  using Layout = ToeplitzLayout<T>;
  static constexpr std::int64_t L = Layout::L, kRow = Layout::kRow;

  // Columns beyond the last-level cache: 128^3, 8 coils 37.3 -> 34.8 ms each (one thread of an EPYC Zen 4). Smaller ones stay
  // there: 30 iterations of 64 x 64 x 16 with 4 coils, whose columns have 4 MiB, take 80 ms streamed and 75 ms not.
  static constexpr std::int64_t kStreamed = (std::int64_t{16} << 20) / static_cast<std::int64_t>(sizeof(T));

  std::shared_ptr<ToeplitzKernel<T> const> kernel;
  View<C const> maps;
  Matrix matrix;
  Layout layout;
  std::int64_t coils, block, coil_size,
      scratch_size;  // coils of a block; elements of T per coil and per slot
  lanes::Destination columns_go;
  LaneFft<T> fft_x, fft_y, fft_z;
  lanes::LaneKernels<T> const kernels = lanes::lane_kernels<T>();
  std::int64_t slots = 0;
  Array<T> scratch, work;

  Impl(std::shared_ptr<ToeplitzKernel<T> const> kernel_, View<C const> maps_, std::int64_t memory_bytes)
      : kernel(std::move(kernel_)),
        maps(maps_),
        matrix(kernel->matrix()),
        layout(matrix, matrix.x),
        coils(maps.data == nullptr ? 1 : maps.shape.extent(Axis::coil)),
        block(coils_per_block<T>(matrix, coils, memory_bytes)),
        coil_size(coil_work_size<T>(matrix)),
        scratch_size(slot_size<T>(matrix)),
        columns_go(block * coil_size >= kStreamed ? lanes::Destination::memory : lanes::Destination::caches),
        fft_x(layout.grid.x),
        fft_y(layout.grid.y),
        fft_z(std::max<std::int64_t>(layout.grid.z, 8)) {}

  void reserve(int threads) {
    if (work.empty()) work = Array<T>({{Axis::coil, block}, {Axis::other, coil_size}});
    if (slots >= threads) return;
    slots = threads;
    scratch = Array<T>({{Axis::other, slots}, {Axis::other, scratch_size}});
  }

  // The parts of a slot's scratch.
  T* tile(std::int64_t slot) { return scratch.data() + slot * scratch_size; }
  T* column(std::int64_t slot) { return tile(slot) + layout.tile_size(); }
  T* sum(std::int64_t slot) { return column(slot) + std::max(matrix.y, matrix.z) * kRow; }
  T* plane_lines(std::int64_t slot) { return sum(slot) + std::max(matrix.y, matrix.z) * kRow; }

  T* coil_work(std::int64_t c) { return work.data() + c * coil_size; }
  T* columns(std::int64_t c, std::int64_t kz, std::int64_t t, std::int64_t y) {
    return coil_work(c) + kz * layout.plane_stride(matrix.y) + (t * matrix.y + y) * kRow;
  }
  std::int64_t voxel(std::int64_t z, std::int64_t y, std::int64_t t) const {
    return (z * matrix.y + y) * matrix.x + t * L;
  }
  /// The map of tile t's columns from a voxel on, whose rows are `step` voxels apart.
  lanes::Map<T> map(std::int64_t coil, std::int64_t voxel_index, std::int64_t step, std::int64_t t) const {
    if (maps.data == nullptr) return {};
    return {reinterpret_cast<T const*>(maps.data + coil * matrix.voxels() + voxel_index), 2 * step,
            Layout::lanes_of(t, matrix.x)};
  }

  struct Coils {
    std::int64_t first, count;
  };

  // In 2D: y to ky of every x tile and coil, straight from the image.
  void image_to_lines(Context const& context, C const* image, Coils c) {
    context.pool().each_in_slots(slots, layout.x_tiles, [&](std::int64_t slot, std::int64_t t) {
      std::int64_t const count = Layout::lanes_of(t, matrix.x);
      for (std::int64_t y = 0; y < matrix.y; ++y) {
        lanes::fetch_row(reinterpret_cast<T const*>(image + voxel(0, y + lanes::kRowsAhead, t)));
        kernels.pack(reinterpret_cast<T const*>(image + voxel(0, y, t)), count, column(slot) + y * kRow);
      }
      for (std::int64_t i = 0; i < c.count; ++i) {
        kernels.forward_of_coil(fft_y, {column(slot), kRow, matrix.y},
                                map(c.first + i, voxel(0, 0, t), matrix.x, t), tile(slot),
                                {tile(slot), kRow, fft_y.size}, lanes::Destination::caches);
        tile_to_lines(tile(slot), coil_work(i), t);
      }
    });
  }

  void lines_to_image(Context const& context, C* image, Coils c, Write write) {
    context.pool().each_in_slots(slots, layout.x_tiles, [&](std::int64_t slot, std::int64_t t) {
      std::int64_t const count = Layout::lanes_of(t, matrix.x);
      std::fill_n(sum(slot), matrix.y * kRow, T(0));
      for (std::int64_t i = 0; i < c.count; ++i) {
        lines_to_tile(coil_work(i), t, tile(slot));
        kernels.add_inverse_of_coil(fft_y, {tile(slot), kRow, fft_y.size}, tile(slot),
                                    map(c.first + i, voxel(0, 0, t), matrix.x, t),
                                    {sum(slot), kRow, matrix.y});
      }
      for (std::int64_t y = 0; y < matrix.y; ++y) {
        lanes::fetch_row(reinterpret_cast<T const*>(image + voxel(0, y + lanes::kRowsAhead, t)));
        kernels.unpack(sum(slot) + y * kRow, count, write, reinterpret_cast<T*>(image + voxel(0, y, t)));
      }
    });
  }

  // In 3D: z to kz of every column and coil, and back.
  void image_to_columns(Context const& context, C const* image, Coils c) {
    context.pool().each_in_slots(slots, layout.x_tiles * matrix.y, [&](std::int64_t slot, std::int64_t task) {
      std::int64_t const t = task / matrix.y, y = task % matrix.y, count = Layout::lanes_of(t, matrix.x);
      for (std::int64_t z = 0; z < matrix.z; ++z) {
        kernels.pack(reinterpret_cast<T const*>(image + voxel(z, y, t)), count, column(slot) + z * kRow);
      }
      for (std::int64_t i = 0; i < c.count; ++i) {
        kernels.forward_of_coil(fft_z, {column(slot), kRow, matrix.z},
                                map(c.first + i, voxel(0, y, t), matrix.y * matrix.x, t), tile(slot),
                                {columns(i, 0, t, y), layout.plane_stride(matrix.y), fft_z.size}, columns_go);
      }
    });
  }

  void columns_to_image(Context const& context, C* image, Coils c, Write write) {
    context.pool().each_in_slots(slots, layout.x_tiles * matrix.y, [&](std::int64_t slot, std::int64_t task) {
      std::int64_t const t = task / matrix.y, y = task % matrix.y, count = Layout::lanes_of(t, matrix.x);
      std::fill_n(sum(slot), matrix.z * kRow, T(0));
      for (std::int64_t i = 0; i < c.count; ++i) {
        kernels.add_inverse_of_coil(fft_z, {columns(i, 0, t, y), layout.plane_stride(matrix.y), fft_z.size},
                                    tile(slot), map(c.first + i, voxel(0, y, t), matrix.y * matrix.x, t),
                                    {sum(slot), kRow, matrix.z});
      }
      for (std::int64_t z = 0; z < matrix.z; ++z) {
        kernels.unpack(sum(slot) + z * kRow, count, write, reinterpret_cast<T*>(image + voxel(z, y, t)));
      }
    });
  }

  // The tile of rows along ky of x tile t to lines along x, and back.
  void tile_to_lines(T const* tile_, T* lines, std::int64_t t) {
    kernels.tile_to_lines(tile_, fft_y.size, lines + t * L * layout.line_stride, layout.line_stride);
  }
  void lines_to_tile(T const* lines, std::int64_t t, T* tile_) {
    kernels.lines_to_tile(lines + t * L * layout.line_stride, layout.line_stride, tile_, fft_y.size);
  }

  void convolve_x(T* lines, std::int64_t kz, std::int64_t ky_tile, T* tile_) {
    T* const rows = lines + ky_tile * kRow;
    T const* const spectrum =
        kernel->spectrum().data + kz * layout.spectrum_plane() + ky_tile * layout.grid.x * L;
    kernels.convolve(fft_x, {rows, layout.line_stride, matrix.x}, spectrum, tile_,
                     {rows, layout.line_stride, matrix.x});
  }

  void convolve_plane(std::int64_t slot, std::int64_t kz, std::int64_t coil) {
    T* const lines = plane_lines(slot);
    for (std::int64_t t = 0; t < layout.x_tiles; ++t) {
      kernels.forward(fft_y, {columns(coil, kz, t, 0), kRow, matrix.y}, tile(slot));
      tile_to_lines(tile(slot), lines, t);
    }
    for (std::int64_t t = 0; t < layout.ky_tiles; ++t) convolve_x(lines, kz, t, tile(slot));
    for (std::int64_t t = 0; t < layout.x_tiles; ++t) {
      lines_to_tile(lines, t, tile(slot));
      kernels.inverse(fft_y, tile(slot), {columns(coil, kz, t, 0), kRow, matrix.y});
    }
  }

  void product_2d(Context const& context, C const* x, C* z, Coils c, Write write) {
    image_to_lines(context, x, c);
    context.pool().each_in_slots(slots, layout.ky_tiles, [&](std::int64_t slot, std::int64_t t) {
      for (std::int64_t i = 0; i < c.count; ++i) convolve_x(coil_work(i), 0, t, tile(slot));
    });
    lines_to_image(context, z, c, write);
  }

  void product_3d(Context const& context, C const* x, C* z, Coils c, Write write) {
    image_to_columns(context, x, c);
    context.pool().each_in_slots(slots, layout.grid.z, [&](std::int64_t slot, std::int64_t kz) {
      for (std::int64_t i = 0; i < c.count; ++i) convolve_plane(slot, kz, i);
    });
    columns_to_image(context, z, c, write);
  }
};

template <class T>
ToeplitzNormal<T>::ToeplitzNormal(std::shared_ptr<ToeplitzKernel<T> const> kernel, View<C const> maps,
                                  std::int64_t memory_bytes)
    : LinearOperator<T>(kernel->matrix().shape(), kernel->matrix().shape()) {
  if (maps.data != nullptr) {
    require_shape(maps.shape, kernel->matrix().shape(maps.shape.extent(Axis::coil)), "coil maps");
  }
  impl_ = std::make_unique<Impl>(std::move(kernel), maps, memory_bytes);
}

template <class T>
ToeplitzNormal<T>::~ToeplitzNormal() = default;

template <class T>
void ToeplitzNormal<T>::do_forward(Context const& context, View<C const> x, View<C> z, Write write) const {
  Impl& p = *impl_;
  p.reserve(context.threads());
  for (std::int64_t first = 0; first < p.coils; first += p.block) {
    typename Impl::Coils const c{first, std::min(p.block, p.coils - first)};
    Write const block_write = first == 0 ? write : Write::add;
    if (p.matrix.z > 1) {
      p.product_3d(context, x.data, z.data, c, block_write);
    } else {
      p.product_2d(context, x.data, z.data, c, block_write);
    }
  }
}

template <class T>
void ToeplitzNormal<T>::do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const {
  do_forward(context, y, x, write);
}

template <class T>
std::int64_t toeplitz_work_bytes(Matrix const& matrix, std::int64_t coils, int threads,
                                 std::int64_t memory_bytes) {
  std::int64_t const elements = coils_per_block<T>(matrix, coils, memory_bytes) * coil_work_size<T>(matrix) +
                                threads * slot_size<T>(matrix);
  return elements * static_cast<std::int64_t>(sizeof(T));
}

template class ToeplitzNormal<float>;
template class ToeplitzNormal<double>;
template std::int64_t toeplitz_work_bytes<float>(Matrix const&, std::int64_t, int, std::int64_t);
template std::int64_t toeplitz_work_bytes<double>(Matrix const&, std::int64_t, int, std::int64_t);

}  // namespace findrho
