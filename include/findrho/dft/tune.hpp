// SPDX-License-Identifier: BSD-3-Clause
// The search for the tuned rung's options: all of them, one knob at a time, and only those that the compiled kernels'
// own figures call promising. What was found is remembered by device, driver and problem class.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "findrho/dft/cuda_ladder.hpp"

namespace findrho {

/// One point of the search space.
struct TuneCandidate {
  RungOptions options;
  double seconds = 0;      // of the slice; 0: not timed
  double efficiency = 0;   // 1 / (instructions per thread x threads), relative to the best candidate
  double utilisation = 0;  // independent warps that can hide a stall, see docs/design/ladder.md
};

/// Times one candidate; nothing, where the device cannot launch it.
using TuneTimer = std::function<std::optional<double>(RungOptions const&)>;
/// Fills in efficiency and utilisation without running; false, where the device cannot launch it.
using TuneModel = std::function<bool(TuneCandidate&)>;

struct TuneStrategy {
  std::string name;
  std::size_t timed = 0;  // how many candidates were timed
  RungOptions best;
  double seconds = 0;  // of the best
  double loss = 0;     // seconds / exhaustive seconds - 1
};

struct TuneReport {
  std::vector<TuneCandidate> candidates;  // timed by the exhaustive search
  TuneStrategy exhaustive, greedy, pruned;
  bool has_pruned = false;
  double worst_seconds = 0, median_seconds = 0;
};

std::vector<RungOptions> cuda_tune_space();
/// For gather_vector: block, chunk and vectors in flight.
std::vector<RungOptions> cpu_tune_space();

/// Runs the strategies; each candidate is timed once and remembered. model may be empty: no pruning.
/// Errors  bad_option, when no candidate could be timed; cancelled
TuneReport tune(std::vector<RungOptions> const& space, RungOptions const& start, TuneTimer const& time,
                TuneModel const& model = {});

/// Indices of the candidates that no other one beats in both figures.
std::vector<std::size_t> pareto_front(std::vector<TuneCandidate> const& candidates);

/// Efficiency and utilisation of a candidate on a device, from registers, occupancy and loop instructions.
void estimate_candidate(TuneCandidate& candidate, LaunchFigures const& figures, double samples,
                        double voxels);

/// What a problem has in common with others that the same options suit: kind and sizes to a factor of two.
std::string problem_class(SumKind kind, std::int64_t samples, std::int64_t voxels);

/// The remembered options, one line each in <folder>/tuned-rungs.tsv.
struct TunedEntry {
  std::string device, driver, problem;
  RungOptions options;
  double pairs_per_second = 0;
};
std::optional<TunedEntry> find_tuned(std::filesystem::path const& folder, std::string const& device,
                                     std::string const& driver, std::string const& problem);
/// Replaces the entry of the same device, driver and problem.
/// Errors  cannot_write
void remember_tuned(std::filesystem::path const& folder, TunedEntry const& entry);

}  // namespace findrho
