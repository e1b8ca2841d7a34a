// SPDX-License-Identifier: BSD-3-Clause
// The single formats behind trajectory_file.hpp.
#pragma once
#include <string>
#include <vector>

#include "findrho/io/trajectory_file.hpp"

namespace findrho::detail {

/// Readouts of `samples` from values with dims fastest; a third dimension of zeros is dropped.
/// Errors  bad_file (none, or not finite)
Trajectory from_values(std::string const& path, std::vector<double> const& values, int dims,
                       std::int64_t samples);

TrajectoryFile read_mrd_trajectory(Context const& context, std::string const& path);
void write_mrd_trajectory(std::string const& path, Trajectory const& trajectory,
                          TrajectoryHeader const& header);
Trajectory read_npy_trajectory(std::string const& path);
void write_npy_trajectory(std::string const& path, Trajectory const& trajectory);
Trajectory read_text_trajectory(std::string const& path);
void write_text_trajectory(std::string const& path, Trajectory const& trajectory);

}  // namespace findrho::detail
