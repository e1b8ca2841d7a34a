// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: every call's answer is checked, and every failure leaves as a CudaFault.
#pragma once
#include <cuda_runtime.h>

#include <cstdio>
#include <new>
#include <stdexcept>
#include <string>

#include "backend/cuda/module_abi.hpp"

#define FINDRHO_EXPORT extern "C" __attribute__((visibility("default")))
/// Throws, naming the call, unless it answers cudaSuccess.
#define FINDRHO_CHECK(call) ::findrho::check((call), #call)

namespace findrho {

struct ModuleFailure : std::runtime_error {
  ModuleFailure(CudaFault::Kind kind_, std::string const& what) : std::runtime_error(what), kind(kind_) {}
  CudaFault::Kind kind;
};

struct CudaFailure : ModuleFailure {
  CudaFailure(char const* call, cudaError_t code_)
      : ModuleFailure(
            code_ == cudaErrorMemoryAllocation ? CudaFault::out_of_memory : CudaFault::device_fault,
            std::string(call) + ": " + cudaGetErrorString(code_) + " (" + cudaGetErrorName(code_) + ")"),
        code(code_) {}
  cudaError_t code;
};

inline void check(cudaError_t code, char const* call) {
  if (code == cudaSuccess) return;
  cudaGetLastError();  // a failure that was reported once must not fail the next launch too
  throw CudaFailure(call, code);
}

/// After every launch: its parameters are judged at once, its faults at the next synchronisation.
inline void check_launch(char const* kernel) {
  cudaError_t const code = cudaGetLastError();
  if (code != cudaSuccess) throw CudaFailure((std::string("launch of ") + kernel).c_str(), code);
}

inline int report(CudaFault* fault, CudaFault::Kind kind, char const* text) {
  fault->kind = kind;
  std::snprintf(fault->text, sizeof(fault->text), "%s", text);
  return 1;
}

/// Runs the body of a table's function.
template <class F>
int guarded(CudaFault* fault, F&& body) noexcept {
  try {
    body();
    return 0;
  } catch (ModuleFailure const& failure) {
    return report(fault, failure.kind, failure.what());
  } catch (std::bad_alloc const&) {
    return report(fault, CudaFault::out_of_memory, "host memory ran out");
  } catch (std::exception const& failure) {
    return report(fault, CudaFault::device_fault, failure.what());
  }
}

}  // namespace findrho
