// SPDX-License-Identifier: BSD-3-Clause
// Spirals designed under gradient and slew limits, Archimedean or thinner towards the edge of k-space.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/scanner.hpp"

namespace findrho {

enum class SpiralDirection {
  out,    // from the centre
  in,     // to the centre
  in_out  // from the edge through the centre to the opposite edge
};

struct SpiralVdOptions {
  std::int64_t interleaves = 0;  // 0: as few as keep the readout below longest_readout_s
  SpiralDirection direction = SpiralDirection::out;
  double undersampling = 1;       // at the centre: distance between neighbouring turns in cycles per FOV
  double undersampling_edge = 0;  // at the edge; 0: as at the centre (Archimedean)
  double core = 0;  // part of the radius that keeps the centre's undersampling; linear beyond it
  double longest_readout_s = 0.01;
  std::int64_t readout_oversampling = 1;  // samples per cycle per FOV along the readout, at least
  double dwell_s = 4e-6;
  Scanner scanner{};
};

/// Interleave i of n turns from x towards y, theta'(r) = 2 pi / (arms u(r)), u the undersampling at radius r in cycles per
/// FOV; arms = n (out, in) or 2 n (in_out, whose two halves are point reflections). It is played as fast as the scanner
/// allows (time_optimal). A matrix that is not square gives an ellipse, whose limits are met too.
/// Units   k in cycles per FOV, |k_d| <= N_d/2
/// DC      on the first (out), last (in) or middle sample (in_out) of every interleave
/// Time    from the sample at DC
/// Errors  bad_option (also: a readout longer than longest_readout_s, saying how many interleaves would do)
/// Source  variable density: Kim, Adalsteinsson and Spielman, MRM 50:214 (2003), doi:10.1002/mrm.10493;
///         timing: Lustig, Kim and Pauly, IEEE TMI 27:866 (2008), doi:10.1109/TMI.2008.922699;
///         in, in-out: Glover and Law, MRM 46:515 (2001), doi:10.1002/mrm.1222
Trajectory make_spiral_vd(Matrix const& matrix, SpiralVdOptions const& options = {});

}  // namespace findrho
