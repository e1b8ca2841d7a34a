// SPDX-License-Identifier: BSD-3-Clause
// What one run told about itself, kept for the manifest: phases, iterations, notes and warnings.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/core/events.hpp"

namespace findrho {

struct RunRecord {
  struct PhaseTime {
    std::string name;
    double seconds = 0;
    int depth = 0;  // 0: not inside another phase; only these add up to the run's time
  };
  struct Iteration {
    std::string phase;
    std::int64_t step = 0;
    double residual = 0;
    double objective = 0;
  };
  struct Allocation {
    std::string what;
    std::int64_t bytes = 0;
  };
  std::vector<PhaseTime> phases;  // in the order in which they ended
  std::vector<Iteration> iterations;
  std::vector<Allocation> allocations;
  std::vector<std::string> notes, warnings;

  /// depth: how many phases enclose the event's phase.
  void add(Event const& event, int depth);
};

}  // namespace findrho
