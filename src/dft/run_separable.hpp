// SPDX-License-Identifier: BSD-3-Clause
// An ExactSum for the separable rungs: which side is the grid, and what is scattered.
#pragma once
#include "dft/separable.hpp"
#include "findrho/dft/ladder.hpp"

namespace findrho::ladder {

/// The grid of a sum: its voxels, or, for F rho, the positions of its image.
template <class T>
std::optional<Grid> grid_of(ExactSum<T> const& sum);
/// Throws the bad_option that a rung without a grid gets.
[[noreturn]] void refuse_without_grid(Rung rung);

/// Rung separable_vector. The grid is always taken whole: a slice of it is the rest left out.
template <class T>
SumResult<T> run_separable(Context const& context, ExactSum<T> const& sum, SumSlice slice);

}  // namespace findrho::ladder
