// SPDX-License-Identifier: BSD-3-Clause
// The ladder's table: what each rung is about, and what its source declares.
#include <algorithm>
#include <array>

#include "findrho/core/error.hpp"
#include "findrho/dft/ladder.hpp"

namespace findrho {
namespace {

constexpr bool kYes = true, kNo = false;

// The counts follow the rule in ladder.hpp. gather, for F^H d: kx x ky y kz z (6), Mu twice each (4), both sums read
// and written (4); 5 operations for the angle, 4 for each sum.
// Of each: rung, name, idea, owner; accesses and operations for F^H d and for Q; on_cpu, on_gpu, in_double, slow, bytes of a
// sample in constant memory, needs_grid where it does.
// clang-format off
constexpr auto kFacts = std::to_array<RungFacts>({
    {Rung::sequential, "sequential", "the loop nest for one core", "-",
     {14, 13}, {12, 9}, kYes, kNo, kYes, kYes, 0},
    {Rung::pair, "pair", "one thread per pair", "a pair",
     {18, 19}, {14, 13}, kYes, kYes, kYes, kYes, 0},
    {Rung::scatter, "scatter", "outer loop to threads, atomics", "a sample",
     {14, 13}, {12, 9}, kYes, kYes, kYes, kYes, 0},
    {Rung::mu, "mu", "loop fission: Mu alone", "a sample",
     {10, 6}, {5, 4}, kYes, kYes, kYes, kNo, 0},
    {Rung::scatter_fissioned, "scatter_fissioned", "scatter with Mu read", "a sample",
     {14, 13}, {12, 9}, kYes, kYes, kYes, kYes, 0},
    {Rung::gather, "gather", "loop interchange, no atomics", "a voxel",
     {14, 13}, {12, 9}, kYes, kYes, kYes, kNo, 0},
    {Rung::gather_registers, "gather_registers", "position and sums in registers", "a voxel",
     {7, 13}, {5, 9}, kYes, kYes, kYes, kNo, 0},
    {Rung::gather_constant, "gather_constant", "kx ky kz in constant memory", "a voxel",
     {2, 13}, {1, 9}, kYes, kYes, kYes, kNo, 12},
    {Rung::gather_constant_aos, "gather_constant_aos", "one struct, one cache line", "a voxel",
     {2, 13}, {1, 9}, kYes, kYes, kYes, kNo, 12},
    {Rung::gather_constant_padded, "gather_constant_padded", "16-byte struct, Mu in constant memory", "a voxel",
     {0, 13}, {0, 9}, kYes, kYes, kYes, kNo, 24},
    {Rung::gather_readonly, "gather_readonly", "read-only cache instead", "a voxel",
     {5, 13}, {4, 9}, kYes, kYes, kYes, kNo, 0},
    {Rung::gather_fast_trig, "gather_fast_trig", "hardware sine and cosine", "a voxel",
     {0, 16}, {0, 12}, kYes, kYes, kNo, kNo, 24},
    {Rung::gather_coarse, "gather_coarse", "several voxels a thread", "R voxels",
     {0, 16}, {0, 12}, kYes, kYes, kNo, kNo, 24},
    {Rung::tuned, "tuned", "block, unroll, chunk, R, memory by search", "R voxels",
     {0, 13}, {0, 9}, kYes, kYes, kNo, kNo, 24},
    {Rung::gather_vector, "gather_vector", "vector registers, polynomial sines", "a vector",
     {5, 13}, {4, 9}, kYes, kNo, kYes, kNo, 0},
    {Rung::separable_vector, "separable_vector", "grid: phases by axis, matrix product", "a tile",
     {0, 4}, {0, 4}, kYes, kNo, kYes, kNo, 0, kYes},
    {Rung::separable_fp32, "separable_fp32", "grid: the product on float units", "a tile",
     {0, 4}, {0, 4}, kNo, kYes, kNo, kNo, 0, kYes},
    {Rung::separable_tf32, "separable_tf32", "grid: on tensor cores, TF32", "a tile",
     {0, 4}, {0, 4}, kNo, kYes, kNo, kNo, 0, kYes},
    {Rung::separable_fp16, "separable_fp16", "grid: on tensor cores, FP16", "a tile",
     {0, 4}, {0, 4}, kNo, kYes, kNo, kNo, 0, kYes},
    {Rung::separable_split, "separable_split", "grid: two FP16 a number, three products", "a tile",
     {0, 4}, {0, 4}, kNo, kYes, kNo, kNo, 0, kYes},
});
// clang-format on

}  // namespace

std::span<RungFacts const> rung_facts() {
  return kFacts;
}

RungFacts const& facts(Rung rung) {
  return kFacts.at(static_cast<std::size_t>(rung));
}

RungFacts const& find_rung(std::string_view name) {
  auto const* const found =
      std::find_if(kFacts.begin(), kFacts.end(), [&](RungFacts const& f) { return f.name == name; });
  if (found != kFacts.end()) return *found;
  std::string names;
  for (RungFacts const& f : kFacts) names += (names.empty() ? "" : ", ") + std::string(f.name);
  throw Error(ErrorKind::bad_option, "there is no rung '" + std::string(name) + "'",
              "the rungs are " + names);
}

char const* name(SumKind kind) {
  switch (kind) {
    case SumKind::fhd:
      return "F^H d";
    case SumKind::q:
      return "Q";
    case SumKind::forward:
      return "F rho";
  }
  return "";
}

}  // namespace findrho
