// SPDX-License-Identifier: BSD-3-Clause
// What a rung costs: timed on the whole sum, or on a stated slice of it where the whole would take too long.
#pragma once
#include <optional>
#include <string>

#include "findrho/dft/cuda_ladder.hpp"
#include "findrho/dft/ladder.hpp"

namespace findrho {

struct MeasureOptions {
  double budget_s = 0.5;  // a run that would take longer than this is timed on a slice
  int repeats = 3;        // the median counts
  int probes = 64;        // voxels whose sum in double is compared
};

struct RungTiming {
  Rung rung = Rung::sequential;
  bool cuda = false;
  RungOptions options;
  SumSlice slice;             // what was timed; samples and voxels are never 0 here
  bool extrapolated = false;  // the slice is less than the whole sum
  double pairs_per_second = 0;
  double seconds = 0;  // of the whole sum, by the rate
  double error = 0;    // relative l2 distance from the sum in double, over the probes; NaN for Mu alone
  std::optional<LaunchFigures> figures;
};

/// The part of a sum that has about so many pairs, with as many threads as the whole sum: all samples and few voxels
/// where a thread owns a sample, all voxels and few samples elsewhere, in whole chunks where there are more than one
/// (chunk 1: any number). A rung that needs a grid gets all of it: for F rho all "samples".
SumSlice slice_of(Rung rung, std::int64_t chunk, std::int64_t samples, std::int64_t voxels, double pairs,
                  SumKind kind = SumKind::fhd);

template <class T>
RungTiming time_on_cpu(Context const& context, ExactSum<T> const& sum, Rung rung, RungOptions const& options,
                       MeasureOptions const& measure = {});

/// Errors  not_built, device_fault, cancelled
template <class T>
RungTiming time_on_cuda(Context const& context, CudaSum<T>& device_sum, ExactSum<T> const& sum, Rung rung,
                        RungOptions const& options, MeasureOptions const& measure = {});

/// What the compiler made of the F^H d rung in single precision: instructions per step, by nvcc 13.0 for sm_90a, read
/// from the machine code by bench/loop_counts.py.
struct CompiledCount {
  double loads_stores;  // of global memory, atomics twice
  double constant;      // loads from constant memory
  double arithmetic;    // multiplications, additions and fused ones, each one instruction
  double special;       // sine and cosine units
  double all;           // every instruction of the loop
};
std::optional<CompiledCount> compiled_count(Rung rung);

}  // namespace findrho
