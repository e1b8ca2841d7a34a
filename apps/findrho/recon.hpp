// SPDX-License-Identifier: BSD-3-Clause
// The run behind findrho recon, shared with findrho rerun.
#pragma once
#include <string>
#include <vector>

#include "recon_options.hpp"

namespace findrho {
class App;

/// Reads, reconstructs, writes all outputs and the manifest together.
/// command: its options with their values go into the manifest.
/// Returns the SHA-256 of each output, in order; empty for a dry run.
std::vector<std::string> run_recon(App& app, ReconArguments const& arguments, CLI::App const& command);

}  // namespace findrho
