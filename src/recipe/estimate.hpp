// SPDX-License-Identifier: BSD-3-Clause
// What a reconstruction will take beyond what the process holds already.
#pragma once
#include "findrho/recipe/recon.hpp"

namespace findrho {

/// Options resolved. Largest sum of what is held at one time.
std::int64_t additional_bytes(Context const& context, Dataset const& dataset, ReconOptions const& options,
                              ReconInputs const& inputs);

/// Options resolved. Memory of the device that they name; 0 without one.
std::int64_t device_bytes(Dataset const& dataset, ReconOptions const& options, ReconInputs const& inputs);

}  // namespace findrho
