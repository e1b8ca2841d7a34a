// SPDX-License-Identifier: BSD-3-Clause
// The two halves of a simulation: what the coils receive, and the scan that it is written as.
#pragma once
#include <complex>

#include "findrho/recipe/simulate.hpp"

namespace findrho {

/// What the coils receive of the object without noise, and the object itself.
struct ReceivedSignal {
  Array<std::complex<double>> truth;    // (z, y, x)
  double mean_inside = 0;               // of the truth
  Array<std::complex<double>> samples;  // (coil, sample)
  std::string method;                   // how they were computed, for the user
};

/// In closed form where the object is made of solids, the coils are polynomials and the field is linear; else by the sum
/// over voxels.
ReceivedSignal receive(Context const& context, SimulateOptions const& options, Trajectory const& trajectory,
                       CoilArray const& coils);

/// Errors  out_of_memory, where samples, maps and image of a scan along this trajectory do not fit
void require_simulation_memory(SimulateOptions const& options, Trajectory const& trajectory);

/// Fills result.scan. The noise readout comes first; a view of nothing leaves it out.
void write_readouts(SimulateOptions const& options, View<std::complex<double> const> samples,
                    View<std::complex<double> const> noise, SimulatedScan& result);

}  // namespace findrho
