// SPDX-License-Identifier: BSD-3-Clause
// Which rung to take for a sum: the fastest that is accurate enough.
#pragma once
#include "findrho/dft/rung.hpp"

namespace findrho {

/// Where a sum can be evaluated. Tensor cores: those of Hopper, whose instructions the rungs use.
enum class SumDevice { cpu, cuda, cuda_tensor };

struct RungWish {
  double accuracy = 1e-5;  // relative l2 distance from the sum in double
  bool grid = true;        // the voxels form a regular grid: on_grid(sum)
  bool in_double = false;  // the sum is given in double precision
  SumDevice device = SumDevice::cpu;
};

/// What to expect of a rung in single precision for random data, relative l2 distance: docs/math/separable.md for the
/// separable ones; the others form an angle of up to `turns` turns in float.
double expected_error(Rung rung, double turns);

/// The fastest rung, as measured at 128^3 (bench/README.md), whose expected error for angles of up to `turns` turns does
/// not exceed the wish. Without one the most accurate of the device: error() of a sum in single precision ends near 1e-6.
Rung fastest_rung(RungWish const& wish, double turns);

/// What a rung runs with unless told otherwise. Blocks of 1024 on a device, as the textbook's arithmetic has it; of the
/// separable rungs the samples that are summed in registers, as many as their accuracy allows (docs/math/separable.md).
RungOptions default_options(Rung rung, SumDevice device);

}  // namespace findrho
