// SPDX-License-Identifier: BSD-3-Clause
#include "dft/separable.hpp"

#include <algorithm>
#include <cmath>

#include "dft/rungs/gather_vector.hpp"
#include "dft/separable_kernel.hpp"
#include "findrho/core/array.hpp"
#include "findrho/core/scan.hpp"

namespace findrho::ladder {
namespace {

constexpr int kRun = kSeparableRun, kRows = kSeparableRows;
constexpr std::int64_t kRunsAtOnce = 8;   // whose tables are made together
constexpr std::int64_t kForwardRuns = 4;  // that share a pass over the image

/// exp(i 2 pi k step (first offset + slot)) of a run of samples, slot after slot. Whole turns are dropped in double
/// before any sine; from slot to slot the phase is turned in double, so that 2^12 slots lose 12 of its 53 bits.
class SlotPhases {
 public:
  SlotPhases(ScatteredPoints const& points, Factor const& f, std::int64_t first) {
    std::span<double const> const k = points.k[static_cast<std::size_t>(f.k)];
    double cycles[kRun], start[kRun];
    for (std::size_t i = 0; i < kRun; ++i) {
      std::size_t const m = static_cast<std::size_t>(first) + i;
      cycles[i] = m < k.size() ? k[m] * f.axis.step : 0;
      start[i] = cycles[i] * f.axis.first_offset();
    }
    phases_of_turns(start, kRun, cosine_, sine_);
    phases_of_turns(cycles, kRun, step_cosine_, step_sine_);
  }
  double cosine(std::size_t i) const { return cosine_[i]; }
  double sine(std::size_t i) const { return sine_[i]; }
  void next_slot() {
    for (std::size_t i = 0; i < kRun; ++i) {
      double const c = cosine_[i], s = sine_[i];
      cosine_[i] = c * step_cosine_[i] - s * step_sine_[i];
      sine_[i] = s * step_cosine_[i] + c * step_sine_[i];
    }
  }

 private:
  double cosine_[kRun], sine_[kRun], step_cosine_[kRun], step_sine_[kRun];
};

/// [slot][cosines, sines][sample]
template <class T>
void fill_rows(ScatteredPoints const& points, Factor const& f, std::int64_t first, T* to) {
  SlotPhases phases(points, f, first);
  for (std::int64_t slot = 0; slot < f.axis.slots(); ++slot, to += 2 * kRun, phases.next_slot()) {
    for (std::size_t i = 0; i < kRun; ++i) {
      to[i] = static_cast<T>(phases.cosine(i));
      to[kRun + i] = static_cast<T>(phases.sine(i));
    }
  }
}

/// Cosines and sines of all slots.
std::int64_t columns_of(SeparablePlan const& plan) {
  return 2 * plan.c.axis.slots();
}

/// [vector of columns][sample][column]; columns are cosine and sine of slot 0, of slot 1, ...
template <class T>
void fill_column_vectors(ScatteredPoints const& points, Factor const& f, std::int64_t first, T* to) {
  std::int64_t const lanes = separable_lanes<T>();
  SlotPhases phases(points, f, first);
  for (std::int64_t slot = 0; slot < f.axis.slots(); ++slot, phases.next_slot()) {
    auto const at = [&](std::int64_t column, std::int64_t i) -> T& {
      return to[(column / lanes * kRun + i) * lanes + column % lanes];
    };
    for (std::int64_t i = 0; i < kRun; ++i) {
      at(2 * slot, i) = static_cast<T>(phases.cosine(static_cast<std::size_t>(i)));
      at(2 * slot + 1, i) = static_cast<T>(phases.sine(static_cast<std::size_t>(i)));
    }
  }
}

/// [two vectors of samples][column][sample]
template <class T>
void fill_sample_vectors(ScatteredPoints const& points, Factor const& f, std::int64_t first,
                         std::int64_t columns, T* to) {
  std::int64_t const wide = 2 * separable_lanes<T>();
  SlotPhases phases(points, f, first);
  for (std::int64_t slot = 0; slot < f.axis.slots(); ++slot, phases.next_slot()) {
    for (std::int64_t begin = 0; begin < kRun; begin += wide) {
      T* const at = to + begin * columns + 2 * slot * wide;
      for (std::int64_t i = 0; i < wide; ++i) {
        at[i] = static_cast<T>(phases.cosine(static_cast<std::size_t>(begin + i)));
        at[wide + i] = static_cast<T>(phases.sine(static_cast<std::size_t>(begin + i)));
      }
    }
  }
}

/// exp(i 2 pi k.centre) of a run of samples; whole turns of every axis are dropped before they are added up.
class CentrePhases {
 public:
  CentrePhases(SeparablePlan const& plan, ScatteredPoints const& points, std::int64_t first) {
    double cycles[kRun] = {};
    std::size_t const begin = static_cast<std::size_t>(first);
    std::size_t const count = std::min<std::size_t>(kRun, points.k[0].size() - begin);
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t i = 0; i < count; ++i) {
        double const part = points.k[d][begin + i] * plan.centre[d];
        cycles[i] += part - std::nearbyint(part);
      }
    }
    phases_of_turns(cycles, kRun, cosine_, sine_);
  }
  std::complex<double> operator[](std::int64_t i) const { return {cosine_[i], sine_[i]}; }

 private:
  double cosine_[kRun], sine_[kRun];
};

/// a b without the test for infinities that std::complex's product makes.
std::complex<double> product(std::complex<double> a, std::complex<double> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}

template <class T>
Array<T> numbers(std::int64_t count) {
  return Array<T>(sample_shape(1, count));
}

template <class T>
class Gather {
 public:
  Gather(Grid const& grid, ScatteredPoints const& points, std::int64_t batch)
      : plan_(plan_for(grid)),
        points_(points),
        batch_(batch),
        vectors_((columns_of(plan_) + separable_lanes<T>() - 1) / separable_lanes<T>()),
        columns_(vectors_ * separable_lanes<T>()),
        a_(numbers<T>(kRunsAtOnce * plan_.a.axis.slots() * 2 * kRun)),
        b_(numbers<T>(kRunsAtOnce * plan_.b.axis.slots() * 2 * kRun)),
        c_(numbers<T>(kRunsAtOnce * columns_ * kRun)),
        mu_(numbers<T>(kRunsAtOnce * batch * 2 * kRun)),
        sums_(numbers<double>(batch * plan_.a.axis.slots() * plan_.b.axis.slots() * kRows * columns_)) {}

  void add_all(Context const& context, std::complex<T> const* mu) {
    for (std::int64_t first = 0; first < points_.count(); first += kRunsAtOnce * kRun) {
      context.throw_if_cancelled();
      std::int64_t const left = (points_.count() - first + kRun - 1) / kRun;
      std::int64_t const runs = std::min(kRunsAtOnce, left);
      context.pool().each(4 * runs, [&](std::int64_t task) { fill(task / 4, task % 4, first, mu); });
      context.pool().each(plan_.a.axis.slots() * groups(), [&](std::int64_t task) {
        for (std::int64_t i = 0; i < batch_; ++i) add(i, task / groups(), task % groups(), runs);
      });
    }
  }

  void write(Context const& context, std::int64_t points, std::complex<T>* out) const {
    std::int64_t const slots_a = plan_.a.axis.slots(), slots_b = plan_.b.axis.slots();
    context.pool().each(batch_ * slots_a, [&](std::int64_t task) {
      for (std::int64_t sb = 0; sb < slots_b; ++sb) {
        for (std::int64_t sc = 0; sc < plan_.c.axis.slots(); ++sc) {
          double const* const w = sums_.data() + ((task * slots_b + sb) * kRows) * columns_ + 2 * sc;
          SlotSums v;
          for (std::int64_t pq = 0; pq < 4; ++pq) {
            for (std::int64_t r = 0; r < 2; ++r)
              v[static_cast<std::size_t>(2 * pq + r)] = {w[pq * columns_ + r], w[(4 + pq) * columns_ + r]};
          }
          v = sums_to_points(v);
          auto const at = points_of(plan_, task % slots_a, sb, sc);
          for (std::size_t i = 0; i < 8; ++i) {
            if (at[i] >= 0) out[task / slots_a * points + at[i]] = std::complex<T>(v[i]);
          }
        }
      }
    });
  }

 private:
  std::int64_t groups() const { return (plan_.b.axis.slots() + kSeparableGroup - 1) / kSeparableGroup; }

  void fill(std::int64_t run, std::int64_t which, std::int64_t first_sample, std::complex<T> const* mu) {
    std::int64_t const first = first_sample + run * kRun;
    switch (which) {
      case 0:
        return fill_rows(points_, plan_.a, first, a_.data() + run * plan_.a.axis.slots() * 2 * kRun);
      case 1:
        return fill_rows(points_, plan_.b, first, b_.data() + run * plan_.b.axis.slots() * 2 * kRun);
      case 2:
        return fill_column_vectors(points_, plan_.c, first, c_.data() + run * columns_ * kRun);
      default:
        return fill_mu(first, mu, mu_.data() + run * batch_ * 2 * kRun);
    }
  }

  void fill_mu(std::int64_t first, std::complex<T> const* mu, T* to) const {
    CentrePhases const phases(plan_, points_, first);
    std::int64_t const there = std::min<std::int64_t>(kRun, points_.count() - first);
    std::fill_n(to, batch_ * 2 * kRun, T(0));
    for (std::int64_t c = 0; c < batch_; ++c, to += 2 * kRun) {
      for (std::int64_t i = 0; i < there; ++i) {
        std::complex<double> const value = product(phases[i], mu[c * points_.count() + first + i]);
        to[i] = static_cast<T>(value.real());
        to[kRun + i] = static_cast<T>(value.imag());
      }
    }
  }

  void add(std::int64_t item, std::int64_t sa, std::int64_t group, std::int64_t runs) {
    std::int64_t const slots_a = plan_.a.axis.slots(), slots_b = plan_.b.axis.slots();
    std::int64_t const sb = group * kSeparableGroup;
    for (std::int64_t run = 0; run < runs; ++run) {
      T const* const mu = mu_.data() + (run * batch_ + item) * 2 * kRun;
      separable_gather(
          GatherJob<T>{.mu_re = mu,
                       .mu_im = mu + kRun,
                       .a = a_.data() + (run * slots_a + sa) * 2 * kRun,
                       .b = b_.data() + (run * slots_b + sb) * 2 * kRun,
                       .c = c_.data() + run * columns_ * kRun,
                       .slots = static_cast<int>(std::min<std::int64_t>(kSeparableGroup, slots_b - sb)),
                       .vectors = static_cast<int>(vectors_),
                       .sums = sums_.data() + (((item * slots_a + sa) * slots_b + sb) * kRows) * columns_});
    }
  }

  SeparablePlan const plan_;
  ScatteredPoints const& points_;
  std::int64_t batch_;
  std::int64_t vectors_, columns_;  // columns in whole vectors
  Array<T> a_, b_, c_, mu_;
  Array<double> sums_;
};

/// The grid's values as what multiplies cosines and sines: [batch][a][b][row][column].
template <class T>
Array<T> folded(Context const& context, SeparablePlan const& plan, std::int64_t points, std::int64_t columns,
                std::int64_t batch, std::complex<T> const* mu) {
  std::int64_t const slots_a = plan.a.axis.slots(), slots_b = plan.b.axis.slots();
  Array<T> sums = numbers<T>(batch * slots_a * slots_b * kRows * columns);
  context.pool().each(batch * slots_a, [&](std::int64_t task) {
    for (std::int64_t sb = 0; sb < slots_b; ++sb) {
      for (std::int64_t sc = 0; sc < plan.c.axis.slots(); ++sc) {
        auto const at = points_of(plan, task % slots_a, sb, sc);
        SlotSums v{};
        for (std::size_t i = 0; i < 8; ++i) {
          if (at[i] >= 0) v[i] = std::complex<double>(mu[task / slots_a * points + at[i]]);
        }
        v = points_to_sums(v);
        T* const w = sums.data() + ((task * slots_b + sb) * kRows) * columns + 2 * sc;
        for (std::int64_t pq = 0; pq < 4; ++pq) {
          for (std::int64_t r = 0; r < 2; ++r) {
            w[pq * columns + r] = static_cast<T>(v[static_cast<std::size_t>(2 * pq + r)].real());
            w[(4 + pq) * columns + r] = static_cast<T>(v[static_cast<std::size_t>(2 * pq + r)].imag());
          }
        }
      }
    }
  });
  return sums;
}

/// F rho of `runs` runs of samples from the first: an image's rows are read once for all of them, from the second-level
/// cache after the first run.
template <class T>
void forward_runs(SeparablePlan const& plan, ScatteredPoints const& points, std::int64_t first_run,
                  std::int64_t runs, std::int64_t batch, Array<T> const& sums, std::complex<T>* out) {
  std::int64_t const slots_a = plan.a.axis.slots(), slots_b = plan.b.axis.slots(), columns = columns_of(plan);
  std::int64_t const of_a = slots_a * 2 * kRun, of_b = slots_b * 2 * kRun, of_c = columns * kRun;
  Array<T> a = numbers<T>(runs * of_a), b = numbers<T>(runs * of_b), c = numbers<T>(runs * of_c);
  for (std::int64_t r = 0; r < runs; ++r) {
    std::int64_t const first = (first_run + r) * kRun;
    fill_rows(points, plan.a, first, a.data() + r * of_a);
    fill_rows(points, plan.b, first, b.data() + r * of_b);
    fill_sample_vectors(points, plan.c, first, columns, c.data() + r * of_c);
  }
  for (std::int64_t item = 0; item < batch; ++item) {
    Array<double> result = numbers<double>(runs * 2 * kRun);
    for (std::int64_t sa = 0; sa < slots_a; ++sa) {
      for (std::int64_t r = 0; r < runs; ++r) {
        double* const to = result.data() + r * 2 * kRun;
        separable_forward(
            ForwardJob<T>{.sums = sums.data() + (item * slots_a + sa) * slots_b * kRows * columns,
                          .a = a.data() + r * of_a + sa * 2 * kRun,
                          .b = b.data() + r * of_b,
                          .c = c.data() + r * of_c,
                          .slots = static_cast<int>(slots_b),
                          .columns = static_cast<int>(columns),
                          .re = to,
                          .im = to + kRun});
      }
    }
    for (std::int64_t r = 0; r < runs; ++r) {
      std::int64_t const first = (first_run + r) * kRun;
      CentrePhases const phases(plan, points, first);
      for (std::int64_t i = 0; i < std::min<std::int64_t>(kRun, points.count() - first); ++i) {
        std::complex<double> const value(result[r * 2 * kRun + i], result[r * 2 * kRun + kRun + i]);
        out[item * points.count() + first + i] = std::complex<T>(product(phases[i], value));
      }
    }
  }
}

}  // namespace

template <class T>
void separable_gather(Context const& context, Grid const& grid, ScatteredPoints const& points,
                      std::int64_t coils, std::complex<T> const* mu, std::complex<T>* out) {
  for (std::int64_t c = 0; c < coils; c += kCoilsTogether) {
    Gather<T> gather(grid, points, std::min(kCoilsTogether, coils - c));
    gather.add_all(context, mu + c * points.count());
    gather.write(context, grid.points(), out + c * grid.points());
  }
}

template <class T>
void separable_forward(Context const& context, Grid const& grid, ScatteredPoints const& points,
                       std::int64_t coils, std::complex<T> const* mu, std::complex<T>* out) {
  SeparablePlan const plan = plan_for(grid);
  std::int64_t const runs = (points.count() + kRun - 1) / kRun;
  // Fewer in a task where there would be too few tasks; a run's result does not depend on its company.
  std::int64_t const together = std::clamp<std::int64_t>(runs / (4 * context.threads()), 1, kForwardRuns);
  for (std::int64_t c = 0; c < coils; c += kCoilsTogether) {
    std::int64_t const batch = std::min(kCoilsTogether, coils - c);
    Array<T> const sums =
        folded(context, plan, grid.points(), columns_of(plan), batch, mu + c * grid.points());
    context.pool().each((runs + together - 1) / together, [&](std::int64_t task) {
      if (context.cancelled()) return;
      std::int64_t const first = task * together;
      forward_runs(plan, points, first, std::min(together, runs - first), batch, sums,
                   out + c * points.count());
    });
    context.throw_if_cancelled();
  }
}

#define FINDRHO_FOR(T)                                                                               \
  template void separable_gather(Context const&, Grid const&, ScatteredPoints const&, std::int64_t,  \
                                 std::complex<T> const*, std::complex<T>*);                          \
  template void separable_forward(Context const&, Grid const&, ScatteredPoints const&, std::int64_t, \
                                  std::complex<T> const*, std::complex<T>*);
FINDRHO_FOR(float)
FINDRHO_FOR(double)
#undef FINDRHO_FOR

}  // namespace findrho::ladder
