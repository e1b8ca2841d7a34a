// SPDX-License-Identifier: BSD-3-Clause
// Image <-> oversampled grid with the transform between them: padding, the FFT's axes and cropping as passes in place on
// the grid. Rows and planes that padding would fill with zeros are not read, those that cropping leaves out not written.
// Team bodies: tests run them on the CPU.
#pragma once
#include <cstddef>
#include <cstdint>

#include "backend/cuda/line_lengths.hpp"
#include "backend/cuda/line_steps.hpp"

namespace findrho::nufft {

/// An axis of the image in one of the grid: voxel n is cell (n - floor(N/2)) mod G.
struct BoxAxis {
  int voxels, cells;
  FINDRHO_HD int cell(int voxel) const {
    int const u = voxel - voxels / 2;
    return u < 0 ? u + cells : u;
  }
  /// -1 where the cell is outside of the image.
  FINDRHO_HD int voxel(int cell) const {
    int const half = voxels / 2;
    if (cell < voxels - half) return cell + half;
    return cell >= cells - half ? cell - (cells - half) : -1;
  }
};

/// Lengths of grids that have passes. Others, and 2D, go through cuFFT.
using BoxLengths =
    device::Lengths<device::Factors<8, 1, 4>, device::Factors<8, 1, 8>, device::Factors<12, 1, 8>,
                    device::Factors<16, 1, 8>, device::Factors<10, 1, 16>, device::Factors<16, 1, 12>,
                    device::Factors<16, 1, 16>, device::Factors<20, 1, 16>>;

template <class T>
struct BoxTransformJob {
  using C = device::Complex<T>;
  BoxAxis axis[3];
  T const* factor[3];  // of voxels, axis by axis
  C const* roots[3];
  C* image;       // (coil, z, y, x), or (z, y, x) with maps
  C const* maps;  // (coil, z, y, x) or null
  C* cells;       // (coil, z, y, x)
  int coils;
  int add;  // to the image
  FINDRHO_HD int rows() const { return axis[1].voxels * axis[2].voxels; }
  FINDRHO_HD std::int64_t voxels() const { return static_cast<std::int64_t>(rows()) * axis[0].voxels; }
  FINDRHO_HD std::int64_t plane() const { return static_cast<std::int64_t>(axis[0].cells) * axis[1].cells; }
  FINDRHO_HD std::int64_t coil_cells() const { return plane() * axis[2].cells; }
  /// First cell of an image row.
  FINDRHO_HD std::int64_t row_cell(int y, int z) const {
    return axis[2].cell(z) * plane() + static_cast<std::int64_t>(axis[1].cell(y)) * axis[0].cells;
  }
};

template <class T, class F>
struct RowsOfImage {
  using C = device::Complex<T>;
  static constexpr int kLines = device::lines_of_block<T, F>();
  using Layout = device::OneByOne<F, kLines>;
  using Steps = device::LineSteps<T, F, Layout, kLines, device::Filled::all>;
  BoxTransformJob<T> job;
  std::size_t scratch_bytes() const { return Layout::kElements * sizeof(C); }
  FINDRHO_HD int tiles() const { return (job.rows() + kLines - 1) / kLines; }

 protected:
  /// A row of the image. Lines beyond the last one are it once more: what is the same for all elements of a line is then
  /// read without a question, and once.
  struct Row {
    int number, y, z;
    T factor;
  };
  FINDRHO_HD Row row_of(int number) const {
    int const row = number < job.rows() ? number : job.rows() - 1;
    int const z = row / job.axis[1].voxels, y = row - z * job.axis[1].voxels;
    return {row, y, z, job.factor[1][y] * job.factor[2][z]};
  }
};

/// cells[row][.] = transform of the image's row, times factors and map, between zeros
template <class T, class F>
struct RowsToGrid : RowsOfImage<T, F> {
  using Base = RowsOfImage<T, F>;
  using C = device::Complex<T>;
  std::int64_t blocks() const { return static_cast<std::int64_t>(this->tiles()) * this->job.coils; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    BoxTransformJob<T> const& a = this->job;
    typename Base::Steps const steps{reinterpret_cast<C*>(scratch), a.roots[0]};
    int const coil = static_cast<int>(block) / this->tiles(), rows = a.rows(), n0 = a.axis[0].voxels;
    int const first = (static_cast<int>(block) - coil * this->tiles()) * Base::kLines;
    C const* const image = a.image + (a.maps == nullptr ? coil * a.voxels() : 0);
    C const* const map = a.maps == nullptr ? nullptr : a.maps + coil * a.voxels();
    C* const cells = a.cells + coil * a.coil_cells();
    team.sync();
    steps.forward_first(team, [&](int line, int i) {
      auto const row = this->row_of(first + line);
      int const x = a.axis[0].voxel(i);
      if (x < 0) return C{0, 0};
      std::int64_t const at = static_cast<std::int64_t>(row.number) * n0 + x;
      C const value = scaled(row.factor * a.factor[0][x], Base::Steps::read_only_complex(image + at));
      return map == nullptr ? value : value * Base::Steps::read_only_complex(map + at);
    });
    steps.forward_last(team, [&](int line, int t, C const* v) {
      auto const row = this->row_of(first + line);
      if (first + line >= rows) return;
      C* const to = cells + a.row_cell(row.y, row.z) + t;
      FINDRHO_UNROLL
      for (int i = 0; i < F::R3; ++i) to[Base::Steps::M3 * i] = v[i];
    });
  }
};

/// image[row][.] = (or +=) inverse transform of cells[row][.], cropped, times factors; with maps one coil, times conj(map)
template <class T, class F>
struct RowsToImage : RowsOfImage<T, F> {
  using Base = RowsOfImage<T, F>;
  using C = device::Complex<T>;
  std::int64_t blocks() const { return static_cast<std::int64_t>(this->tiles()) * this->job.coils; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    BoxTransformJob<T> const& a = this->job;
    typename Base::Steps const steps{reinterpret_cast<C*>(scratch), a.roots[0]};
    int const coil = static_cast<int>(block) / this->tiles(), rows = a.rows(), n0 = a.axis[0].voxels;
    int const first = (static_cast<int>(block) - coil * this->tiles()) * Base::kLines;
    C const* const cells = a.cells + coil * a.coil_cells();
    C* const image = a.image + coil * a.voxels();
    C const* const map = a.maps;
    bool const add = a.add != 0;
    team.sync();
    steps.inverse_first(team, [&](int line, int t, int i) {
      auto const row = this->row_of(first + line);
      return cells[a.row_cell(row.y, row.z) + t + Base::Steps::M3 * i];
    });
    steps.inverse_last(team, [&](int line, int i, C value) {
      auto const row = this->row_of(first + line);
      int const x = a.axis[0].voxel(i);
      if (x < 0 || first + line >= rows) return;
      std::int64_t const at = static_cast<std::int64_t>(row.number) * n0 + x;
      value = scaled(row.factor * a.factor[0][x], value);
      if (map != nullptr) value = times_conj(value, Base::Steps::read_only_complex(map + at));
      image[at] = add ? image[at] + value : value;
    });
  }
};

/// Lines of one axis that step over memory, plane by plane: those of y in the planes of the image, those of z in one.
template <class T>
struct ColumnsJob {
  using C = device::Complex<T>;
  C* cells;
  C const* roots;
  BoxAxis along, planes;
  std::int64_t row, plane, coil;  // strides
  int columns, coils;
};
template <class T>
ColumnsJob<T> lines_of_y(BoxTransformJob<T> const& a) {
  return {a.cells,   a.roots[1],     a.axis[1],       a.axis[2], a.axis[0].cells,
          a.plane(), a.coil_cells(), a.axis[0].cells, a.coils};
}
template <class T>
ColumnsJob<T> lines_of_z(BoxTransformJob<T> const& a) {
  return {a.cells, a.roots[2], a.axis[2], {1, 1}, a.plane(), 0, a.coil_cells(), static_cast<int>(a.plane()),
          a.coils};
}

template <class T, class F>
struct ColumnsOfGrid {
  using C = device::Complex<T>;
  static constexpr int kLines = device::lines_of_block<T, F>();
  using Layout = device::SideBySide<F, kLines>;
  using Steps = device::LineSteps<T, F, Layout, kLines, device::Filled::all>;
  ColumnsJob<T> job;

  std::size_t scratch_bytes() const { return Layout::kElements * sizeof(C); }
  FINDRHO_HD int tiles() const { return (job.columns + kLines - 1) / kLines; }
  std::int64_t blocks() const { return static_cast<std::int64_t>(tiles()) * job.planes.voxels * job.coils; }

 protected:
  struct Tile {
    C* first;
    int width;
  };
  FINDRHO_HD Tile tile_of(std::int64_t block) const {
    int const b = static_cast<int>(block), row = b / tiles(), column = (b - row * tiles()) * kLines;
    int const coil = row / job.planes.voxels, plane = job.planes.cell(row % job.planes.voxels);
    return {job.cells + coil * job.coil + plane * job.plane + column, job.columns - column};
  }
};

/// The lines' transforms; cells outside of the image are zero and not read.
template <class T, class F>
struct ColumnsToGrid : ColumnsOfGrid<T, F> {
  using Base = ColumnsOfGrid<T, F>;
  using C = device::Complex<T>;
  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    auto const tile = this->tile_of(block);
    BoxAxis const along = this->job.along;
    std::int64_t const step = this->job.row;
    typename Base::Steps const steps{reinterpret_cast<C*>(scratch), this->job.roots};
    team.sync();
    steps.forward_first(team, [&](int line, int i) {
      return line < tile.width && along.voxel(i) >= 0 ? tile.first[i * step + line] : C{0, 0};
    });
    steps.forward_last(team, [&](int line, int t, C const* v) {
      if (line >= tile.width) return;
      FINDRHO_UNROLL
      for (int i = 0; i < F::R3; ++i) tile.first[(t + Base::Steps::M3 * i) * step + line] = v[i];
    });
  }
};

/// The lines' inverse transforms; only cells of the image are written.
template <class T, class F>
struct ColumnsToImage : ColumnsOfGrid<T, F> {
  using Base = ColumnsOfGrid<T, F>;
  using C = device::Complex<T>;
  template <class Team>
  FINDRHO_HD void operator()(Team const& team, std::int64_t block, unsigned char* scratch) const {
    auto const tile = this->tile_of(block);
    BoxAxis const along = this->job.along;
    std::int64_t const step = this->job.row;
    typename Base::Steps const steps{reinterpret_cast<C*>(scratch), this->job.roots};
    team.sync();
    steps.inverse_first(team, [&](int line, int t, int i) {
      return line < tile.width ? tile.first[(t + Base::Steps::M3 * i) * step + line] : C{0, 0};
    });
    steps.inverse_last(team, [&](int line, int i, C value) {
      if (line < tile.width && along.voxel(i) >= 0) tile.first[i * step + line] = value;
    });
  }
};

/// Image to grid: passes has rows_forward(length, job) and columns_forward(length, job).
template <class T, class Passes>
void box_to_grid(Passes const& passes, BoxTransformJob<T> const& job) {
  passes.rows_forward(job.axis[0].cells, job);
  passes.columns_forward(job.axis[1].cells, lines_of_y(job));
  passes.columns_forward(job.axis[2].cells, lines_of_z(job));
}
/// Grid to image. What the grid holds afterwards is of no use.
template <class T, class Passes>
void box_to_image(Passes const& passes, BoxTransformJob<T> const& job) {
  passes.columns_inverse(job.axis[2].cells, lines_of_z(job));
  passes.columns_inverse(job.axis[1].cells, lines_of_y(job));
  if (job.maps == nullptr) return passes.rows_inverse(job.axis[0].cells, job);
  // Coil after coil is added to the one image.
  BoxTransformJob<T> of_coil = job;
  of_coil.coils = 1;
  for (int coil = 0; coil < job.coils; ++coil) {
    passes.rows_inverse(job.axis[0].cells, of_coil);
    of_coil.maps += job.voxels();
    of_coil.cells += job.coil_cells();
    of_coil.add = 1;
  }
}

}  // namespace findrho::nufft
