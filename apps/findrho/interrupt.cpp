// SPDX-License-Identifier: BSD-3-Clause
#include "interrupt.hpp"

#include <unistd.h>

#include <array>
#include <csignal>
#include <cstring>

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

/// write(2) of a text; where even that fails there is nobody left to tell.
void say(char const* text) {
  [[maybe_unused]] ssize_t const written = write(STDERR_FILENO, text, std::strlen(text));
}

extern "C" void on_crash(int signal) {
  discard_staged_files();
  say("findrho: unexpected failure: the program crashed (SIG");
  say(sigabbrev_np(signal));
  say(")\n  -> see whether findrho info reads the input files, one may be damaged; otherwise please report "
      "it\n");
  _exit(kUnexpectedFailure);
}

}  // namespace

void watch_crashes() {
  static std::array<char, 1 << 16> stack;  // the usual one may be what ran out
  stack_t const other{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  sigaltstack(&other, nullptr);
  for (int const signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    struct sigaction action {};
    sigaction(signal, nullptr, &action);
    if (action.sa_handler != SIG_DFL) continue;  // a sanitizer's
    action.sa_handler = on_crash;
    action.sa_flags = SA_ONSTACK;
    sigaction(signal, &action, nullptr);
  }
}

void watch_interrupts() {
  struct sigaction action {};
  action.sa_handler = on_interrupt;
  action.sa_flags = SA_RESTART;  // a read or write under way goes on; the work looks at the flag
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
  // These would end the program with its temporary files in place: a write beyond `ulimit -f` is an error like a full
  // disk, and a reader of the progress that has gone is no reason to lose the image.
  action.sa_handler = SIG_IGN;
  sigaction(SIGXFSZ, &action, nullptr);
  sigaction(SIGPIPE, &action, nullptr);
}

std::atomic<bool> const& interrupt_flag() {
  return interrupted;
}

}  // namespace findrho
