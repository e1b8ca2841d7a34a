// SPDX-License-Identifier: BSD-3-Clause
// 3D cones: spirals on the surfaces of cones around the z axis.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/scanner.hpp"

namespace findrho {

struct ConesOptions {
  std::int64_t equator_interleaves = 0;  // of the cone nearest to the equator; 0: from longest_readout_s
  double undersampling = 1;  // distance between cones at the edge and between turns, in cycles per FOV
  double longest_readout_s = 0.01;
  std::int64_t readout_oversampling = 1;  // samples per cycle per FOV along the readout, at least
  double dwell_s = 4e-6;
  Scanner scanner{};
};

/// Polar angles (i + 1/2) pi / C with C = pi/2 N / undersampling cones; the cone at angle a has n sin(a) interleaves, rounded
/// up (more where its tight turns would make the readout too long), n on the equator, whose turns are `undersampling` apart along the surface. Every cone is designed as fast as the
/// scanner allows (time_optimal), then played at the duration of the slowest one, so that all readouts are equally long.
/// Units   k in cycles per FOV, |k_d| <= N_d/2
/// DC      on sample 0 of every readout
/// Time    from sample 0
/// Errors  bad_option (also: a readout longer than longest_readout_s, saying how many interleaves would do)
/// Source  Gurney, Hargreaves and Nishimura, MRM 55:575 (2006), doi:10.1002/mrm.20796
Trajectory make_cones(Matrix const& matrix, ConesOptions const& options = {});

}  // namespace findrho
