// SPDX-License-Identifier: BSD-3-Clause
// A small NUFFT against the exact sum: shows that the vector code works on this processor.
#pragma once
#include "findrho/core/context.hpp"

namespace findrho {

struct SelfTest {
  double asked = 0;                             // accuracy asked of the NUFFT
  double forward_error = 0, adjoint_error = 0;  // relative l2 norms against the exact sums
  bool passed() const { return forward_error <= asked && adjoint_error <= asked; }
};

SelfTest run_self_test(Context const& context);

}  // namespace findrho
