// SPDX-License-Identifier: BSD-3-Clause
// The order of the fused passes and the memory between them. A volume whose y and z have one length goes through both plane
// by plane in one pass where that is faster. Of another one, the x frequencies are taken a slab of columns at a time
// through y, z and back, so that the grid between the y passes stays in the L2 cache.
#pragma once
#include <algorithm>

#include "operator/cuda/fused_lengths.hpp"
#include "operator/cuda/fused_passes.hpp"
#include "operator/cuda/plane_pass.hpp"

namespace findrho::device {

/// Axes x, y, z; z is 1 in 2D.
struct FusedShape {
  int n[3], length[3];
  int coils;     // of a batch: they share rows, a pass over x at a time
  int slab;      // x frequencies of a slab; 2D and plane by plane: all
  int together;  // coils that go through a slab together
  bool planes;   // y and z in one pass, instead of slabs
  bool volume() const { return n[2] > 1; }
  Index voxels() const { return static_cast<Index>(n[0]) * n[1] * n[2]; }
  Index rows_size() const { return static_cast<Index>(length[0]) * n[1] * n[2]; }  // of a coil
  Index slab_size() const {                                                        // of a coil
    return volume() && !planes ? static_cast<Index>(slab) * length[1] * n[2] : 0;
  }
  Index spectrum_size() const {
    return static_cast<Index>(length[0]) * length[1] * (volume() ? length[2] : 1);
  }
};

template <class T>
struct FusedMemory {
  Complex<T>* rows;
  Complex<T>* slabs;  // one for each lane
  Complex<T> const* turns[3];
  /// Slab after slab: [place z][place y][x of the slab]; 2D: [place y][x]; planes: see SortPlanes.
  T const* spectrum;
};

/// y and z, there and back, of the x frequencies that m.rows holds row after row.
template <class T, class Passes>
void slabs_product(Passes const& passes, FusedShape const& s, FusedMemory<T> const& m, int coils) {
  int task = 0;
  passes.fork();
  for (int first = 0; first < s.length[0]; first += s.slab) {
    int const width = std::min(s.slab, s.length[0] - first);
    Index const plane = static_cast<Index>(s.length[1]) * width;
    Columns const in_rows{s.rows_size(), static_cast<Index>(s.n[1]) * s.length[0], s.length[0]};
    Columns const in_slab{plane * s.n[2], plane, width};
    Columns const lines{plane * s.n[2], 0, plane};
    T const* const spectrum = m.spectrum + static_cast<Index>(s.length[1]) * s.length[2] * first;
    for (int c = 0; c < coils; c += s.together, ++task) {
      int const lane = task % passes.lanes();
      auto const on_lane = passes.lane(lane);
      Complex<T>* const slab = m.slabs + lane * s.together * s.slab_size();
      int const count = std::min(s.together, coils - c);
      Complex<T>* const part = m.rows + c * s.rows_size() + first;
      ColumnsArguments<T> const there{part,   slab,   m.turns[1], in_rows, in_slab,
                                      s.n[1], s.n[2], width,      count,   nullptr};
      ColumnsArguments<T> const back{slab,   part,   m.turns[1], in_slab, in_rows,
                                     s.n[1], s.n[2], width,      count,   nullptr};
      on_lane.columns_forward(s.length[1], there);
      on_lane.multiply(s.length[2], ColumnsArguments<T>{nullptr, slab, m.turns[2], lines, lines, s.n[2], 1,
                                                        static_cast<int>(plane), count, spectrum});
      on_lane.columns_inverse(s.length[1], back);
    }
  }
  passes.join();
}

/// z (+)= sum_c conj(maps_c) crop(Q * pad(maps_c x)) for shape.coils coils or fewer. Passes runs the bodies:
/// main().rows_forward(length, arguments) and so on, those of slabs on lanes side by side. form is of the last coils' z.
template <class T, class Passes>
void fused_product(Passes const& passes, FusedShape const& s, FusedMemory<T> const& m, int coils,
                   Complex<T> const* x, Complex<T> const* maps, Complex<T>* z, Write write,
                   FormArguments<T> const& form = {}) {
  int const rows = s.n[1] * s.n[2];
  RowsArguments<T> const there{x, maps, m.turns[0], m.rows, s.n[0], rows, coils, 0, write};
  RowsArguments<T> const back{m.rows, maps, m.turns[0], z, s.n[0], rows, coils, 0, write, form};
  auto const on_main = passes.main();
  if constexpr (kHasPlanes<T>) {
    if (s.planes) {
      on_main.rows_to_planes(s.length[0], there);
      on_main.planes(s.length[1],
                     PlanesArguments<T>{m.rows, m.turns[1], m.spectrum, s.n[1], s.n[2], s.length[0], coils});
      on_main.rows_from_planes(s.length[0], back);
      return;
    }
  }
  on_main.rows_forward(s.length[0], there);
  if (s.volume()) {
    slabs_product(passes, s, m, coils);
  } else {
    Columns const lines{s.rows_size(), 0, s.length[0]};
    on_main.multiply(s.length[1], ColumnsArguments<T>{nullptr, m.rows, m.turns[1], lines, lines, s.n[1], 1,
                                                      s.length[0], coils, m.spectrum});
  }
  on_main.rows_inverse(s.length[0], back);
}

/// Parts of the form that the last coils' product leaves: one for each block of its last pass.
template <class T>
int form_parts(FusedShape const& s, int coils) {
  RowsArguments<T> last{};
  last.rows = s.n[1] * s.n[2];
  last.coils = coils;
  Index blocks = 0;
  with_factors(s.length[0], typename FusedLengths<T>::Type{},
               [&](auto factors) { blocks = RowsInverse<T, decltype(factors)>{last}.blocks(); });
  return static_cast<int>(blocks);
}

/// Sorts a spectrum in FFT order into the order of the passes: one thread an element.
template <class T>
struct SortSpectrum {
  T const* from;  // [z][y][x]
  T* to;
  int const *frequency_y, *frequency_z;  // at a place
  int length[3];
  int slab;
  bool volume;
  FINDRHO_HD void operator()(Index i) const {
    Index const row = i / length[0];
    int const x = static_cast<int>(i % length[0]), y = static_cast<int>(row % length[1]);
    int const z = static_cast<int>(row / length[1]);
    int const first = x / slab * slab, width = first + slab < length[0] ? slab : length[0] - first;
    Index const lines = static_cast<Index>(length[1]) * (volume ? length[2] : 1);
    int const from_z = volume ? frequency_z[z] : 0;
    to[first * lines + row * width + (x - first)] =
        from[(static_cast<Index>(from_z) * length[1] + frequency_y[y]) * length[0] + x];
  }
};

}  // namespace findrho::device
