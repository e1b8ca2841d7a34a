// SPDX-License-Identifier: BSD-3-Clause
// Program side: a call through a function table of the module, its fault thrown as Error.
#pragma once
#include <utility>

#include "backend/cuda/module_abi.hpp"
#include "findrho/backend/cuda_session.hpp"

namespace findrho {

template <class... Parameters, class... Arguments>
void call(CudaSession const& session, int (*function)(Parameters...), Arguments&&... arguments) {
  CudaFault fault{};
  if (function(std::forward<Arguments>(arguments)..., &fault) != 0) throw_fault(fault, session.device().name);
}

}  // namespace findrho
