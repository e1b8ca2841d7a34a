// SPDX-License-Identifier: BSD-3-Clause
// The exit code of every kind of failure. They are part of the interface: the man page and CONTRIBUTING.md
// list them.
#pragma once
#include <string>
#include <vector>

#include "findrho/core/error.hpp"

namespace findrho {

constexpr int kUnexpectedFailure = 1;  // no kind of error: a defect of findrho

int exit_code(ErrorKind kind);

struct ExitCode {
  int code;
  std::string meaning;
};
/// All of them in order, for the man page.
std::vector<ExitCode> exit_codes();

/// Prints "findrho: <what>" and "  -> <hint>" on stderr and returns the exit code of the exception in flight.
int report_current_exception();

}  // namespace findrho
