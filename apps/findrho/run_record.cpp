// SPDX-License-Identifier: BSD-3-Clause
#include "run_record.hpp"

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

}  // namespace findrho
