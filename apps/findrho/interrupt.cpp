// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <unistd.h>
#include <csignal>

#include "exit_code.hpp"
#include "findrho/io/output_set.hpp"

namespace findrho {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may touch only lock-free atomics");

extern "C" void on_interrupt(int) {
  if (!interrupted.exchange(true)) return;
  // False while finished files are being renamed: that takes microseconds, and then the run ends by itself.
  if (discard_staged_files()) _exit(exit_code(ErrorKind::cancelled));
}

}  // namespace

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;  // a read or write under way goes on; the work looks at the flag
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

std::atomic<bool> const& interrupt_flag() {
  return interrupted;
}

}  // namespace findrho
