// SPDX-License-Identifier: BSD-3-Clause
#include "exit_code.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <new>

namespace findrho {
namespace {

constexpr char const* kReport = "please report it with the command and the output of findrho doctor";

struct Row {
  ErrorKind kind;
  int code;
  char const* meaning;
  char const* next_step;  // for an error that names none of its own
};

constexpr Row kRows[] = {
    {ErrorKind::bad_option, 2, "an option or command that does not exist or does not fit",
     "see findrho COMMAND --help"},
    {ErrorKind::bad_file, 3, "a file that cannot be read, or whose contents contradict themselves",
     "copy or convert the file again; findrho info shows what it holds"},
    {ErrorKind::bad_shape, 4, "sizes that do not fit each other",
     "findrho info shows the sizes that a file holds"},
    {ErrorKind::cannot_write, 5, "an output that exists already, or cannot be written",
     "give another output, on a disk with free space"},
    {ErrorKind::out_of_memory, 6, "not enough memory",
     "close other programs, or ask for a smaller matrix or fewer coils"},
    {ErrorKind::not_built, 7, "a feature that this build lacks",
     "findrho doctor shows what this build has and what it lacks"},
    {ErrorKind::no_device, 8, "the asked device is not there",
     "findrho doctor shows the devices that are there"},
    {ErrorKind::device_fault, 9, "the device failed while working", "compute on the CPU with --device cpu"},
    {ErrorKind::wrong_space, 10, "memory of the wrong device (a defect of findrho)", kReport},
    {ErrorKind::cancelled, 130, "interrupted", "start it again; nothing was written"},
};

char const* next_step(ErrorKind kind) {
  for (Row const& row : kRows) {
    if (row.kind == kind) return row.next_step;
  }
  return kReport;
}

/// A message is one line, whatever a library put into it.
std::string one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  while (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

int report(int code, std::string const& what, std::string const& hint) {
  std::fprintf(stderr, "findrho: %s\n", one_line(what).c_str());
  std::fprintf(stderr, "  -> %s\n", one_line(hint).c_str());
  return code;
}

}  // namespace

int exit_code(ErrorKind kind) {
  for (Row const& row : kRows) {
    if (row.kind == kind) return row.code;
  }
  return kUnexpectedFailure;
}

std::vector<ExitCode> exit_codes() {
  std::vector<ExitCode> codes{{0, "success"},
                              {kUnexpectedFailure, "an unexpected failure (a defect of findrho)"}};
  for (Row const& row : kRows) codes.push_back({row.code, row.meaning});
  return codes;
}

int report_current_exception() {
  try {
    throw;
  } catch (Error const& error) {
    return report(exit_code(error.kind), error.what(),
                  error.hint.empty() ? next_step(error.kind) : error.hint);
  } catch (std::bad_alloc const&) {
    return report(exit_code(ErrorKind::out_of_memory), "not enough memory",
                  next_step(ErrorKind::out_of_memory));
  } catch (std::exception const& error) {
    return report(kUnexpectedFailure, std::string("unexpected failure: ") + error.what(), kReport);
  } catch (...) {
    return report(kUnexpectedFailure, "unexpected failure of unknown kind", kReport);
  }
}

}  // namespace findrho
