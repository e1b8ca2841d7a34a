// SPDX-License-Identifier: BSD-3-Clause
// What the library tells its caller while it works. The library never prints.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace findrho {

struct Event {
  enum class Type {
    phase_begin,  // text: the phase ("read", "plan", "solve", ...)
    phase_end,    // text: the phase; seconds: its wall time
    iteration,    // text: the phase; step of total; residual, objective
    allocation,   // text: what for; bytes
    note,         // text: a choice that was made, with its reason
    warning       // text: something doubtful in the input, and what was assumed
  };
  Type type = Type::note;
  std::string text;
  std::int64_t step = 0;
  std::int64_t total = 0;
  double residual = 0;   // relative residual |r|/|b|
  double objective = 0;  // 1/2 |F rho - d|^2_w + lambda/2 |W rho|^2
  double seconds = 0;
  std::int64_t bytes = 0;
};

using EventSink = std::function<void(Event const&)>;

}  // namespace findrho
