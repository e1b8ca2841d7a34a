// SPDX-License-Identifier: BSD-3-Clause
// y, z, Q and the way back for one x frequency in one pass: the plane between y and z lies in the shared memory of some
// blocks, its ranks, each of which has some of the y frequencies. Three phases, all ranks waiting between them: y_forward
// takes rows of y from memory and sends their frequencies to the ranks that have them, multiply transforms a rank's own
// columns along z, y_inverse fetches the frequencies of a row from all ranks. A block's groups of threads work on lines of
// their own.
#pragma once
#include "backend/cuda/line_steps.hpp"
#include "operator/cuda/fused_lengths.hpp"

namespace findrho::device {

template <class T>
struct PlanesArguments {
  Complex<T>* data;  // [coil][x frequency][z][y], in place
  Complex<T> const* turns;
  T const* spectrum;  // in the order of SortPlanes
  int n_y, n_z, planes, coils;
};

/// How the ranks and their threads share a plane: F along y and z.
template <class T, class F>
struct PlaneShape {
  static constexpr int kRanks = F::size * F::size / 32768;  // 128 KiB of a plane of float in each
  static constexpr int kLanes = 512;
  /// On an H200, 8 groups were 4 % faster than 4 for 256 points, 4 were 3 % faster than 8 for 512.
  static constexpr int kGroups = F::size > 256 ? 4 : 8, kGroupLanes = kLanes / kGroups;
  static constexpr int kLines = 16 * kGroupLanes / F::size;  // of a group at a time: 16 elements a thread
  static constexpr int kColumns = F::size / kRanks, kBatches = kColumns / kLines;  // y frequencies of a rank
  using AlongY = OneByOne<F, kLines>;
  using AlongZ = SideBySide<F, kLines>;
  /// Elements of a group's scratch, and between rows of z: neighbouring threads on other rows then have other banks.
  static constexpr int kWork = AlongY::kElements > AlongZ::kElements ? AlongY::kElements : AlongZ::kElements;
  static constexpr int kPitch = kColumns + kLines;

  /// A thread along y has the frequencies t + M3 i. Ranks have M3 / kRanks of the t each, and two elements of a thread are
  /// neighbours there, so that they travel in 16 bytes: element i is in column pair(i / 2) + 2 (t mod kShare) + i mod 2.
  static constexpr int M3 = F::size / F::R3, kShare = M3 / kRanks;
  FINDRHO_HD static constexpr int pair(int i) { return i * 2 * kShare; }
  /// y frequency of a column, where the columns of all ranks are counted on.
  FINDRHO_HD static int frequency(int column) {
    int const rank = column / kColumns, c = column % kColumns;
    return rank * kShare + c % (2 * kShare) / 2 + M3 * (c / (2 * kShare) * 2 + c % 2);
  }
  static_assert(kRanks > 1 && M3 % kRanks == 0 && kBatches % kGroups == 0 && F::R3 % 4 == 0);
};

template <class T, class F>
struct Planes {
  using C = Complex<T>;
  using Shape = PlaneShape<T, F>;
  struct alignas(2 * sizeof(C)) Two {
    C a, b;
  };
  PlanesArguments<T> a;

  /// The ranks of a plane are neighbours; the coils of a plane too, so that they find Q in the cache.
  Index blocks() const { return static_cast<Index>(a.planes) * a.coils * Shape::kRanks; }
  FINDRHO_HD std::size_t plane_elements() const { return static_cast<std::size_t>(a.n_z) * Shape::kPitch; }
  std::size_t scratch_bytes() const { return (plane_elements() + Shape::kGroups * Shape::kWork) * sizeof(C); }

  /// Phase one of a group; plane_of(rank) is a rank's part of the plane, work the group's scratch.
  template <class Team, class PlaneOf>
  FINDRHO_HD void y_forward(Team const& team, Index block, int group, C* work,
                            PlaneOf const& plane_of) const {
    LineSteps<T, F, typename Shape::AlongY, Shape::kLines> const steps{work, a.turns};
    C const* const from = data_of(block);
    int const n_y = a.n_y, n_z = a.n_z, begin = first_row(block, group);
    for (int first = begin; first < n_z; first += kRowsAtOnce) {
      team.sync();
      steps.forward_first(team, [&](int line, int i) {
        return i < n_y && first + line < n_z ? from[(first + line) * n_y + i] : C{0, 0};
      });
      // Not before, or the rows would wait for Q.
      if (first == begin) prefetch_spectrum(team, block, group);
      steps.forward_last(team, [&](int line, int t, C const* v) {
        if (first + line >= n_z) return;
        C* const to = plane_of(t / Shape::kShare) + place(first + line, t);
        FINDRHO_UNROLL
        for (int i = 0; i < F::R3; i += 2)
          *reinterpret_cast<Two*>(to + Shape::pair(i / 2)) = {v[i], v[i + 1]};
      });
    }
  }

  /// Phase two: plane is the rank's own part.
  template <class Team>
  FINDRHO_HD void multiply(Team const& team, Index block, int group, C* work, C* plane) const {
    using Steps = LineSteps<T, F, typename Shape::AlongZ, Shape::kLines>;
    Steps const steps{work, a.turns};
    int const n_z = a.n_z;
    T const* const q = spectrum_of(block);
    constexpr int tasks = Steps::M3 * Shape::kLines;
    for (int batch = group; batch < Shape::kBatches; batch += Shape::kGroups) {
      C* const columns = plane + batch * Shape::kLines;
      T const* const factors = q + batch * F::size * Shape::kLines;
      team.sync();
      steps.forward_first(team, [&](int line, int i) {
        return i < n_z ? columns[i * Shape::kPitch + line] : C{0, 0};
      });
      steps.multiply(team, [&](int task, int, int, T* v) {
        FINDRHO_UNROLL
        for (int i = 0; i < F::R3; i += 4) read_four(factors + (i / 4 * tasks + task) * 4, v + i);
      });
      steps.inverse_last(team, [&](int line, int i, C value) {
        if (i < n_z) columns[i * Shape::kPitch + line] = value;
      });
    }
  }

  /// Phase three.
  template <class Team, class PlaneOf>
  FINDRHO_HD void y_inverse(Team const& team, Index block, int group, C* work,
                            PlaneOf const& plane_of) const {
    LineSteps<T, F, typename Shape::AlongY, Shape::kLines> const steps{work, a.turns};
    C* const to = data_of(block);
    int const n_y = a.n_y, n_z = a.n_z;
    for (int first = first_row(block, group); first < n_z; first += kRowsAtOnce) {
      team.sync();
      steps.inverse_first_group(team, [&](int line, int t, C* v) {
        if (first + line >= n_z) return;
        C const* const from = plane_of(t / Shape::kShare) + place(first + line, t);
        FINDRHO_UNROLL
        for (int i = 0; i < F::R3; i += 2) {
          Two const two = *reinterpret_cast<Two const*>(from + Shape::pair(i / 2));
          v[i] = two.a, v[i + 1] = two.b;
        }
      });
      steps.inverse_last(team, [&](int line, int i, C value) {
        if (i < n_y && first + line < n_z) to[(first + line) * n_y + i] = value;
      });
    }
  }

 private:
  static constexpr int kRowsAtOnce = Shape::kRanks * Shape::kGroups * Shape::kLines;
  FINDRHO_HD static int rank_of(Index block) { return static_cast<int>(block % Shape::kRanks); }
  FINDRHO_HD static int first_row(Index block, int group) {
    return (rank_of(block) * Shape::kGroups + group) * Shape::kLines;
  }
  FINDRHO_HD static int place(int row, int t) { return row * Shape::kPitch + t % Shape::kShare * 2; }
  FINDRHO_HD int plane_number(Index block) const { return static_cast<int>(block / Shape::kRanks) / a.coils; }
  FINDRHO_HD C* data_of(Index block) const {
    int const coil = static_cast<int>(block / Shape::kRanks) % a.coils;
    return a.data + (static_cast<Index>(coil) * a.planes + plane_number(block)) * a.n_y * a.n_z;
  }
  FINDRHO_HD T const* spectrum_of(Index block) const {
    return a.spectrum + static_cast<Index>(plane_number(block)) * F::size * F::size +
           rank_of(block) * Shape::kColumns * F::size;
  }
  /// Asks for the group's part of Q to be brought into the L2 cache.
  template <class Team>
  FINDRHO_HD void prefetch_spectrum(Team const& team, Index block, int group) const {
    constexpr int batch = F::size * Shape::kLines;
    T const* const q = spectrum_of(block);
    team.each(Shape::kBatches / Shape::kGroups, [&](int i) {
      prefetch_bulk(q + (group + i * Shape::kGroups) * batch, batch * static_cast<int>(sizeof(T)));
    });
  }
  FINDRHO_HD static void prefetch_bulk(T const* from, int bytes) {
#if defined(__CUDA_ARCH__)
    asm volatile("cp.async.bulk.prefetch.L2.global [%0], %1;" ::"l"(from), "r"(bytes));
#else
    (void)from, (void)bytes;
#endif
  }
  FINDRHO_HD static void read_four(T const* from, T* v) {
#if defined(__CUDA_ARCH__)
    static_assert(sizeof(T) == 4);
    float4 const four = __ldg(reinterpret_cast<float4 const*>(from));
    v[0] = four.x, v[1] = four.y, v[2] = four.z, v[3] = four.w;
#else
    for (int i = 0; i < 4; ++i) v[i] = from[i];
#endif
  }
};

/// How SortPlanes cuts a plane into runs: `lines` columns and four places of z each, as PlaneShape has them.
struct PlaneRuns {
  int length, lines, r3;
  FINDRHO_HD int size() const { return 4 * lines; }
  FINDRHO_HD int count() const { return length * length / size(); }
};

/// Sorts a spectrum in FFT order plane by plane into the order in which Planes reads it: [x][batch of columns][i / 4][group
/// of places][line][i mod 4] for element i of the R3 of a group. Tiles of kPlanes frequencies x and one run go through
/// scratch, so that both sides are contiguous.
template <class T>
struct SortPlanes {
  static constexpr int kPlanes = 32;
  T const* from;  // [z][y][x]
  T* to;
  int const *frequency_y, *frequency_z;  // of a column, and at a place
  int length_x;
  PlaneRuns runs;

  std::size_t scratch_bytes() const {
    return sizeof(T) * (kPlanes + 1) * static_cast<std::size_t>(runs.size());
  }
  FINDRHO_HD int tiles() const { return (length_x + kPlanes - 1) / kPlanes; }
  Index blocks() const { return static_cast<Index>(runs.count()) * tiles(); }

  template <class Team>
  FINDRHO_HD void operator()(Team const& team, Index block, unsigned char* scratch) const {
    T* const tile = reinterpret_cast<T*>(scratch);
    int const run = static_cast<int>(block / tiles()), first = static_cast<int>(block % tiles()) * kPlanes;
    int const length = runs.length, groups = length / runs.r3, g = run % groups, rest = run / groups;
    int const quad = rest % (runs.r3 / 4), batch = rest / (runs.r3 / 4), size = runs.size();
    int const count = length_x - first < kPlanes ? length_x - first : kPlanes;
    team.sync();
    team.each(size * kPlanes, [&](int task) {
      int const x = task % kPlanes, element = task / kPlanes;
      if (x >= count) return;
      Index const y = frequency_y[batch * runs.lines + element / 4];
      Index const z = frequency_z[g * runs.r3 + 4 * quad + element % 4];
      tile[element * (kPlanes + 1) + x] = from[(z * length + y) * length_x + first + x];
    });
    team.sync();
    team.each(size * kPlanes, [&](int task) {
      int const element = task % size, x = task / size;
      if (x >= count) return;
      to[(static_cast<Index>(first + x) * runs.count() + run) * size + element] =
          tile[element * (kPlanes + 1) + x];
    });
  }
};

}  // namespace findrho::device
