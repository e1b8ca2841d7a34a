// SPDX-License-Identifier: BSD-3-Clause
// findrho ladder --quality: what the rungs and their rivals do to the image of a known object.
#pragma once
#include <optional>
#include <string>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/core/context.hpp"

namespace findrho {

struct QualityOptions {
  std::string size = "128x128";
  double snr = 20;
  double lambda = 3e-4;
  int iterations = 30;
  double max_psnr_loss_db = 0.1;  // what the application accepts of a faster rung
  std::uint64_t seed = 1;
  std::string picture;  // staged; empty: none
};

/// The tables as text. session: adds the device's rows.
/// Errors  bad_option, cannot_write
std::string quality_tables(Context const& context, QualityOptions const& options,
                           std::optional<CudaSession> const& session);

}  // namespace findrho
