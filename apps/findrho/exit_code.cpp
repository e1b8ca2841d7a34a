// SPDX-License-Identifier: BSD-3-Clause
#include "exit_code.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

namespace findrho {
namespace {

constexpr int kUnexpected = 1;

struct Row {
  ErrorKind kind;
  int code;
  char const* meaning;
};

constexpr Row kRows[] = {
    {ErrorKind::bad_option, 2, "an option or command that does not exist or does not fit"},
    {ErrorKind::bad_file, 3, "a file that cannot be read, or whose contents contradict themselves"},
    {ErrorKind::bad_shape, 4, "sizes that do not fit each other"},
    {ErrorKind::cannot_write, 5, "an output that exists already, or cannot be written"},
    {ErrorKind::out_of_memory, 6, "not enough memory"},
    {ErrorKind::not_built, 7, "a feature that this build lacks"},
    {ErrorKind::no_device, 8, "the asked device is not there"},
    {ErrorKind::device_fault, 9, "the device failed while working"},
    {ErrorKind::wrong_space, 10, "memory of the wrong device (a defect of findrho)"},
    {ErrorKind::cancelled, 130, "interrupted"},
};

/// A message is one line, whatever a library put into it.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

int report(int code, std::string const& what, std::string const& hint) {
  std::fprintf(stderr, "findrho: %s\n", one_line(what).c_str());
  if (!hint.empty()) std::fprintf(stderr, "  -> %s\n", one_line(hint).c_str());
  return code;
}

}  // namespace

int exit_code(ErrorKind kind) {
  for (Row const& row : kRows) {
    if (row.kind == kind) return row.code;
  }
  return kUnexpected;
}

std::vector<ExitCode> exit_codes() {
  std::vector<ExitCode> codes{{0, "success"}, {kUnexpected, "an unexpected failure (a defect of findrho)"}};
  for (Row const& row : kRows) codes.push_back({row.code, row.meaning});
  return codes;
}

int report_current_exception() {
  try {
    throw;
  } catch (Error const& error) {
    return report(exit_code(error.kind), error.what(), error.hint);
  } catch (std::bad_alloc const&) {
    return report(exit_code(ErrorKind::out_of_memory), "not enough memory",
                  "close other programs, or ask for a smaller matrix or fewer coils");
  } catch (std::exception const& error) {
    return report(kUnexpected, std::string("unexpected failure: ") + error.what(),
                  "please report it with the command and the output of findrho doctor");
  } catch (...) {
    return report(kUnexpected, "unexpected failure of unknown kind",
                  "please report it with the command and the output of findrho doctor");
  }
}

}  // namespace findrho
