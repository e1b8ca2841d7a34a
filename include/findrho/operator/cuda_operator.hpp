// SPDX-License-Identifier: BSD-3-Clause
// Operators on arrays in device memory.
#pragma once
#include <complex>
#include <cstdint>
#include <stdexcept>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/operator/largest_eigenvalue.hpp"

namespace findrho {

/// A square linear map of images in device memory. After the first call nothing is allocated or waited for, so that calls
/// may be recorded in a CudaGraph.
template <class T>
class CudaOperator {
 public:
  using C = std::complex<T>;
  virtual ~CudaOperator() = default;
  /// z = A x, queued on the operator's session
  virtual void apply(C const* x, C* z) const = 0;
  /// Of apply_with_form; 0: this operator has none.
  virtual std::int64_t form_parts() const { return 0; }
  /// z = A x + shift x, and Re <x, z> as form_parts() numbers whose sum it is, in device memory: cheaper than another pass.
  virtual void apply_with_form(C const* x, C* z, double shift, double* parts) const {
    (void)x, (void)z, (void)shift, (void)parts;
    throw std::logic_error("an operator without form_parts was asked for them");
  }
};

/// largest_eigenvalue() of a device operator, from the same start vector; the vectors stay on the device.
///   size  elements of a vector
/// Errors  those of largest_eigenvalue(); out_of_memory, device_fault
template <class T>
double cuda_largest_eigenvalue(Context const& context, CudaSession const& session, CudaOperator<T> const& A,
                               std::int64_t size, PowerOptions const& options = {});

}  // namespace findrho
