// SPDX-License-Identifier: BSD-3-Clause
// The Error that a call throws, so that a test can look at kind, words and numbers.
#pragma once
#include <gtest/gtest.h>

#include <string>

#include "findrho/core/error.hpp"

namespace findrho::test {

/// Fails the test, and returns an Error without words, when nothing is thrown.
template <class Call>
Error caught(Call&& call) {
  try {
    call();
  } catch (Error const& error) {
    return error;
  }
  ADD_FAILURE() << "no Error was thrown";
  return Error(ErrorKind::bad_option, "");
}

inline bool mentions(Error const& error, std::string const& words) {
  return (std::string(error.what()) + " " + error.hint).find(words) != std::string::npos;
}

}  // namespace findrho::test
