// SPDX-License-Identifier: BSD-3-Clause
// Archimedean spirals: |k| proportional to the angle.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"

namespace findrho {

enum class SpiralSpeed {
  constant_angular,  // equal angles between samples: dense in the centre
  constant_linear    // equal distances between samples
};

struct Spiral2dOptions {
  std::int64_t interleaves = 16;
  SpiralSpeed speed = SpiralSpeed::constant_linear;
  double undersampling = 1;  // distance between neighbouring turns in cycles per FOV; 1: Nyquist
  std::int64_t samples_per_interleave =
      0;  // 0: at most 1 / readout_oversampling cycles per FOV between samples
  std::int64_t readout_oversampling = 1;
  double dwell_s = 5e-6;  // time from sample to sample
};

/// Interleave i of n starts at the centre in the direction 2 pi i/n and turns from x towards y:
///   k(theta) = N_d/2 theta/theta_end (cos, sin)(theta + 2 pi i/n),  theta_end = pi N / (n undersampling)
/// Sample j of S lies at the fraction j/S of the angle (constant_angular) or of the length (constant_linear).
/// The geometry is exact; no gradient or slew limit is applied. A matrix that is not square gives an ellipse.
/// Units   k in cycles per FOV, |k_d| < N_d/2
/// DC      on sample 0 of every interleave
/// Time    from sample 0
/// Errors  bad_option
/// Source  Ahn, Kim and Cho, IEEE TMI 5:2 (1986), doi:10.1109/TMI.1986.4307732
Trajectory make_spiral_2d(Matrix const& matrix, Spiral2dOptions const& options = {});

}  // namespace findrho
