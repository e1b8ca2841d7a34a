// SPDX-License-Identifier: BSD-3-Clause
// The one exception type of findrho: a kind (for the exit code), what was wrong with the numbers, and the next step.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace findrho {

enum class ErrorKind {
  bad_shape,      // array extents that do not fit each other
  wrong_space,    // host memory where device memory is needed, or the reverse
  bad_file,       // a file that cannot be read, or whose contents contradict themselves
  bad_option,     // an option whose value is out of range or does not apply
  not_built,      // a feature that this build lacks
  no_device,      // the asked device is not there
  out_of_memory,  // host or device memory that is not there
  device_fault,   // the device failed while working
  cannot_write,   // an output that exists already, or a disk that refuses it
  cancelled       // the user asked to stop
};

/// Every failure that findrho reports.
///   what()  one line: what was wrong, with the numbers
///   hint    the next step to take; may be empty
struct Error : std::runtime_error {
  Error(ErrorKind kind_, std::string const& what, std::string hint_ = {})
      : std::runtime_error(what), kind(kind_), hint(std::move(hint_)) {}
  ErrorKind kind;
  std::string hint;
};

}  // namespace findrho
