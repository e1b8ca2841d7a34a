// SPDX-License-Identifier: BSD-3-Clause
// Rosettes: the readout swings through the centre again and again while it turns.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/scanner.hpp"

namespace findrho {

struct RosetteOptions {
  std::int64_t petals = 16;  // of one shot
  std::int64_t shots = 0;    // 0: Nyquist
  double turn =
      0.5;  // turning over swinging frequency, about: rounded so that the petals of a shot spread evenly
  double undersampling = 1;               // divides the Nyquist count where shots is 0
  std::int64_t readout_oversampling = 1;  // samples per cycle per FOV along the readout, at least
  double dwell_s = 4e-6;
  Scanner scanner{};
};

/// k(t) = N_d/2 sin(w1 t) (cos, sin)(w2 t + shot angle); w1 as high as gradient, slew rate and sample distance allow, and so
/// that a petal has a whole number of samples. With q = w2/w1 and M petals in all, two neighbouring crossings at radius r
/// are 2 pi r/M apart along the circle and at most pi N / (M (1 + q)) apart across the lines: Nyquist is M = pi N / (1 + q).
/// Units   k in cycles per FOV, |k_d| <= N_d/2
/// DC      on the first sample of every petal
/// Time    from the first sample of the shot
/// Errors  bad_option
/// Source  Noll, IEEE TMI 16:372 (1997)
Trajectory make_rosette(Matrix const& matrix, RosetteOptions const& options = {});

}  // namespace findrho
