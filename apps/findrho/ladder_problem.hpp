// SPDX-License-Identifier: BSD-3-Clause
// The exact sum that ladder and tune work on: a synthetic scan of a given size, or Parboil's mri-q input.
#pragma once
#include <string>

#include "findrho/dft/ladder.hpp"

namespace CLI {
class App;
}

namespace findrho {

struct LadderProblemOptions {
  std::string size = "128x128x128";
  std::int64_t samples = 284592;
  std::int64_t coils = 1;
  std::string trajectory = "random";  // random, radial, spiral, cartesian
  std::string sum = "fhd";            // fhd, q, forward
  std::string input;                  // of mri-q; the others do not count then
  std::uint64_t seed = 1;
};
void add_problem_options(CLI::App& command, LadderProblemOptions& options);

template <class T>
struct LadderProblem {
  ExactSum<T> sum;
  Matrix matrix;      // 0 x 0 x 0 for mri-q, whose positions are no grid
  std::string title;  // "F^H d, 128 x 128 x 128 voxels, 284592 samples, random"
};

/// Errors  bad_option (size, or a sum that needs a grid), bad_file
template <class T>
LadderProblem<T> make_problem(LadderProblemOptions const& options);

/// Exactly so many samples in the full band of a matrix. The trajectory's own samples, repeated or cut.
Trajectory ladder_trajectory(LadderProblemOptions const& options, Matrix const& matrix);

}  // namespace findrho
