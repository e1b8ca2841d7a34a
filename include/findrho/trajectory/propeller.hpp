// SPDX-License-Identifier: BSD-3-Clause
// PROPELLER: blades of parallel lines through the centre, one blade turned from the next.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"

namespace findrho {

struct PropellerOptions {
  std::int64_t lines = 16;            // of a blade, one cycle per FOV apart
  std::int64_t blades = 0;            // 0: Nyquist at the edge of k-space, pi/2 N / lines
  double undersampling = 1;           // divides the Nyquist count where blades is 0
  std::int64_t samples_per_line = 0;  // 0: N times readout_oversampling
  std::int64_t readout_oversampling = 1;
  double dwell_s = 5e-6;
};

/// Blade b is turned by pi b / blades; its line l of L lies l - floor(L/2) cycles per FOV from the centre. Lines end where
/// the outermost one of the blade meets the circle |k| = N/2, so that no blade leaves it. One readout per line.
/// Units   k in cycles per FOV, |k_d| <= N_d/2
/// DC      on sample floor(S/2) of line floor(L/2) of every blade
/// Time    from sample floor(S/2)
/// Errors  bad_option
/// Source  Pipe, MRM 42:963 (1999), doi:10.1002/(SICI)1522-2594(199911)42:5<963::AID-MRM17>3.0.CO;2-L
Trajectory make_propeller(Matrix const& matrix, PropellerOptions const& options = {});

}  // namespace findrho
