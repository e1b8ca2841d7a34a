// SPDX-License-Identifier: BSD-3-Clause
// PrunedFft: passes over the axes of a grid, each a loop over batches of lines (line_fft.hpp).
// Order: z, then y and x of a plane while it is in cache; the inverse runs backwards.
#include <algorithm>
#include <atomic>
#include <mutex>

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

namespace {

/// f(slot, task) for every task; no two tasks run in one slot at a time, so a slot can own scratch memory.
template <class F>
void each_in_slots(ThreadPool& pool, std::int64_t slots, std::int64_t tasks, F const& f) {
  std::atomic<std::int64_t> next{0};
  pool.each(std::min(slots, tasks), [&](std::int64_t slot) {
    for (std::int64_t task; (task = next.fetch_add(1, std::memory_order_relaxed)) < tasks;) f(slot, task);
  });
}

}  // namespace

template <class T>
struct PrunedFft<T>::Impl {
  static constexpr int L = kLines<T>;
  Matrix box, grid;
  int slots;
  std::array<std::vector<T>, 3> scale;
  std::array<LinePlan<T>, 3> plan;
  std::array<std::int64_t, 3> start;  // cell of box voxel 0
  std::int64_t scratch_size;
  Array<T> scratch;  // one piece per slot

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
  }

  T* scratch_of(std::int64_t slot) { return scratch.data() + slot * scratch_size; }
  LineSide<T> side(C* data, std::int64_t stride, int axis, bool whole) const {
    LineSide<T> s;
    s.data = reinterpret_cast<T*>(data);
    s.stride = stride;
    s.count = whole ? grid[axis] : box[axis];
    s.start = whole ? 0 : start[static_cast<std::size_t>(axis)];
    return s;
  }
  static LineSide<T const> read_only(LineSide<T> const& s) {
    LineSide<T const> r;
    r.data = s.data;
    r.stride = s.stride;
    r.count = s.count;
    r.start = s.start;
    r.run = s.run;
    std::copy(std::begin(s.offset), std::end(s.offset), std::begin(r.offset));
    return r;
  }

  // The z axis of one row y: image voxels on one side, the box part of every grid plane on the other.
  void z_row(std::int64_t slot, std::int64_t y, BoxView<C> image, GridView<T> work, bool inverse,
             Write write) {
    std::int64_t const width = box.x * work.coils;
    T lane_scale[kLines<T>] = {};
    for (std::int64_t first = 0; first < width; first += L) {
      LineSide<T> voxels = side(image.data, box.x * box.y, 2, false);
      LineSide<T> cells = side(work.origin, work.plane * work.coils, 2, true);
      int const lanes = static_cast<int>(std::min<std::int64_t>(L, width - first));
      voxels.run = work.coils == 1 ? L : 1;
      cells.run = L;
      for (int l = 0; l < lanes; ++l) {
        std::int64_t const x = (first + l) / work.coils, coil = (first + l) % work.coils;
        voxels.offset[l] = coil < image.count ? coil * box.voxels() + y * box.x + x : -1;
        cells.offset[l] = y * work.row * work.coils + first + l;
        lane_scale[l] = scale[1][static_cast<std::size_t>(y)] * scale[0][static_cast<std::size_t>(x)];
      }
      LineBatch<T> batch{.from = read_only(inverse ? cells : voxels),
                         .to = inverse ? voxels : cells,
                         .lanes = lanes,
                         .inverse = inverse,
                         .write = write,
                         .element_scale = scale[2].data(),
                         .lane_scale = lane_scale};
      transform_lines(plan[2], batch, scratch_of(slot));
    }
  }

  // The y axis for one batch of neighbouring columns of a plane; the two sides may be the same memory.
  void y_batch(std::int64_t slot, std::int64_t first, int coils, C* box_side, std::int64_t box_row,
               C* grid_side, std::int64_t grid_row, bool inverse) {
    LineSide<T> short_side = side(box_side, box_row * coils, 1, false);
    LineSide<T> long_side = side(grid_side, grid_row * coils, 1, true);
    int const lanes = static_cast<int>(std::min<std::int64_t>(L, box.x * coils - first));
    for (int l = 0; l < lanes; ++l) short_side.offset[l] = long_side.offset[l] = first + l;
    short_side.run = long_side.run = L;
    LineBatch<T> const batch{.from = read_only(inverse ? long_side : short_side),
                             .to = inverse ? short_side : long_side,
                             .lanes = lanes,
                             .inverse = inverse};
    transform_lines(plan[1], batch, scratch_of(slot));
  }

  // The x axis for one batch of (row, coil) pairs of a plane, in place.
  void x_batch(std::int64_t slot, std::int64_t first, GridView<T> plane, bool inverse) {
    int const coils = plane.coils;
    LineSide<T> short_side = side(plane.origin, coils, 0, false),
                long_side = side(plane.origin, coils, 0, true);
    int const lanes = static_cast<int>(std::min<std::int64_t>(L, grid.y * coils - first));
    for (int l = 0; l < lanes; ++l) {
      short_side.offset[l] = long_side.offset[l] =
          (first + l) / coils * plane.row * coils + (first + l) % coils;
    }
    short_side.run = long_side.run = L % coils == 0 ? coils : 1;
    LineBatch<T> const batch{.from = read_only(inverse ? long_side : short_side),
                             .to = inverse ? short_side : long_side,
                             .lanes = lanes,
                             .inverse = inverse};
    transform_lines(plan[0], batch, scratch_of(slot));
  }

  std::int64_t plane_slots() const { return std::min<std::int64_t>(slots, grid.z); }
  // One plane at a time leaves the threads to the loops within the plane.
  std::int64_t inner_slots() const { return plane_slots() == 1 ? slots : 1; }
  static std::int64_t batches(std::int64_t lines) { return (lines + L - 1) / L; }

  void y_pass(ThreadPool& pool, std::int64_t slot, int coils, C* box_side, std::int64_t box_row, C* grid_side,
              std::int64_t grid_row, bool inverse) {
    each_in_slots(pool, inner_slots(), batches(box.x * coils), [&](std::int64_t inner, std::int64_t b) {
      y_batch(slot + inner, b * L, coils, box_side, box_row, grid_side, grid_row, inverse);
    });
  }
  void x_pass(ThreadPool& pool, std::int64_t slot, GridView<T> plane, bool inverse) {
    each_in_slots(pool, inner_slots(), batches(grid.y * plane.coils),
                  [&](std::int64_t inner, std::int64_t b) { x_batch(slot + inner, b * L, plane, inverse); });
  }
  void z_pass(ThreadPool& pool, BoxView<C> image, GridView<T> work, bool inverse, Write write) {
    each_in_slots(pool, slots, box.y,
                  [&](std::int64_t slot, std::int64_t y) { z_row(slot, y, image, work, inverse, write); });
  }
};

namespace {
template <class T>
GridView<T> plane_of(GridView<T> grid, std::int64_t z) {
  grid.origin += z * grid.plane * grid.coils;
  return grid;
}
// The z pass of the forward transform only reads its box.
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
  p.z_pass(pool, as_writable<T>(box), grid, false, Write::replace);
  each_in_slots(pool, p.plane_slots(), p.grid.z, [&](std::int64_t slot, std::int64_t z) {
    GridView<T> const plane = plane_of(grid, z);
    p.y_pass(pool, slot, grid.coils, plane.origin, plane.row, plane.origin, plane.row, false);
    p.x_pass(pool, slot, plane, false);
    if (after_plane) after_plane(z);
  });
}

template <class T>
void PrunedFft<T>::inverse(Context const& context, GridView<T> grid, BoxView<C> box, Write write,
                           PlaneHook const& before_plane) const {
  Impl& p = *impl_;
  ThreadPool& pool = context.pool();
  each_in_slots(pool, p.plane_slots(), p.grid.z, [&](std::int64_t slot, std::int64_t z) {
    if (before_plane) before_plane(z);
    GridView<T> const plane = plane_of(grid, z);
    p.x_pass(pool, slot, plane, true);
    p.y_pass(pool, slot, grid.coils, plane.origin, plane.row, plane.origin, plane.row, true);
  });
  p.z_pass(pool, box, grid, true, write);
}

template <class T>
std::int64_t PrunedFft<T>::convolve_work(int coils) const {
  Impl const& p = *impl_;
  return coils * (p.grid.z * p.box.y * p.box.x + p.plane_slots() * p.grid.y * p.grid.x);
}

template <class T>
void PrunedFft<T>::convolve(Context const& context, BoxView<C const> box_in, T const* spectrum, C* work,
                            int coils, BoxView<C> box_out, Write write) const {
  Impl& p = *impl_;
  ThreadPool& pool = context.pool();
  // Between the z passes only the box columns of each plane are held, not the plane.
  GridView<T> const columns{work, p.box.x, p.box.x * p.box.y, coils};
  C* const planes = work + coils * p.grid.z * columns.plane;
  std::int64_t const plane_size = p.grid.x * p.grid.y;
  p.z_pass(pool, as_writable<T>(box_in), columns, false, Write::replace);
  each_in_slots(pool, p.plane_slots(), p.grid.z, [&](std::int64_t slot, std::int64_t z) {
    C* const box_side = columns.origin + z * columns.plane * coils;
    GridView<T> const plane{planes + slot * plane_size * coils, p.grid.x, plane_size, coils};
    p.y_pass(pool, slot, coils, box_side, columns.row, plane.origin, plane.row, false);
    p.x_pass(pool, slot, plane, false);
    T const* const factors = spectrum + z * plane_size;
    each_in_slots(pool, p.inner_slots(), p.grid.y, [&](std::int64_t, std::int64_t y) {
      C* row = plane.origin + y * plane.row * coils;
      for (std::int64_t x = 0; x < p.grid.x; ++x) {
        for (int c = 0; c < coils; ++c) *row++ *= factors[y * p.grid.x + x];
      }
    });
    p.x_pass(pool, slot, plane, true);
    p.y_pass(pool, slot, coils, box_side, columns.row, plane.origin, plane.row, true);
  });
  p.z_pass(pool, box_out, columns, true, write);
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
  return (elements + scratch * std::max(threads, 1)) * static_cast<std::int64_t>(sizeof(T));
}

template class PrunedFft<float>;
template class PrunedFft<double>;

}  // namespace findrho
