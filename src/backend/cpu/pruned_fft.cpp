// SPDX-License-Identifier: BSD-3-Clause
// PrunedFft: passes over the axes of a grid, each a loop over batches of lines (line_fft.hpp).
// Order: z, then y and x of a plane while it is in cache; the inverse runs backwards.
#include <algorithm>

#include "backend/cpu/line_fft.hpp"
#include "findrho/backend/fft.hpp"
#include "findrho/core/error.hpp"

namespace findrho {

using cpu::kLines;
using cpu::LineBatch;
using cpu::LinePlan;
using cpu::LineSide;
using cpu::transform_lines;

std::int64_t good_size(std::int64_t n) {
  auto const smooth = [](std::int64_t m) {
    for (int factor : {2, 3, 5}) {
      while (m % factor == 0) m /= factor;
    }
    return m == 1;
  };
  std::int64_t size = std::max<std::int64_t>(2, n + n % 2);
  while (!smooth(size)) size += 2;
  return size;
}

template <class T>
struct PrunedFft<T>::Impl {
  static constexpr int L = kLines<T>;
  Matrix box, grid;
  int slots;
  std::array<std::vector<T>, 3> scale;
  std::array<LinePlan<T>, 3> plan;
  std::array<std::int64_t, 3> start;  // cell of box voxel 0
  std::int64_t scratch_size;
  Array<T> scratch;                                       // one piece per slot
  static constexpr int kBlockX = L / 2, kBlockCoils = 8;  // a cache line of voxels, of up to eight coils
  Array<C> blocks;                                        // (slot, z, coil, x): image columns on their way

  Impl(Matrix const& box_, Matrix const& grid_, int threads, std::array<std::vector<T>, 3> scale_)
      : box(box_),
        grid(grid_),
        slots(std::max(threads, 1)),
        scale(std::move(scale_)),
        plan{LinePlan<T>(grid.x), LinePlan<T>(grid.y), LinePlan<T>(grid.z)} {
    scratch_size = 0;
    for (std::size_t d = 0; d < 3; ++d) {
      std::int64_t const n = box[static_cast<int>(d)], g = grid[static_cast<int>(d)];
      if (n < 1 || n > g) {
        throw Error(ErrorKind::bad_shape, "a box of " + std::to_string(n) +
                                              " voxels does not fit a grid of " + std::to_string(g) +
                                              " cells");
      }
      start[d] = (g - n / 2) % g;
      scratch_size = std::max(scratch_size, plan[d].scratch());
      if (scale[d].empty()) scale[d].assign(static_cast<std::size_t>(n), T(1));
    }
    scratch = Array<T>(Shape{{Axis::other, slots}, {Axis::other, scratch_size}});
    if (grid.z > 1) blocks = Array<C>(Shape{{Axis::other, slots}, {Axis::other, block_size(box)}});
  }
  static std::int64_t block_size(Matrix const& box) { return box.z * kBlockCoils * kBlockX; }

  T* scratch_of(std::int64_t slot) { return scratch.data() + slot * scratch_size; }
  LineSide<T> side(C* data, std::int64_t stride, int axis, bool whole) const {
    LineSide<T> s{};
    s.data = reinterpret_cast<T*>(data);
    s.stride = stride;
    s.count = whole ? grid[axis] : box[axis];
    s.start = whole ? 0 : start[static_cast<std::size_t>(axis)];
    return s;
  }
  /// Where the voxels of some neighbouring columns are: voxel x of a coil at data[coil * coil_stride + x - x0].
  struct Columns {
    C* data;
    std::int64_t x0, coil_stride, stride;  // stride: along the axis of the transform
    int count;                             // coils that there are
  };
  /// Lanes first, first + 1, ... < end of a row of (x, coil) pairs, as the image has them; returns how many there are.
  int image_lanes(LineSide<T>& voxels, Columns const& columns, std::int64_t first, std::int64_t end,
                  int coils) const {
    int const lanes = static_cast<int>(std::min<std::int64_t>(L, end - first));
    voxels.run = coils == 1 ? L : 1;
    for (int l = 0; l < lanes; ++l) {
      std::int64_t const x = (first + l) / coils, coil = (first + l) % coils;
      voxels.offset[l] = coil < columns.count ? coil * columns.coil_stride + x - columns.x0 : -1;
    }
    return lanes;
  }
  /// The same lanes on the side of the grid, where coils are innermost.
  static void grid_lanes(LineSide<T>& cells, std::int64_t first, int lanes) {
    cells.run = L;
    for (int l = 0; l < lanes; ++l) cells.offset[l] = first + l;
  }
  /// Scale factors of those lanes, times a factor common to all.
  void scale_lanes(T common, std::int64_t first, int lanes, int coils, T* factors) const {
    for (int l = 0; l < lanes; ++l)
      factors[l] = common * scale[0][static_cast<std::size_t>((first + l) / coils)];
  }

  /// Lanes first, ..., end - 1 between image columns and a row of the grid's columns, batch by batch.
  void image_batches(std::int64_t slot, int axis, Columns const& columns, GridView<T> row,
                     std::int64_t grid_stride, std::int64_t first, std::int64_t end, T common_scale,
                     bool inverse, Write write) {
    int const coils = row.coils;
    LineSide<T> voxels = side(columns.data, columns.stride, axis, false);
    LineSide<T> cells = side(row.origin, grid_stride * coils, axis, true);
    T lane_scale[kLines<T>] = {};
    for (; first < end; first += L) {
      int const lanes = image_lanes(voxels, columns, first, end, coils);
      grid_lanes(cells, first, lanes);
      scale_lanes(common_scale, first, lanes, coils, lane_scale);
      transform_lines(plan[static_cast<std::size_t>(axis)],
                      LineBatch<T>{.from = inverse ? cells : voxels,
                                   .to = inverse ? voxels : cells,
                                   .lanes = lanes,
                                   .inverse = inverse,
                                   .write = write,
                                   .element_scale = scale[static_cast<std::size_t>(axis)].data(),
                                   .lane_scale = lane_scale},
                      scratch_of(slot));
    }
  }

  // The z axis of one row y: image voxels on one side, the box part of every grid plane on the other.
  void z_row(std::int64_t slot, std::int64_t y, BoxView<C> image, GridView<T> work, bool inverse,
             Write write) {
    int const coils = work.coils;
    GridView<T> row = work;
    row.origin += y * work.row * coils;
    Columns const whole{image.data + y * box.x, 0, box.voxels(), box.x * box.y, image.count};
    T const common = scale[1][static_cast<std::size_t>(y)];
    if (coils == 1 || coils > kBlockCoils) {
      image_batches(slot, 2, whole, row, work.plane, 0, box.x * coils, common, inverse, write);
      return;
    }
    // A batch takes a few voxels of each coil. Taken from the image, every cache line would be fetched several times,
    // and lines a plane or a coil apart share one set of the cache where sizes are powers of two: copy whole lines.
    C* const block = blocks.data() + slot * block_size(box);
    for (std::int64_t x = 0; x < box.x; x += kBlockX) {
      std::int64_t const width = std::min<std::int64_t>(kBlockX, box.x - x);
      Columns const columns{block, x, kBlockX, kBlockX * kBlockCoils, image.count};
      if (!inverse) copy_block(whole, x, width, block, false, Write::replace);
      image_batches(slot, 2, columns, row, work.plane, x * coils, (x + width) * coils, common, inverse,
                    Write::replace);
      if (inverse) copy_block(whole, x, width, block, true, write);
    }
  }

  void copy_block(Columns const& image, std::int64_t x, std::int64_t width, C* block, bool to_image,
                  Write write) const {
    for (std::int64_t z = 0; z < box.z; ++z) {
      for (int c = 0; c < image.count; ++c) {
        C* const voxels = image.data + z * image.stride + c * image.coil_stride + x;
        C* const packed = block + (z * kBlockCoils + c) * kBlockX;
        if (!to_image) {
          std::copy_n(voxels, width, packed);
        } else if (write == Write::replace) {
          std::copy_n(packed, width, voxels);
        } else {
          for (std::int64_t i = 0; i < width; ++i) voxels[i] += packed[i];
        }
      }
    }
  }

  // The y axis for one batch of columns of the only plane of a 2D grid, straight from or to the image.
  void y_image_batch(std::int64_t slot, std::int64_t first, BoxView<C> image, GridView<T> plane, bool inverse,
                     Write write) {
    Columns const columns{image.data, 0, box.voxels(), box.x, image.count};
    std::int64_t const end = std::min(first + L, box.x * plane.coils);
    image_batches(slot, 1, columns, plane, plane.row, first, end, scale[2][0], inverse, write);
  }

  // The y axis for one batch of neighbouring columns of a plane, in place.
  void y_batch(std::int64_t slot, std::int64_t first, GridView<T> plane, bool inverse) {
    int const coils = plane.coils, lanes = static_cast<int>(std::min<std::int64_t>(L, box.x * coils - first));
    LineSide<T> short_side = side(plane.origin, plane.row * coils, 1, false);
    LineSide<T> long_side = side(plane.origin, plane.row * coils, 1, true);
    grid_lanes(short_side, first, lanes);
    grid_lanes(long_side, first, lanes);
    transform_lines(plan[1],
                    LineBatch<T>{.from = inverse ? long_side : short_side,
                                 .to = inverse ? short_side : long_side,
                                 .lanes = lanes,
                                 .inverse = inverse},
                    scratch_of(slot));
  }

  // The x axis for one batch of (row, coil) pairs of a plane, in place.
  void x_batch(std::int64_t slot, std::int64_t first, GridView<T> plane, bool inverse) {
    int const coils = plane.coils,
              lanes = static_cast<int>(std::min<std::int64_t>(L, grid.y * coils - first));
    LineSide<T> short_side = side(plane.origin, coils, 0, false),
                long_side = side(plane.origin, coils, 0, true);
    for (int l = 0; l < lanes; ++l) {
      short_side.offset[l] = long_side.offset[l] =
          (first + l) / coils * plane.row * coils + (first + l) % coils;
    }
    short_side.run = long_side.run = L % coils == 0 ? coils : 1;
    transform_lines(plan[0],
                    LineBatch<T>{.from = inverse ? long_side : short_side,
                                 .to = inverse ? short_side : long_side,
                                 .lanes = lanes,
                                 .inverse = inverse},
                    scratch_of(slot));
  }

  std::int64_t plane_slots() const { return std::min<std::int64_t>(slots, grid.z); }
  // One plane at a time leaves the threads to the loops within the plane.
  std::int64_t inner_slots() const { return plane_slots() == 1 ? slots : 1; }
  static std::int64_t batches(std::int64_t lines) { return (lines + L - 1) / L; }

  void y_pass(ThreadPool& pool, std::int64_t slot, GridView<T> plane, bool inverse) {
    pool.each_in_slots(inner_slots(), batches(box.x * plane.coils), [&](std::int64_t inner, std::int64_t b) {
      y_batch(slot + inner, b * L, plane, inverse);
    });
  }
  void y_image_pass(ThreadPool& pool, BoxView<C> image, GridView<T> plane, bool inverse, Write write) {
    pool.each_in_slots(slots, batches(box.x * plane.coils), [&](std::int64_t slot, std::int64_t b) {
      y_image_batch(slot, b * L, image, plane, inverse, write);
    });
  }
  void x_pass(ThreadPool& pool, std::int64_t slot, GridView<T> plane, bool inverse) {
    pool.each_in_slots(inner_slots(), batches(grid.y * plane.coils), [&](std::int64_t inner, std::int64_t b) {
      x_batch(slot + inner, b * L, plane, inverse);
    });
  }
  void z_pass(ThreadPool& pool, BoxView<C> image, GridView<T> work, bool inverse, Write write) {
    pool.each_in_slots(slots, box.y, [&](std::int64_t slot, std::int64_t y) {
      z_row(slot, y, image, work, inverse, write);
    });
  }
  bool flat() const { return grid.z == 1; }
};

namespace {
template <class T>
GridView<T> plane_of(GridView<T> grid, std::int64_t z) {
  grid.origin += z * grid.plane * grid.coils;
  return grid;
}
// The side that a transform starts from is only read.
template <class T>
BoxView<std::complex<T>> as_writable(BoxView<std::complex<T> const> box) {
  return {const_cast<std::complex<T>*>(box.data), box.count};
}
}  // namespace

template <class T>
PrunedFft<T>::PrunedFft(Matrix const& box, Matrix const& grid, int threads,
                        std::array<std::vector<T>, 3> scale)
    : impl_(std::make_unique<Impl>(box, grid, threads, std::move(scale))) {}
template <class T>
PrunedFft<T>::~PrunedFft() = default;
template <class T>
PrunedFft<T>::PrunedFft(PrunedFft&&) noexcept = default;
template <class T>
PrunedFft<T>& PrunedFft<T>::operator=(PrunedFft&&) noexcept = default;

template <class T>
void PrunedFft<T>::forward(Context const& context, BoxView<C const> box, GridView<T> grid,
                           PlaneHook const& after_plane) const {
  Impl& p = *impl_;
  ThreadPool& pool = context.pool();
  BoxView<C> const image = as_writable<T>(box);
  if (!p.flat()) p.z_pass(pool, image, grid, false, Write::replace);
  pool.each_in_slots(p.plane_slots(), p.grid.z, [&](std::int64_t slot, std::int64_t z) {
    GridView<T> const plane = plane_of(grid, z);
    if (p.flat()) {
      p.y_image_pass(pool, image, plane, false, Write::replace);
    } else {
      p.y_pass(pool, slot, plane, false);
    }
    p.x_pass(pool, slot, plane, false);
    if (after_plane) after_plane(z);
  });
}

template <class T>
void PrunedFft<T>::inverse(Context const& context, GridView<T> grid, BoxView<C> box, Write write,
                           PlaneHook const& before_plane) const {
  Impl& p = *impl_;
  ThreadPool& pool = context.pool();
  pool.each_in_slots(p.plane_slots(), p.grid.z, [&](std::int64_t slot, std::int64_t z) {
    if (before_plane) before_plane(z);
    GridView<T> const plane = plane_of(grid, z);
    p.x_pass(pool, slot, plane, true);
    if (p.flat()) {
      p.y_image_pass(pool, box, plane, true, write);
    } else {
      p.y_pass(pool, slot, plane, true);
    }
  });
  if (!p.flat()) p.z_pass(pool, box, grid, true, write);
}

template <class T>
Matrix const& PrunedFft<T>::box() const {
  return impl_->box;
}
template <class T>
Matrix const& PrunedFft<T>::grid() const {
  return impl_->grid;
}
template <class T>
int PrunedFft<T>::threads() const {
  return impl_->slots;
}

template <class T>
std::int64_t PrunedFft<T>::bytes(Matrix const& box, Matrix const& grid, int threads) {
  std::int64_t elements = 0, scratch = 0;
  for (int d = 0; d < 3; ++d) {
    LinePlan<T> const plan(grid[d]);
    elements += static_cast<std::int64_t>(plan.twiddles.size()) + box[d];
    scratch = std::max(scratch, plan.scratch());
  }
  if (grid.z > 1) scratch += 2 * Impl::block_size(box);
  return (elements + scratch * std::max(threads, 1)) * static_cast<std::int64_t>(sizeof(T));
}

template class PrunedFft<float>;
template class PrunedFft<double>;

}  // namespace findrho
