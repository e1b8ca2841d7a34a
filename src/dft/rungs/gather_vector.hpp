// SPDX-License-Identifier: BSD-3-Clause
// Rung gather_vector: the CPU's own end of the ladder. A task owns a block of voxels, a vector register sixteen of
// them; sine and cosine are polynomials in cycles. Compiled per instruction set: see gather_vector.cpp.
#pragma once
#include "dft/rungs/mu.hpp"

namespace findrho::ladder {

inline constexpr int kMaxVectorBlock = 2048;  // voxels of a task: their positions and sums fit the L1 cache

/// Adds the samples begin..begin+length to the voxels first..first+count.
template <class T>
struct VectorJob {
  Arrays<T> a;
  std::int64_t first;
  int count;
  int chunk;      // samples of one pass over the block
  int in_flight;  // vectors that a loop turn works on: 1, 2, 3 or 4
  bool real_mu;   // Q
};

void gather_vector_block(VectorJob<float> const& job);
void gather_vector_block(VectorJob<double> const& job);

/// exp(i 2 pi turns) for `count` numbers below 2^50, a multiple of eight of them.
void phases_of_turns(double const* turns, int count, double* cosine, double* sine);

}  // namespace findrho::ladder
