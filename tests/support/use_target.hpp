// SPDX-License-Identifier: BSD-3-Clause
// Runs a test under each instruction set that findrho's vector code is compiled for and this machine has.
#pragma once
#include <cstdint>

#include "backend/cpu/targets.hpp"

#include <hwy/highway.h>
#include <hwy/targets.h>

namespace findrho::test {

/// Makes Highway choose one instruction set until the end of the scope.
struct UseTarget {
  explicit UseTarget(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  ~UseTarget() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

/// f(name) under each; returns how many there were.
template <class F>
int under_each_target(F const& f) {
  // The baseline's bit is not listed as supported, and always is.
  std::int64_t const here = hwy::SupportedTargets() | HWY_STATIC_TARGET;
  int tested = 0;
  for (std::int64_t targets = HWY_TARGETS; targets != 0; targets &= targets - 1) {
    std::int64_t const target = targets & -targets;
    if ((target & here) == 0) continue;
    UseTarget const use(target);
    f(hwy::TargetName(target));
    ++tested;
  }
  return tested;
}

}  // namespace findrho::test
