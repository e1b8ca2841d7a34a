// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/dft/measure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "dft/sum_arrays.hpp"

namespace findrho {
namespace {

/// Runs of a rung on slices that grow until one fills the budget or the sum ends; then the rest of the repeats.
/// run(slice, repeats) returns the median of the seconds. Pairs are of one coil until the rate is told.
template <class Run>
RungTiming measure_with(Rung rung, std::int64_t chunk, SumKind kind, std::int64_t samples,
                        std::int64_t voxels, std::int64_t coils, double first_pairs,
                        MeasureOptions const& measure, Run const& run) {
  double const all = static_cast<double>(samples) * static_cast<double>(voxels);
  double pairs = std::min(all, first_pairs);
  RungTiming timing;
  timing.rung = rung;
  for (;;) {
    timing.slice = slice_of(rung, chunk, samples, voxels, pairs, kind);
    double const done = static_cast<double>(timing.slice.samples) * static_cast<double>(timing.slice.voxels);
    double seconds = run(timing.slice, 1);
    double const wanted = std::min(all, 0.9 * done * measure.budget_s / std::max(seconds, 1e-7));
    bool const large_enough = done >= all || (wanted < 2 * done && wanted < all);
    if (large_enough && measure.repeats > 1) seconds = run(timing.slice, measure.repeats);
    if (large_enough) {
      timing.pairs_per_second = done * static_cast<double>(coils) / seconds;
      timing.seconds = all / done * seconds;
      timing.extrapolated = done < all;
      return timing;
    }
    pairs = std::min(wanted, 100 * done);
  }
}

template <class T>
void add_error(Context const& context, ExactSum<T> const& sum, SumResult<T> const& result,
               MeasureOptions const& measure, RungTiming& timing) {
  // The sum in double costs too: as many probes as fit the budget, 16 at least.
  double const affordable = 2e7 * measure.budget_s / static_cast<double>(timing.slice.samples);
  int const probes = std::clamp(static_cast<int>(affordable), std::min(16, measure.probes), measure.probes);
  timing.error = timing.rung == Rung::mu ? std::numeric_limits<double>::quiet_NaN()
                                         : probe_error(context, sum, result, timing.slice, probes);
}

}  // namespace

SumSlice slice_of(Rung rung, std::int64_t chunk, std::int64_t samples, std::int64_t voxels, double pairs,
                  SumKind kind) {
  bool const whole_image = facts(rung).needs_grid && kind == SumKind::forward;
  bool const few_voxels =
      rung == Rung::scatter || rung == Rung::scatter_fissioned || rung == Rung::mu || whole_image;
  double const whole = static_cast<double>(few_voxels ? samples : voxels);
  auto part = static_cast<std::int64_t>(std::ceil(pairs / whole));
  if (few_voxels) return {samples, std::clamp<std::int64_t>(part, 1, voxels)};
  if (facts(rung).constant_sample_bytes > 0) part = (part + chunk - 1) / chunk * chunk;
  return {std::clamp<std::int64_t>(part, 1, samples), voxels};
}

template <class T>
RungTiming time_on_cpu(Context const& context, ExactSum<T> const& sum, Rung rung, RungOptions const& options,
                       MeasureOptions const& measure) {
  SumResult<T> result;
  RungOptions const o = fitting_options(rung, options, sizeof(T));
  // Part of a chunk will do: no launch is waited for, and a whole one may take a minute.
  RungTiming timing =
      measure_with(rung, 1, sum.kind, sum.samples(), sum.voxels(), sum.coils(), 1e6, measure,
                   [&](SumSlice slice, int repeats) {
                     std::vector<double> seconds;
                     for (int i = 0; i < repeats; ++i) {
                       result = run_rung(context, sum, rung, options, slice);
                       seconds.push_back(result.seconds);
                     }
                     std::nth_element(seconds.begin(), seconds.begin() + repeats / 2, seconds.end());
                     return seconds[static_cast<std::size_t>(repeats / 2)];
                   });
  timing.options = o;
  add_error(context, sum, result, measure, timing);
  return timing;
}

template <class T>
RungTiming time_on_cuda(Context const& context, CudaSum<T>& device_sum, ExactSum<T> const& sum, Rung rung,
                        RungOptions const& options, MeasureOptions const& measure) {
  LaunchFigures figures;
  // The first slice gives every lane of a large device a voxel or a sample.
  RungOptions const o = fitting_options(rung, options, sizeof(T));
  RungTiming timing = measure_with(rung, o.chunk, sum.kind, sum.samples(), sum.voxels(), sum.coils(), 3e8,
                                   measure, [&](SumSlice slice, int repeats) {
                                     context.throw_if_cancelled();
                                     auto const run = device_sum.run(rung, options, slice, repeats);
                                     figures = run.figures;
                                     return run.seconds;
                                   });
  timing.cuda = true;
  timing.options = o;
  timing.figures = figures;
  add_error(context, sum, device_sum.result(timing.slice), measure, timing);
  return timing;
}

#define FINDRHO_FOR(T)                                                                          \
  template RungTiming time_on_cpu(Context const&, ExactSum<T> const&, Rung, RungOptions const&, \
                                  MeasureOptions const&);                                       \
  template RungTiming time_on_cuda(Context const&, CudaSum<T>&, ExactSum<T> const&, Rung,       \
                                   RungOptions const&, MeasureOptions const&);
FINDRHO_FOR(float)
FINDRHO_FOR(double)
#undef FINDRHO_FOR

}  // namespace findrho
