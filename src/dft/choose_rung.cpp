// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/dft/choose_rung.hpp"

#include <cmath>
#include <numbers>
#include <span>

#include "findrho/dft/ladder.hpp"

namespace findrho {
namespace {

// The fastest first, by measurement.
constexpr Rung kOnTensorCores[] = {Rung::separable_fp16, Rung::separable_tf32, Rung::separable_split};
constexpr Rung kOnAnyDevice[] = {Rung::separable_fp32, Rung::tuned, Rung::gather_fast_trig,
                                 Rung::gather_constant_padded};
constexpr Rung kOnCpu[] = {Rung::separable_vector, Rung::gather_vector};

constexpr double kFloatClass = 5e-6, kElevenBits = 5e-4;

}  // namespace

double expected_error(Rung rung, double turns) {
  switch (rung) {
    case Rung::separable_fp16:
    case Rung::separable_tf32:
      return kElevenBits;
    case Rung::separable_vector:
    case Rung::separable_fp32:
    case Rung::separable_split:
      return kFloatClass;
    default: {
      // three roundings of the angle, evenly spread in -turns..turns; the sine units' own 2^-21.4
      double const angle = 2 * std::numbers::pi * turns * std::exp2(-24);
      return std::hypot(angle, facts(rung).in_double ? kFloatClass : std::exp2(-21.4) + kFloatClass);
    }
  }
}

Rung fastest_rung(RungWish const& wish, double turns) {
  Rung best = wish.device == SumDevice::cpu ? Rung::gather_vector : Rung::gather_constant_padded;
  double best_error = wish.in_double ? 0 : expected_error(best, turns);
  Rung found = best;
  bool is_found = false;
  auto const look = [&](std::span<Rung const> rungs) {
    for (Rung rung : rungs) {
      RungFacts const& f = facts(rung);
      if (is_found || (f.needs_grid && !wish.grid) || (wish.in_double && !f.in_double)) continue;
      double const error = wish.in_double ? 0 : expected_error(rung, turns);
      if (error <= wish.accuracy) found = rung, is_found = true;
      if (error < best_error) best = rung, best_error = error;
    }
  };
  if (wish.device == SumDevice::cuda_tensor) look(kOnTensorCores);
  look(wish.device == SumDevice::cpu ? std::span<Rung const>(kOnCpu) : std::span<Rung const>(kOnAnyDevice));
  return is_found ? found : best;
}

RungOptions default_options(Rung rung, SumDevice device) {
  bool const cuda = device != SumDevice::cpu;
  RungOptions const plain{.block_size = cuda ? 1024 : 256};
  switch (rung) {
    case Rung::gather_coarse:
      return {.block_size = cuda ? 512 : 256, .per_thread = 4};
    case Rung::tuned:
      return {.block_size = 256, .chunk = 2048, .unroll = 2, .per_thread = 8, .memory = SampleMemory::shared};
    case Rung::separable_tf32:
    case Rung::separable_fp16:
      return {.block_size = plain.block_size, .chunk = 8192};
    case Rung::separable_split:
      return {.block_size = plain.block_size, .chunk = 1024};
    case Rung::gather_vector:
      return {.block_size = 1024, .chunk = 512, .per_thread = 4};
    default:
      return plain;
  }
}

}  // namespace findrho
