// SPDX-License-Identifier: BSD-3-Clause
// Runs other programs, for tests in which an independent reader opens what we wrote.
#pragma once
#include <stdio.h>

#include <cstdlib>
#include <string>

namespace findrho::test {

struct ShellResult {
  int status = -1;  // 0: success
  std::string output;
};

/// Runs a command line in sh; output holds what it printed.
inline ShellResult shell(std::string const& command) {
  ShellResult result;
  FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) return result;
  char block[4096];
  for (std::size_t n; (n = fread(block, 1, sizeof block, pipe)) > 0;) result.output.append(block, n);
  result.status = pclose(pipe);
  return result;
}

inline bool succeeds(std::string const& command) {
  return shell(command).status == 0;
}

}  // namespace findrho::test
