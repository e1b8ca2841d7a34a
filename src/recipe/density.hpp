// SPDX-License-Identifier: BSD-3-Clause
// Which density weights a reconstruction uses: the file's, a closed form where the trajectory has one, or Pipe-Menon.
#pragma once
#include <string>
#include <vector>

#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/recipe/recon.hpp"

namespace findrho {

/// Weights per sample, normalised to the sampled k-space area over prod N (docs/conventions.md); empty for none.
/// Emits a note that names the method chosen.
/// Errors  bad_option when the file has none or no closed form applies but one was asked for
///   cuda  where Pipe-Menon's iterations run; nothing: the processor
std::vector<double> density_weights(Context const& context, Frame const& frame, Matrix const& matrix,
                                    DensityKind kind, std::optional<CudaSession> const& cuda = {});

}  // namespace findrho
