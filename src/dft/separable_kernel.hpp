// SPDX-License-Identifier: BSD-3-Clause
// The inner loops of rung separable_vector: 8 rows times two vector registers, compiled per instruction set.
#pragma once
#include <cstdint>

namespace findrho::ladder {

inline constexpr int kSeparableRun = 128;  // samples of one pass: their partial sums stay in registers
inline constexpr int kSeparableGroup =
    4;  // slots that share the columns' vectors while these are in the first-level cache
inline constexpr int kSeparableRows = 8;  // [comp][p][q] of a slot

/// Adds a run of samples to the sums of `slots` slots that differ in b.
template <class T>
struct GatherJob {
  T const *mu_re, *mu_im;  // kSeparableRun of each
  T const* a;              // cosines, then sines, kSeparableRun each
  T const* b;              // the same for each slot, one after the other
  T const* c;              // [vector of columns][sample][column of the vector]
  int slots, vectors;
  double* sums;  // [slot][row][column]
};

/// Adds the sums over all columns and `slots` slots to the results of a run of samples.
template <class T>
struct ForwardJob {
  T const* sums;  // [slot][row][column]
  T const *a, *b;
  T const* c;  // [two vectors of samples][column][sample of the two]
  int slots, columns;
  double *re, *im;  // kSeparableRun of each
};

/// Numbers of a vector: twice as many divide kSeparableRun.
template <class T>
int separable_lanes();

void separable_gather(GatherJob<float> const& job);
void separable_gather(GatherJob<double> const& job);
void separable_forward(ForwardJob<float> const& job);
void separable_forward(ForwardJob<double> const& job);

}  // namespace findrho::ladder
