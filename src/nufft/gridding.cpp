// SPDX-License-Identifier: BSD-3-Clause
#include "nufft/gridding.hpp"

#include <hwy/cache_control.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "findrho/core/error.hpp"

namespace findrho::nufft {
namespace {

constexpr std::int64_t kChunk = 4096;  // samples per task: a few hundred microseconds of work
constexpr std::int64_t kAhead = 16;    // samples of a tile that are fetched ahead of being written

std::int64_t chunks(std::int64_t n) {
  return (n + kChunk - 1) / kChunk;
}

void require_finite(Trajectory const& trajectory, std::int64_t first, std::int64_t last) {
  for (std::int64_t s = first; s < last; ++s) {
    for (int d = 0; d < trajectory.dims; ++d) {
      if (!std::isfinite(trajectory[d][static_cast<std::size_t>(s)]))
        throw Error(ErrorKind::bad_option, "trajectory point " + std::to_string(s) + " is not finite");
    }
  }
}

std::int64_t modulo(std::int64_t a, std::int64_t n) {
  return ((a % n) + n) % n;
}

/// Calls f(margin index, grid index) for every index of an axis that lies in a margin, both from the first
/// grid cell.
template <class F>
void each_margin(Layout const& layout, std::size_t axis, F const& f) {
  std::int64_t const n = layout.grid[axis];
  for (std::int64_t i = -layout.low[axis]; i < 0; ++i) f(i, modulo(i, n));
  for (std::int64_t i = n; i < layout.extent[axis] - layout.low[axis]; ++i) f(i, modulo(i, n));
}

}  // namespace

Layout::Layout(Matrix const& grid_, int dims_, int width_)
    : dims(dims_),
      width(width_),
      grid{grid_.x, grid_.y, grid_.z},
      low{},
      extent{1, 1, 1},
      tile{1, 1, 1},
      tiles{1, 1, 1} {
  // A patch starts at ceil(p - W/2) with 0 <= p < G: from -floor(W/2) to G - 1 - W/2 + 1.
  std::int64_t const reach = width / 2 + 1;
  std::array<std::int64_t, 3> const wanted =
      dims == 2 ? std::array<std::int64_t, 3>{32, 16, 1} : std::array<std::int64_t, 3>{32, 8, 8};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) {
    std::int64_t const pad = d == 0 ? kRowPad : 0;
    low[d] = reach;
    extent[d] = reach + grid[d] + reach + pad;
    // Tasks of one colour lie a tile apart at least, and a patch may reach width - 1 cells beyond its tile.
    tile[d] = std::max<std::int64_t>(wanted[d], width);
    tiles[d] = (extent[d] + tile[d] - 1) / tile[d];
  }
}

template <class T>
Gridding<T>::Gridding(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
                      Design const& design)
    : samples_(trajectory.size()), kernel_(design), layout_(design.grid, design.dims, design.width) {
  if (layout_.cells() > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::bad_option,
                "a grid of " + std::to_string(layout_.cells()) + " cells is larger than 2^32",
                "use a smaller matrix or less oversampling");
  }
  if (samples_ > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::bad_option, std::to_string(samples_) + " samples are more than 2^32",
                "transform them in parts and add up the images");
  }
  int const degree = kernel_.degree();
  for (int cell = 0; cell < kernel_.width(); ++cell) {
    for (int power = degree; power >= 0; --power) {
      cell_polynomial_.push_back(static_cast<T>(kernel_.coefficient(cell, power)));
    }
  }
  for (int i = 0; i < 3; ++i) {
    int const scalars = 2 << i;  // of one cell
    Array<T>& rows = row_polynomial_[static_cast<std::size_t>(i)];
    rows = Array<T>(Shape{{Axis::other, degree + 1}, {Axis::other, kMaxRow}});
    for (int power = 0; power <= degree; ++power) {
      for (int r = 0; r < scalars * kernel_.width(); ++r) {
        rows[(degree - power) * kMaxRow + r] = static_cast<T>(kernel_.coefficient(r / scalars, power));
      }
    }
  }
  sort(context, trajectory, matrix);
}

// A counting sort by tile. Each block of samples counts its own, so that the order does not depend on how many blocks there
// are.
template <class T>
void Gridding<T>::sort(Context const& context, Trajectory const& trajectory, Matrix const& matrix) {
  std::array<PlaceAxis, 3> const axes = place_axes(trajectory, matrix);
  std::size_t const tiles = static_cast<std::size_t>(layout_.tile_count());
  std::int64_t const blocks = std::clamp<std::int64_t>(samples_ / kChunk, 1, context.threads());
  std::vector<std::int64_t> next(static_cast<std::size_t>(blocks) * tiles, 0);  // (block, tile)
  // Places are computed in both passes: that takes less time than keeping them.
  auto const each_piece = [&](auto const& f) {
    context.pool().each(blocks, [&](std::int64_t block) {
      std::int64_t* const of_tile = next.data() + static_cast<std::size_t>(block) * tiles;
      std::int64_t const end = samples_ * (block + 1) / blocks;
      Places<T> places;
      for (std::int64_t s = samples_ * block / blocks; s < end; s += kPlaces) {
        int const count = static_cast<int>(std::min<std::int64_t>(kPlaces, end - s));
        if (!find_places(axes, layout_.dims, s, count, places)) require_finite(trajectory, s, s + count);
        f(places, s, count, of_tile);
      }
    });
  };
  each_piece([](Places<T> const& places, std::int64_t, int count, std::int64_t* of_tile) {
    for (int i = 0; i < count; ++i) ++of_tile[places.tile[i]];
  });

  std::vector<std::int64_t> first_of_tile(tiles + 1, 0);
  for (std::size_t t = 0; t < tiles; ++t) {
    std::int64_t at = first_of_tile[t];
    for (std::size_t b = 0; b < static_cast<std::size_t>(blocks); ++b)
      at += std::exchange(next[b * tiles + t], at);
    first_of_tile[t + 1] = at;
  }
  colour(first_of_tile);

  reserve_sorted();
  SortedSample* const sorted = sorted_.get();
  T* const fractions = fraction_.get();
  bool const deep = layout_.dims == 3;
  each_piece([&](Places<T> const& places, std::int64_t s, int count, std::int64_t* of_tile) {
    for (int i = 0; i < count; ++i) {
      std::int64_t const to = of_tile[places.tile[i]]++;
      T* const fraction = fractions + to * (deep ? 3 : 2);
      // Of each tile's two streams the line after this one: the processor does not foresee as many streams.
      hwy::Prefetch(sorted + to + kAhead);
      hwy::Prefetch(fraction + kAhead * (deep ? 3 : 2));
      sorted[to] = {places.cell[i], static_cast<std::uint32_t>(s + i)};
      fraction[0] = places.fraction[0][i];
      fraction[1] = places.fraction[1][i];
      if (deep) fraction[2] = places.fraction[2][i];
    }
  });
}

template <class T>
std::array<PlaceAxis, 3> Gridding<T>::place_axes(Trajectory const& trajectory, Matrix const& matrix) const {
  std::array<std::int64_t, 3> const step{1, layout_.row(), layout_.plane()};
  std::array<PlaceAxis, 3> axes;
  double tile_step = 1;
  for (int i = 0; i < layout_.dims; ++i) {
    std::size_t const d = static_cast<std::size_t>(i);
    double const grid = static_cast<double>(layout_.grid[d]), voxels = static_cast<double>(matrix[i]);
    axes[d] = {.k = trajectory[i].data(),
               .cells = grid / voxels,
               .periods = 1 / voxels,
               .grid = grid,
               .half = layout_.width / 2.0,
               .low = static_cast<double>(layout_.low[d]),
               .step = static_cast<double>(step[d]),
               .per_tile = 1 / static_cast<double>(layout_.tile[d]),
               .tile_step = tile_step};
    tile_step *= static_cast<double>(layout_.tiles[d]);
  }
  return axes;
}

template <class T>
void Gridding<T>::reserve_sorted() {
  // The last batch may read, but not use, kBatch samples more.
  std::size_t const n = static_cast<std::size_t>(samples_), dims = static_cast<std::size_t>(layout_.dims);
  sorted_ = std::make_unique_for_overwrite<SortedSample[]>(n + kBatch);
  fraction_ = std::make_unique_for_overwrite<T[]>((n + kBatch) * dims);
  std::fill_n(sorted_.get() + n, kBatch, SortedSample{0, 0});
  std::fill_n(fraction_.get() + n * dims, kBatch * dims, T(0));
}

/// Tasks of spreading: tiles that follow each other, all along x and a few along y, so that the cells at their
/// seams are fetched once.
template <class T>
void Gridding<T>::colour(std::vector<std::int64_t> const& first_of_tile) {
  Layout const& l = layout_;
  std::int64_t const group = l.dims == 3 ? 4 : 1;
  for (std::int64_t z = 0; z < l.tiles[2]; ++z) {
    for (std::int64_t y = 0; y < l.tiles[1]; y += group) {
      auto const begin = [&](std::int64_t row) {
        return first_of_tile[static_cast<std::size_t>((z * l.tiles[1] + row) * l.tiles[0])];
      };
      Task const task{begin(y), begin(std::min(y + group, l.tiles[1]))};
      if (task.first < task.last)
        colours_[static_cast<std::size_t>(y / group % 2 + 2 * (z % 2))].push_back(task);
    }
  }
  for (std::vector<Task>& tasks : colours_) {
    std::stable_sort(tasks.begin(), tasks.end(),
                     [](Task const& a, Task const& b) { return a.last - a.first > b.last - b.first; });
  }
}

template <class T>
PatchJob<T> Gridding<T>::job(C* memory, int coils, int used) const {
  PatchJob<T> j;
  j.at = sorted_.get();
  j.fraction = fraction_.get();
  j.dims = layout_.dims;
  j.width = layout_.width;
  j.degree = kernel_.degree();
  j.cell_polynomial = cell_polynomial_.data();
  j.row_polynomial = coils < 8 ? row_polynomial_[coils == 1 ? 0 : coils == 2 ? 1 : 2].data() : nullptr;
  j.grid = memory;
  j.row = layout_.row();
  j.plane = layout_.plane();
  j.coils = coils;
  j.used_coils = used;
  j.sample_stride = samples_;
  return j;
}

template <class T>
void Gridding<T>::spread(Context const& context, C const* samples, int used, C* memory, int coils) const {
  std::int64_t const rows = layout_.extent[1] * layout_.extent[2], per_task = 16;
  context.pool().each((rows + per_task - 1) / per_task, [&](std::int64_t task) {
    std::int64_t const first = task * per_task, last = std::min(rows, first + per_task);
    std::fill_n(memory + first * layout_.row() * coils, (last - first) * layout_.row() * coils, C(0));
  });
  PatchJob<T> const all = job(memory, coils, used);
  for (std::vector<Task> const& tasks : colours_) {
    context.pool().each(static_cast<std::int64_t>(tasks.size()), [&](std::int64_t task) {
      PatchJob<T> part = all;
      part.first = tasks[static_cast<std::size_t>(task)].first;
      part.last = tasks[static_cast<std::size_t>(task)].last;
      nufft::spread(part, samples);
    });
  }
}

template <class T>
void Gridding<T>::interpolate(Context const& context, C const* memory, int coils, C* samples, int used,
                              Write write) const {
  PatchJob<T> const all = job(const_cast<C*>(memory), coils, used);
  context.pool().each(chunks(samples_), [&](std::int64_t task) {
    PatchJob<T> chunk = all;
    chunk.first = task * kChunk;
    chunk.last = std::min(samples_, chunk.first + kChunk);
    nufft::interpolate(chunk, samples, write);
  });
}

template <class T>
void Gridding<T>::fold_plane(C* memory, int coils, std::int64_t z) const {
  Layout const& l = layout_;
  std::int64_t const row = l.row() * coils, plane = l.plane() * coils;
  C* const here = memory + (l.low[2] + z) * plane;
  auto const add = [](C* to, C const* from, std::int64_t n) {
    for (std::int64_t i = 0; i < n; ++i) to[i] += from[i];
  };
  if (l.dims == 3) {
    each_margin(l, 2, [&](std::int64_t from, std::int64_t to) {
      if (to == z) add(here, memory + (l.low[2] + from) * plane, plane);
    });
  }
  each_margin(l, 1, [&](std::int64_t from, std::int64_t to) {
    add(here + (l.low[1] + to) * row, here + (l.low[1] + from) * row, row);
  });
  for (std::int64_t y = 0; y < l.grid[1]; ++y) {
    C* const start = here + (l.low[1] + y) * row + l.low[0] * coils;
    each_margin(l, 0, [&](std::int64_t from, std::int64_t to) {
      add(start + to * coils, start + from * coils, coils);
    });
  }
}

template <class T>
void Gridding<T>::fill_plane(C* memory, int coils, std::int64_t z) const {
  Layout const& l = layout_;
  std::int64_t const row = l.row() * coils, plane = l.plane() * coils;
  C* const here = memory + (l.low[2] + z) * plane;
  for (std::int64_t y = 0; y < l.grid[1]; ++y) {
    C* const start = here + (l.low[1] + y) * row + l.low[0] * coils;
    each_margin(l, 0, [&](std::int64_t to, std::int64_t from) {
      std::copy_n(start + from * coils, coils, start + to * coils);
    });
  }
  each_margin(l, 1, [&](std::int64_t to, std::int64_t from) {
    std::copy_n(here + (l.low[1] + from) * row, row, here + (l.low[1] + to) * row);
  });
}

template <class T>
void Gridding<T>::fill_margin_planes(Context const& context, C* memory, int coils) const {
  if (layout_.dims == 2) return;
  std::int64_t const plane = layout_.plane() * coils, low = layout_.low[2];
  context.pool().each(layout_.extent[1], [&](std::int64_t y) {
    C* const row = memory + y * layout_.row() * coils;
    each_margin(layout_, 2, [&](std::int64_t to, std::int64_t from) {
      std::copy_n(row + (low + from) * plane, layout_.row() * coils, row + (low + to) * plane);
    });
  });
}

template <class T>
std::int64_t Gridding<T>::bytes(std::int64_t samples, Layout const& layout) {
  std::size_t const per_sample = sizeof(SortedSample) + static_cast<std::size_t>(layout.dims) * sizeof(T);
  std::int64_t const tasks = std::min(samples, layout.tiles[1] * layout.tiles[2]);
  return (samples + kBatch) * static_cast<std::int64_t>(per_sample) +
         tasks * static_cast<std::int64_t>(sizeof(Task));
}

template class Gridding<float>;
template class Gridding<double>;

}  // namespace findrho::nufft
