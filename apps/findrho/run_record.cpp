// SPDX-License-Identifier: BSD-3-Clause
#include "run_record.hpp"

#include <sys/resource.h>

namespace findrho {

void RunRecord::add(Event const& event, int depth) {
  switch (event.type) {
    case Event::Type::phase_begin:
      break;
    case Event::Type::phase_end:
      phases.push_back({event.text, event.seconds, depth});
      break;
    case Event::Type::iteration:
      iterations.push_back({event.text, event.step, event.residual, event.objective});
      break;
    case Event::Type::allocation:
      allocations.push_back({event.text, event.bytes});
      break;
    case Event::Type::note:
      notes.push_back(event.text);
      break;
    case Event::Type::warning:
      warnings.push_back(event.text);
      break;
  }
}

std::int64_t peak_memory_bytes() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::int64_t>(usage.ru_maxrss) * 1024;  // Linux counts in KiB
}

}  // namespace findrho
