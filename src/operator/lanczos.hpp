// SPDX-License-Identifier: BSD-3-Clause
// The search for the largest eigenvalue without its vectors, which live on the processor or on a device.
#pragma once
#include <cstdint>

#include "findrho/operator/largest_eigenvalue.hpp"

namespace findrho {

/// One Lanczos recurrence: q is the current vector, of length 1 at the start.
class LanczosVectors {
 public:
  virtual ~LanczosVectors() = default;
  struct Step {
    double alpha, beta;  // Re<q, A q>, |A q - alpha q - beta_before before|
  };
  virtual Step step(double beta_before) = 0;
  /// The rest of the step, over beta, becomes q.
  virtual void advance(double beta) = 0;
};

/// Errors  bad_option, when a step is not finite
///   size     elements of a vector
///   epsilon  of its precision
double largest_eigenvalue(Context const& context, LanczosVectors& vectors, std::int64_t size, double epsilon,
                          PowerOptions const& options);

/// Complex Gaussian numbers of length 1 in all: the start vector.
template <class T>
void fill_start_vector(Context const& context, std::uint64_t seed, View<std::complex<T>> q);

void check_power_options(PowerOptions const& options);

}  // namespace findrho
