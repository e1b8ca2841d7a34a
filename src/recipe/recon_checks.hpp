// SPDX-License-Identifier: BSD-3-Clause
// What reconstruct() settles and refuses before it does any work.
#pragma once
#include "findrho/recipe/recon.hpp"
#include "stack.hpp"

namespace findrho {

/// Method and coil mode chosen where they were left open; the rest checked.
/// Errors  bad_option
ReconOptions resolve_options(Dataset const& dataset, ReconOptions options, ReconInputs const& inputs);

/// Maps and reference fit the scan and hold usable numbers.
/// Errors  bad_shape, bad_file, bad_option (the prior wants a reference)
void check_inputs(Dataset const& dataset, StackPlan const& stack, ReconOptions const& options,
                  ReconInputs const& inputs);

/// Errors  out_of_memory, when the estimate is beyond what the system can give
void check_memory(Context const& context, Dataset const& dataset, ReconOptions const& options,
                  ReconInputs const& inputs);

}  // namespace findrho
