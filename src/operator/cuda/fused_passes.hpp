// SPDX-License-Identifier: BSD-3-Clause
// The passes of the fused product z = sum_c conj(S_c) crop(Q * pad(S_c x)) as team bodies: RowsForward reads the image and
// the maps and transforms x; ColumnsForward transforms y; Multiply transforms the last axis, multiplies and goes back, in
// place; ColumnsInverse and RowsInverse go back, the latter through the maps and summing coils. Nothing that is zero is
// read and nothing that is cropped is written.
#pragma once
#include <cstddef>
#include <cstdint>

#include "backend/cuda/line_steps.hpp"
#include "findrho/core/array.hpp"
#include "operator/cuda/fused_lengths.hpp"

namespace findrho::device {

/// Asks for what lies there to be brought into the L2 cache.
template <class T>
FINDRHO_HD void prefetch(T const* from) {
#if defined(__CUDA_ARCH__)
  asm volatile("prefetch.global.L2 [%0];" ::"l"(from));
#else
  (void)from;
#endif
}

/// What a product may add to its last pass: out += shift x, and Re<x, out> in parts, one for each block.
template <class T>
struct FormArguments {
  Complex<T> const* x = nullptr;
  T shift = 0;
  double* parts = nullptr;  // null: neither
};

template <class T>
struct RowsArguments {
  Complex<T> const *in, *maps, *turns;  // maps may be null: 1
  Complex<T>* out;
  int n, rows, coils;
  Index image_stride;  // of RowsForward, from coil to coil: 0 where all coils share the image
  Write write;         // of RowsInverse
  FormArguments<T> form = {};
};

/// Where the frequencies of rows lie.
template <class F, int Lines>
struct RowAfterRow {  // [row][frequency]
  static constexpr bool kSideBySide = false;
  using Layout = OneByOne<F, Lines>;
  FINDRHO_HD static Index at(int rows, int row, int frequency) {
    (void)rows;
    return static_cast<Index>(row) * F::size + frequency;
  }
};
template <class F, int Lines>
struct PlaneAfterPlane {  // [frequency][row]
  static constexpr bool kSideBySide = true;
  using Layout = Turned<F, Lines>;
  FINDRHO_HD static Index at(int rows, int row, int frequency) {
    return static_cast<Index>(frequency) * rows + row;
  }
};

/// out[coil][row, frequency] = transform of maps[coil][row][.] in[row][.]
template <class T, class F, template <class, int> class Order = RowAfterRow>
struct RowsForward {
  using C = Complex<T>;
  static constexpr int kLines = lines_of_block<T, F>();
  using Place = Order<F, kLines>;
  using Layout = typename Place::Layout;
  RowsArguments<T> a;

  std::size_t scratch_bytes() const { return Layout::kElements * sizeof(C); }
  /// Coils of the same rows are neighbours, so that they find the image in the cache.
  Index blocks() const { return static_cast<Index>((a.rows + kLines - 1) / kLines) * a.coils; }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, Index block, unsigned char* scratch) const {
    using Steps = LineSteps<T, F, Layout, kLines>;
    Steps const steps{reinterpret_cast<C*>(scratch), a.turns};
    int const coil = static_cast<int>(block) % a.coils, first = static_cast<int>(block) / a.coils * kLines;
    int const count = a.n, lines = a.rows;
    C const* const from = a.in + coil * a.image_stride;
    C const* const map = a.maps == nullptr ? nullptr : a.maps + static_cast<Index>(coil) * lines * count;
    C* const to = a.out + static_cast<Index>(coil) * lines * F::size;
    team.sync();
    steps.forward_first(team, [&](int line, int i) {
      if (i >= count || first + line >= lines) return C{0, 0};
      Index const at = static_cast<Index>(first + line) * count + i;
      C const value = Steps::read_only_complex(from + at);
      return map == nullptr ? value : value * Steps::read_only_complex(map + at);
    });
    steps.forward_last(team, [&](int line, int t, C const* v) {
      if (first + line >= lines) return;
      FINDRHO_UNROLL
      for (int i = 0; i < F::R3; ++i) to[Place::at(lines, first + line, t + Steps::M3 * i)] = v[i];
    });
  }
};

/// out[row][.] (+)= sum_c conj(maps[c][row][.]) inverse transform of in[c][row, frequency]
/// A block has the lines of some rows and of beside() coils at a time; each adds its coils' values in scratch, and the
/// sums of lines side by side are added at the end.
template <class T, class F, template <class, int> class Order = RowAfterRow>
struct RowsInverse {
  using C = Complex<T>;
  static constexpr int kLines = lines_of_block<T, F>(), kHalf = F::size / 2;
  /// With fewer blocks than this a device is not full.
  static constexpr int kEnoughBlocks = 256;
  using Place = Order<F, kLines>;
  using Layout = typename Place::Layout;
  RowsArguments<T> a;

  FINDRHO_HD int beside() const {
    int coils = 1;
    while (2 * coils <= a.coils && 2 * coils <= kLines && a.rows / (kLines / coils) < kEnoughBlocks)
      coils *= 2;
    return coils;
  }
  std::size_t scratch_bytes() const {
    std::size_t const sums = a.coils > 1 ? static_cast<std::size_t>(kLines) * kHalf : 0;
    return (Layout::kElements + sums) * sizeof(C);
  }
  Index blocks() const {
    int const rows = kLines / beside();
    return (a.rows + rows - 1) / rows;
  }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, Index block, unsigned char* scratch) const {
    using Steps = LineSteps<T, F, Layout, kLines>;
    Steps const steps{reinterpret_cast<C*>(scratch), a.turns};
    C* const sums = steps.work + Layout::kElements;
    int const side = beside(), rows = kLines / side, first = static_cast<int>(block) * rows;
    int const count = a.n, all_rows = a.rows, coils = a.coils;
    C const *const in = a.in, *const maps = a.maps;
    C* const out = a.out;
    bool const add = a.write == Write::add;
    FormArguments<T> const form = a.form;
    T of_lane = 0;  // Re<x, out> of a few elements
    if (form.parts != nullptr) prefetch_image(team, form.x, first, rows);
    auto const write = [&](Index at, C value) {
      if (add) value = out[at] + value;
      if (form.parts != nullptr) {
        C const x = Steps::read_only_complex(form.x + at);
        value = value + scaled(form.shift, x);
        of_lane += x.x * value.x + x.y * value.y;
      }
      out[at] = value;
    };
    for (int c = 0; c < coils; c += side) {
      auto const row_of = [=](int line) { return first + line / side; };
      auto const coil_of = [=](int line) { return c + line % side; };
      team.sync();
      steps.inverse_first(team, [&](int line, int t, int i) {
        int const row = row_of(line), coil = coil_of(line);
        if (row >= all_rows || coil >= coils) return C{0, 0};
        return in[static_cast<Index>(coil) * all_rows * F::size +
                  Place::at(all_rows, row, t + Steps::M3 * i)];
      });
      if constexpr (Place::kSideBySide) {
        if (c + side < coils)
          prefetch_rows(team, in + static_cast<Index>(c + side) * all_rows * F::size, first);
      }
      bool const done = side == 1 && c + 1 == coils;
      steps.inverse_last(team, [&](int line, int i, C value) {
        int const row = row_of(line), coil = coil_of(line);
        if (i >= count || row >= all_rows) return;
        Index const at = static_cast<Index>(row) * count + i;
        if (maps != nullptr && coil < coils) {
          value = times_conj(
              value, Steps::read_only_complex(maps + static_cast<Index>(coil) * all_rows * count + at));
        }
        C* const sum = sums + line * kHalf + i;
        if (c > 0) value = *sum + value;
        if (!done) {
          *sum = value;
        } else {
          write(at, value);
        }
      });
    }
    if (side > 1) {
      team.sync();
      team.each(rows * count, [&](int task) {
        int const r = task / count, i = task - r * count;
        if (first + r >= all_rows) return;
        C sum{0, 0};
        for (int line = r * side; line < (r + 1) * side; ++line) sum = sum + sums[line * kHalf + i];
        write(static_cast<Index>(first + r) * count + i, sum);
      });
    }
    if (form.parts != nullptr) {
      double const sum = sum_of_lanes(team, of_lane, reinterpret_cast<double*>(scratch));
      team.each(1, [&](int) { form.parts[block] = sum; });
    }
  }

 private:
  /// Asks for a block's rows of an image.
  template <class Team>
  FINDRHO_HD void prefetch_image(Team const& team, C const* image, int first, int rows) const {
    constexpr int sector = static_cast<int>(32 / sizeof(C));
    int const there = a.rows - first < rows ? a.rows - first : rows;
    C const* const from = image + static_cast<Index>(first) * a.n;
    team.each((there * a.n + sector - 1) / sector, [&](int task) { prefetch(from + task * sector); });
  }
  /// In all lanes: of_lane of every lane, added in a fixed order.
  template <class Team>
  FINDRHO_HD double sum_of_lanes(Team const& team, double of_lane, double* scratch) const {
    team.sync();
    team.each(team.size(), [&](int lane) { scratch[lane] = of_lane; });
    for (int lanes = team.size(); lanes > 1;) {
      int const half = (lanes + 1) / 2;
      team.sync();
      team.each(lanes - half, [&](int lane) { scratch[lane] += scratch[lane + half]; });
      lanes = half;
    }
    team.sync();
    return scratch[0];
  }
  /// Asks for the frequencies of a block's rows, side by side, of the next coil.
  template <class Team>
  FINDRHO_HD void prefetch_rows(Team const& team, C const* coil, int first) const {
    constexpr int sector = static_cast<int>(32 / sizeof(C)), sectors = (kLines + sector - 1) / sector;
    team.each(F::size * sectors, [&](int task) {
      int const row = first + task % sectors * sector;
      if (row < a.rows) prefetch(coil + Place::at(a.rows, row, task / sectors));
    });
  }
};

/// Where the lines of a pass over columns lie: element (coil, plane, row, column).
struct Columns {
  Index coil, plane, row;  // strides
};

template <class T>
struct ColumnsArguments {
  Complex<T> const* in;
  Complex<T>* out;
  Complex<T> const* turns;
  Columns from, to;
  int n, planes, columns, coils;
  T const* spectrum;  // of Multiply: [place][column]
};

template <class T, class F>
struct ColumnsPass {
  using C = Complex<T>;
  static constexpr int kLines = lines_of_block<T, F>();
  using Layout = SideBySide<F, kLines>;
  using Steps = LineSteps<T, F, Layout, kLines>;
  ColumnsArguments<T> a;

  std::size_t scratch_bytes() const { return Layout::kElements * sizeof(C); }
  FINDRHO_HD int tiles() const { return (a.columns + kLines - 1) / kLines; }
  Index blocks() const { return static_cast<Index>(tiles()) * a.planes * a.coils; }

 protected:
  struct Place {
    int coil, plane, column;
  };
  FINDRHO_HD Place place_of(Index block) const {
    int const b = static_cast<int>(block), row = b / tiles();
    return {row / a.planes, row % a.planes, (b - row * tiles()) * kLines};
  }
};

/// out[place][column] = transform of in[row][column] over the n rows of a plane
template <class T, class F>
struct ColumnsForward : ColumnsPass<T, F> {
  using Base = ColumnsPass<T, F>;
  using C = Complex<T>;
  template <class Team>
  FINDRHO_HD void operator()(Team const& team, Index block, unsigned char* scratch) const {
    auto const p = this->place_of(block);
    ColumnsArguments<T> const& args = this->a;
    typename Base::Steps const steps{reinterpret_cast<C*>(scratch), args.turns};
    C const* const source = args.in + p.coil * args.from.coil + p.plane * args.from.plane + p.column;
    C* const target = args.out + p.coil * args.to.coil + p.plane * args.to.plane + p.column;
    int const count = args.n, width = args.columns - p.column;
    Index const step_in = args.from.row, step_out = args.to.row;
    team.sync();
    steps.forward_first(team, [&](int line, int i) {
      return i < count && line < width ? source[i * step_in + line] : C{0, 0};
    });
    steps.forward_last(team, [&](int line, int t, C const* v) {
      if (line >= width) return;
      int const place = Base::Steps::group(t) * F::R3;
      FINDRHO_UNROLL
      for (int i = 0; i < F::R3; ++i) target[(place + i) * step_out + line] = v[i];
    });
  }
};

/// out[row][column] = inverse transform of in[place][column], the first n rows of it
template <class T, class F>
struct ColumnsInverse : ColumnsPass<T, F> {
  using Base = ColumnsPass<T, F>;
  using C = Complex<T>;
  template <class Team>
  FINDRHO_HD void operator()(Team const& team, Index block, unsigned char* scratch) const {
    auto const p = this->place_of(block);
    ColumnsArguments<T> const& args = this->a;
    typename Base::Steps const steps{reinterpret_cast<C*>(scratch), args.turns};
    C const* const source = args.in + p.coil * args.from.coil + p.plane * args.from.plane + p.column;
    C* const target = args.out + p.coil * args.to.coil + p.plane * args.to.plane + p.column;
    int const count = args.n, width = args.columns - p.column;
    Index const step_in = args.from.row, step_out = args.to.row;
    team.sync();
    steps.inverse_first(team, [&](int line, int t, int i) {
      int const place = Base::Steps::group(t) * F::R3 + i;
      return line < width ? source[place * step_in + line] : C{0, 0};
    });
    steps.inverse_last(team, [&](int line, int i, C value) {
      if (i < count && line < width) target[i * step_out + line] = value;
    });
  }
};

/// data[row][column] = crop(Q * pad(data[.][column])), spectrum[place][column] real; planes is 1, from the strides of both.
template <class T, class F>
struct Multiply : ColumnsPass<T, F> {
  using Base = ColumnsPass<T, F>;
  using C = Complex<T>;
  template <class Team>
  FINDRHO_HD void operator()(Team const& team, Index block, unsigned char* scratch) const {
    auto const p = this->place_of(block);
    ColumnsArguments<T> const& args = this->a;
    typename Base::Steps const steps{reinterpret_cast<C*>(scratch), args.turns};
    C* const data = args.out + p.coil * args.to.coil + p.column;
    T const* const q = args.spectrum + p.column;
    int const count = args.n, width = args.columns - p.column;
    Index const step = args.to.row, q_step = args.columns;
    // Q comes from memory, 32 bytes at a time, while the lines are transformed.
    constexpr int sector = static_cast<int>(32 / sizeof(T)), sectors = (Base::kLines + sector - 1) / sector;
    team.each(F::size * sectors, [&](int task) {
      int const place = task / sectors, line = task % sectors * sector;
      if (line < width) prefetch(q + place * q_step + line);
    });
    team.sync();
    steps.forward_first(team, [&](int line, int i) {
      return i < count && line < width ? data[i * step + line] : C{0, 0};
    });
    steps.multiply(team, [&](int, int line, int g, T* factors) {
      FINDRHO_UNROLL
      for (int i = 0; i < F::R3; ++i) {
        factors[i] = line < width ? read_only(q + (g * F::R3 + i) * q_step + line) : T(0);
      }
    });
    steps.inverse_last(team, [&](int line, int i, C value) {
      if (i < count && line < width) data[i * step + line] = value;
    });
  }
};

}  // namespace findrho::device
