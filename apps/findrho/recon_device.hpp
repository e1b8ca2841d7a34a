// SPDX-License-Identifier: BSD-3-Clause
// Which device a reconstruction runs on.
#pragma once
#include <functional>
#include <optional>

#include "app.hpp"
#include "findrho/backend/cuda_session.hpp"
#include "findrho/recipe/recon.hpp"

namespace findrho {

/// A session where --device asks for one, or where it is auto, a device is there and the work is worth it.
/// Errors  not_built, no_device, device_fault, out_of_memory; none with auto, which takes the CPU with a note
std::optional<CudaSession> open_recon_device(App& app, Context const& context, Dataset const& dataset,
                                             ReconOptions const& options);

/// reconstruct(); with --device auto, what the device cannot do is done on the CPU, with a note.
ReconResult reconstruct_on(App& app, Context const& context, Dataset const& dataset, ReconOptions& options,
                           ReconInputs const& inputs);

/// "cpu" or "cuda:<n>"
std::string device_name(ReconOptions const& options);

}  // namespace findrho
