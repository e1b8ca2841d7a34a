// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C: the first asks the work to stop and keep what it has, the second ends the program at once. A crash leaves no
// temporary file either.
#pragma once
#include <atomic>

namespace findrho {

/// Installs the handler of SIGINT and SIGTERM; SIGPIPE and SIGXFSZ become failed writes.
void watch_interrupts();
/// Installs the handler of crashes: a library that trips over a damaged file still ends in one line and an exit code.
void watch_crashes();
/// Set by the first signal.
std::atomic<bool> const& interrupt_flag();

}  // namespace findrho
