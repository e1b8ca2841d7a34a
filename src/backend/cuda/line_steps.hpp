// SPDX-License-Identifier: BSD-3-Clause
// The three steps of a line of L = R1 R2 R3 in a team's scratch, and their way back: read line_transform.hpp first.
// A step's task takes one set of R elements into registers; between steps the team syncs. Line l's element at a place is
// where Layout::at(l, place) says, and that of Layout::beyond(more) places further lies so much further: as far as steps
// go, the gaps of both add.
#pragma once
#include "backend/cuda/line_transform.hpp"

namespace findrho::device {

/// Lines of a block: 4096 elements of float (2048 of double) where that makes rows of at least 128 bytes.
template <class T, class F>
FINDRHO_HD constexpr int lines_of_block() {
  int const lines = F::size <= 128 ? 32 : F::size < 480 ? 16 : 8;
  return sizeof(T) == 4 ? lines : lines / 2;
}

/// Threads of a block, and blocks that a multiprocessor should hold. Of the passes of 256 points in float, on an H200: four
/// 21.7 us against 25.2 us with three for the rows; Multiply, whose transforms and factors of Q are all in registers,
/// 22.1 us with two against 23.3 us with three.
constexpr int kPassLanes = 256;
template <class T>
constexpr int kPassBlocks = sizeof(T) == 4 ? 4 : 2;
template <class T>
constexpr int kMultiplyBlocks = sizeof(T) == 4 ? 2 : 1;

/// Neighbouring lines side by side: for axes that step over memory. Where they fill less than the 128 bytes of all banks,
/// gaps keep the places that neighbouring threads take out of each other's banks.
template <class F, int Lines>
struct SideBySide {
  FINDRHO_HD static constexpr int gapped(int place) {
    return Lines >= 16 ? place : place + place / F::R3 + (F::R2 > 1 ? place / (F::R2 * F::R3) : 0);
  }
  static constexpr int kElements = gapped(F::size) * Lines;
  FINDRHO_HD static int at(int line, int place) { return gapped(place) * Lines + line; }
  FINDRHO_HD static constexpr int beyond(int places) { return gapped(places) * Lines; }
  /// Task number to line and rest: neighbouring threads have neighbouring lines.
  FINDRHO_HD static int line(int task, int) { return task % Lines; }
  FINDRHO_HD static int rest(int task, int) { return task / Lines; }
  FINDRHO_HD static int frequency_line(int task, int per_line) { return line(task, per_line); }
  FINDRHO_HD static int frequency_rest(int task, int per_line) { return rest(task, per_line); }
};

/// One line after the other, with gaps against bank conflicts: for the axis that is contiguous in memory.
template <class F, int Lines>
struct OneByOne {
  /// A gap after each R3 places, and one after R2 R3 that makes their distance 2 (mod 16).
  FINDRHO_HD static constexpr int gapped(int place) {
    constexpr int more = (18 - (F::R2 * F::R3 + F::R2) % 16) % 16;
    return place + place / F::R3 + (F::R2 > 1 ? place / (F::R2 * F::R3) * more : 0);
  }
  static constexpr int kPitch = gapped(F::size);
  static constexpr int kElements = kPitch * Lines;
  FINDRHO_HD static int at(int line, int place) { return line * kPitch + gapped(place); }
  FINDRHO_HD static constexpr int beyond(int places) { return gapped(places); }
  FINDRHO_HD static int line(int task, int per_line) { return task / per_line; }
  FINDRHO_HD static int rest(int task, int per_line) { return task % per_line; }
  FINDRHO_HD static int frequency_line(int task, int per_line) { return line(task, per_line); }
  FINDRHO_HD static int frequency_rest(int task, int per_line) { return rest(task, per_line); }
};

/// For lines that are contiguous in memory on the image's side and side by side on that of the frequencies.
template <class F, int Lines>
struct Turned : OneByOne<F, Lines> {
  using Base = OneByOne<F, Lines>;
  /// Of one place, neighbouring lines are in different banks.
  static constexpr int kApart = Lines >= 16 ? 1 : 16 / Lines;
  static constexpr int kPitch = Base::kPitch + (16 + kApart - Base::kPitch % 16) % 16;
  static constexpr int kElements = kPitch * Lines;
  FINDRHO_HD static int at(int line, int place) { return line * kPitch + Base::gapped(place); }
  FINDRHO_HD static int frequency_line(int task, int) { return task % Lines; }
  /// In the order of the places, an odd distance apart.
  FINDRHO_HD static int frequency_rest(int task, int) {
    int const g = task / Lines;
    return g / F::R2 + F::R1 * (g % F::R2);
  }
};

/// Elements of a line that may be other than zero before the forward way, and are wanted after the inverse one.
enum class Filled { first_half, all };

template <class T, class F, class Layout, int Lines, Filled Part = Filled::first_half>
struct LineSteps {
  using C = Complex<T>;
  static constexpr int kFilled =
      Part == Filled::first_half ? F::R1 / 2 : F::R1;  // of a first step's elements
  static constexpr int R1 = F::R1, R2 = F::R2, R3 = F::R3, L = F::size;
  static constexpr int M1 = L / R1, M2 = L / R2, M3 = L / R3;
  using Turns = TurnsOf<F>;
  C* work;
  C const* turns;  // line_turns()

  FINDRHO_HD static C read_only_complex(C const* from) {
#if defined(__CUDA_ARCH__)
    if constexpr (sizeof(T) == 4) {
      float2 const v = __ldg(reinterpret_cast<float2 const*>(from));
      return {v.x, v.y};
    } else {
      double2 const v = __ldg(reinterpret_cast<double2 const*>(from));
      return {v.x, v.y};
    }
#else
    return *from;
#endif
  }

  /// First step: load(line, index) gives the line's elements, for first_half those below L / 2: the others are zero.
  template <class Team, class Load>
  FINDRHO_HD void forward_first(Team const& team, Load const& load) const {
    team.each(Lines * M1, [&](int task) {
      int const line = Layout::line(task, M1), t = Layout::rest(task, M1);
      C v[R1];
      FINDRHO_UNROLL
      for (int j = 0; j < R1; ++j) v[j] = j < kFilled ? load(line, t + M1 * j) : C{0, 0};
      transform<Direction::forward, R1, kFilled>(v);
      C* const to = work + Layout::at(line, t);
      C const* const turn = turns + Turns::first + t;
      FINDRHO_UNROLL
      for (int k = 0; k < R1; ++k)
        to[Layout::beyond(k * M1)] = k == 0 ? v[k] : v[k] * read_only_complex(turn + k * M1);
    });
    team.sync();
    if constexpr (R2 > 1) {
      middle<Direction::forward>(team);
      team.sync();
    }
  }

  /// Last step of the forward way. use(line, t, v): v[i] has the frequency t + M3 i and the place M3-ordered below.
  template <class Team, class Use>
  FINDRHO_HD void forward_last(Team const& team, Use const& use) const {
    team.each(Lines * M3, [&](int task) {
      int const line = Layout::frequency_line(task, M3), t = Layout::frequency_rest(task, M3);
      C v[R3];
      read_group(line, group(t), v);
      transform<Direction::forward, R3>(v);
      use(line, t, v);
    });
  }

  /// Last step forward, times the spectrum, first step back. spectrum(task, line, g, q) gives the real factors of the places
  /// from g R3 on.
  template <class Team, class Spectrum>
  FINDRHO_HD void multiply(Team const& team, Spectrum const& spectrum) const {
    team.each(Lines * M3, [&](int task) {
      int const line = Layout::line(task, M3), g = Layout::rest(task, M3);
      int const t = g / R2 + R1 * (g % R2);
      T q[R3];
      spectrum(task, line, g, q);
      C v[R3];
      read_group(line, g, v);
      transform<Direction::forward, R3>(v);
      FINDRHO_UNROLL
      for (int i = 0; i < R3; ++i) v[i] = scaled(q[i], v[i]);
      write_inverse_group(line, g, t, v);
    });
    team.sync();
    if constexpr (R2 > 1) {
      middle<Direction::inverse>(team);
      team.sync();
    }
  }

  /// First step back: load(line, t, i) gives the element of frequency t + M3 i.
  template <class Team, class Load>
  FINDRHO_HD void inverse_first(Team const& team, Load const& load) const {
    inverse_first_group(team, [&](int line, int t, C* v) {
      FINDRHO_UNROLL
      for (int i = 0; i < R3; ++i) v[i] = load(line, t, i);
    });
  }
  /// The same with all elements of a thread at once: load(line, t, v) sets those of v that are not zero.
  template <class Team, class Load>
  FINDRHO_HD void inverse_first_group(Team const& team, Load const& load) const {
    team.each(Lines * M3, [&](int task) {
      int const line = Layout::frequency_line(task, M3), t = Layout::frequency_rest(task, M3);
      C v[R3] = {};
      load(line, t, v);
      write_inverse_group(line, group(t), t, v);
    });
    team.sync();
    if constexpr (R2 > 1) {
      middle<Direction::inverse>(team);
      team.sync();
    }
  }

  /// Last step back: store(line, index, value) for the line's elements, for first_half those below L / 2.
  template <class Team, class Store>
  FINDRHO_HD void inverse_last(Team const& team, Store const& store) const {
    team.each(Lines * M1, [&](int task) {
      int const line = Layout::line(task, M1), t = Layout::rest(task, M1);
      C v[R1];
      C const* const from = work + Layout::at(line, t);
      FINDRHO_UNROLL
      for (int k = 0; k < R1; ++k) v[k] = from[Layout::beyond(k * M1)];
      transform<Direction::inverse, R1>(v);
      FINDRHO_UNROLL
      for (int j = 0; j < kFilled; ++j) store(line, t + M1 * j, v[j]);
    });
  }

  /// The group of R3 neighbouring places whose lowest frequency is t.
  FINDRHO_HD static int group(int t) {
    return t % R1 * R2 + t / R1;
  }

 private:
  FINDRHO_HD void read_group(int line, int g, C* v) const {
    C const* const from = work + Layout::at(line, g * R3);
    FINDRHO_UNROLL
    for (int i = 0; i < R3; ++i) v[i] = from[Layout::beyond(i)];
  }
  FINDRHO_HD void write_inverse_group(int line, int g, int t, C* v) const {
    transform<Direction::inverse, R3>(v);
    C* const to = work + Layout::at(line, g * R3);
    C const* const turn = turns + Turns::last + t;
    FINDRHO_UNROLL
    for (int m = 0; m < R3; ++m)
      to[Layout::beyond(m)] = m == 0 ? v[m] : times_conj(v[m], read_only_complex(turn + m * M3));
  }
  /// The step of R2, in either direction.
  template <Direction D, class Team>
  FINDRHO_HD void middle(Team const& team) const {
    team.each(Lines * M2, [&](int task) {
      int const line = Layout::line(task, M2), t = Layout::rest(task, M2);
      int const k1 = t % R1, t3 = t / R1;
      C* const place = work + Layout::at(line, k1 * R2 * R3 + t3);
      C v[R2];
      FINDRHO_UNROLL
      for (int j = 0; j < R2; ++j) v[j] = place[Layout::beyond(R3 * j)];
      transform<D, R2>(v);
      constexpr bool forward = D == Direction::forward;
      constexpr int apart = forward ? R3 : R1;
      C const* const turn = turns + (forward ? Turns::middle + t3 : Turns::middle_inverse + k1);
      FINDRHO_UNROLL
      for (int k = 0; k < R2; ++k) {
        place[Layout::beyond(R3 * k)] = k == 0 ? v[k] : turned<D>(v[k], read_only_complex(turn + k * apart));
      }
    });
  }
};

}  // namespace findrho::device
