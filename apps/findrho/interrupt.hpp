// SPDX-License-Identifier: BSD-3-Clause
// Ctrl-C: the first asks the work to stop and keep what it has, the second ends the program at once.
#pragma once
#include <atomic>

namespace findrho {

/// Installs the handler of SIGINT and SIGTERM.
void watch_interrupts();
/// Set by the first signal.
std::atomic<bool> const& interrupt_flag();

}  // namespace findrho
