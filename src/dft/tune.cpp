// SPDX-License-Identifier: BSD-3-Clause
// Search strategies over a space of options. Source of the pruning: Ryoo, Rodrigues, Stone, Baghsorkhi, Ueng, Stratton
// and Hwu, CGO 2008.
#include "findrho/dft/tune.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "dft/tuned_counts.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

using Key = std::tuple<int, int, int, int, int>;
Key key(RungOptions const& o) {
  return {o.block_size, o.chunk, o.unroll, o.per_thread, static_cast<int>(o.memory)};
}

/// Each candidate is timed once, whoever asks.
class Timings {
 public:
  Timings(std::vector<RungOptions> const& space, TuneTimer const& timer) : timer_(timer) {
    for (RungOptions const& o : space) seconds_[key(o)] = -1;
  }
  /// Seconds, or nothing: outside the space, or not launchable.
  std::optional<double> operator()(RungOptions const& o) {
    auto const found = seconds_.find(key(o));
    if (found == seconds_.end()) return {};
    if (found->second < 0) found->second = timer_(o).value_or(0);
    return found->second > 0 ? std::optional(found->second) : std::nullopt;
  }

 private:
  TuneTimer const& timer_;
  std::map<Key, double> seconds_;
};

/// Varies one knob after the other, keeping the best value, in the order in which a person would.
TuneStrategy search_greedily(std::vector<RungOptions> const& space, RungOptions const& start, Timings& time) {
  TuneStrategy result{.name = "one knob at a time", .best = start};
  std::vector<Key> seen;
  auto const visit = [&](RungOptions const& o) {
    auto const seconds = time(o);
    if (!seconds) return;
    if (std::find(seen.begin(), seen.end(), key(o)) == seen.end()) seen.push_back(key(o));
    if (result.seconds == 0 || *seconds < result.seconds) {
      result.seconds = *seconds;
      result.best = o;
    }
  };
  visit(start);
  auto const vary = [&](auto member) {
    RungOptions const base = result.best;
    for (RungOptions const& o : space) {
      RungOptions trial = base;
      trial.*member = o.*member;
      if (trial == o) visit(o);
    }
  };
  vary(&RungOptions::block_size);
  vary(&RungOptions::unroll);
  vary(&RungOptions::chunk);
  vary(&RungOptions::per_thread);
  vary(&RungOptions::memory);
  result.timed = seen.size();
  return result;
}

TuneStrategy best_of(std::string name, std::vector<TuneCandidate> const& candidates,
                     std::vector<std::size_t> const& chosen) {
  TuneStrategy result;
  result.name = std::move(name);
  for (std::size_t i : chosen) {
    TuneCandidate const& c = candidates[i];
    if (c.seconds <= 0) continue;
    ++result.timed;
    if (result.seconds != 0 && c.seconds >= result.seconds) continue;
    result.seconds = c.seconds;
    result.best = c.options;
  }
  return result;
}

}  // namespace

std::vector<RungOptions> cuda_tune_space() {
  std::vector<RungOptions> space;
  for (auto memory : {SampleMemory::constant, SampleMemory::shared, SampleMemory::global}) {
    // Global memory needs no chunks: one size, large enough that launches do not count.
    std::vector<int> const chunks =
        memory == SampleMemory::global ? std::vector{65536} : std::vector{256, 1024, 2048};
    for (int chunk : chunks) {
      for (int block : {64, 128, 256, 512, 1024}) {
        for (int unroll : {1, 2, 4, 8}) {
          for (int voxels : {1, 2, 4, 8}) space.push_back({block, chunk, unroll, voxels, memory});
        }
      }
    }
  }
  return space;
}

std::vector<RungOptions> cpu_tune_space() {
  std::vector<RungOptions> space;
  for (int chunk : {128, 256, 512, 1024, 4096}) {
    for (int block : {64, 256, 1024, 2048}) {
      for (int vectors : {1, 2, 3, 4})
        space.push_back({.block_size = block, .chunk = chunk, .per_thread = vectors});
    }
  }
  return space;
}

std::vector<std::size_t> pareto_front(std::vector<TuneCandidate> const& candidates) {
  std::vector<std::size_t> front;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    auto const& a = candidates[i];
    bool const beaten = std::any_of(candidates.begin(), candidates.end(), [&](TuneCandidate const& b) {
      bool const no_worse = b.efficiency >= a.efficiency && b.utilisation >= a.utilisation;
      return no_worse && (b.efficiency > a.efficiency || b.utilisation > a.utilisation);
    });
    if (!beaten) front.push_back(i);
  }
  return front;
}

void estimate_candidate(TuneCandidate& candidate, LaunchFigures const& figures, double samples,
                        double voxels) {
  RungOptions const& o = candidate.options;
  double const loop = tuned_loop_instructions(o);  // of one turn: U samples, R voxels
  double const turns = samples / o.unroll;
  double const threads = std::ceil(voxels / (o.block_size * o.per_thread)) * o.block_size;
  candidate.efficiency = 1 / (loop * turns * threads);
  // Warps that can run while one waits: on average half of the block's others, and all of the other blocks'. A region
  // runs from one stall (a turn's sample loads; a tile's barriers) to the next.
  double const warps = (o.block_size + 31) / 32;
  double const regions = turns + (o.memory == SampleMemory::shared ? 2 * samples / o.chunk : 0);
  candidate.utilisation =
      loop * turns / regions * ((warps - 1) / 2 + (figures.blocks_per_multiprocessor - 1) * warps);
}

TuneReport tune(std::vector<RungOptions> const& space, RungOptions const& start, TuneTimer const& timer,
                TuneModel const& model) {
  TuneReport report;
  Timings time(space, timer);
  for (RungOptions const& o : space) {
    TuneCandidate candidate{.options = o};
    if (model && !model(candidate)) continue;
    auto const seconds = time(o);
    if (!seconds) continue;
    candidate.seconds = *seconds;
    report.candidates.push_back(candidate);
  }
  if (report.candidates.empty()) {
    throw Error(ErrorKind::bad_option,
                "none of " + std::to_string(space.size()) + " configurations could be timed");
  }
  std::vector<std::size_t> all(report.candidates.size());
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
  report.exhaustive = best_of("exhaustive", report.candidates, all);
  report.greedy = search_greedily(space, start, time);
  if (model) report.pruned = best_of("Pareto-pruned", report.candidates, pareto_front(report.candidates));
  report.has_pruned = static_cast<bool>(model);
  for (TuneStrategy* s : {&report.greedy, &report.pruned})
    s->loss = s->seconds / report.exhaustive.seconds - 1;
  std::vector<double> seconds;
  for (TuneCandidate const& c : report.candidates) seconds.push_back(c.seconds);
  std::sort(seconds.begin(), seconds.end());
  report.worst_seconds = seconds.back();
  report.median_seconds = seconds[seconds.size() / 2];
  return report;
}

std::string problem_class(SumKind kind, std::int64_t samples, std::int64_t voxels) {
  auto const octave = [](std::int64_t n) {
    return std::to_string(
        static_cast<int>(std::floor(std::log2(static_cast<double>(std::max<std::int64_t>(n, 1))))));
  };
  std::string text = kind == SumKind::q ? "q" : kind == SumKind::forward ? "forward" : "fhd";
  return text + ", 2^" + octave(samples) + " samples, 2^" + octave(voxels) + " voxels";
}

}  // namespace findrho
