// SPDX-License-Identifier: BSD-3-Clause
// Trajectories as files of their own: MRD, BART cfl, numpy, text. Positions are passed on as they are, in the file's unit.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"

namespace findrho {

enum class TrajectoryFormat {
  mrd,  // .h5, .mrd: a scan whose samples are 0; float
  cfl,  // .cfl: (3, samples, readouts), BART's order; float
  npy,  // .npy: (readouts, samples, dims), numpy's order; double
  text  // .txt: a line per sample, an empty line between readouts; all digits of a double
};

/// Errors  bad_option (an ending that is none of these)
TrajectoryFormat trajectory_format(std::string const& path);

/// What a file may know beside the positions.
struct TrajectoryHeader {
  Matrix matrix{0, 0, 0};                 // 0: not stated
  std::array<double, 3> fov_mm{0, 0, 0};  // 0: not stated
  std::string kind = "other";             // MRD's word: radial, spiral, ...
};

struct TrajectoryFile {
  Trajectory trajectory;  // in the file's unit; times only from MRD
  TrajectoryHeader header;
};

/// npy files hold doubles or floats, (samples, dims) or (readouts, samples, dims); 2 or 3 dims. A third dimension that is 0
/// throughout is dropped.
/// Errors  bad_file (missing, damaged, readouts of different length, not finite, a scan without trajectory)
TrajectoryFile read_trajectory(Context const& context, std::string const& path);

/// The files that writing to a path makes: two for cfl.
std::vector<std::string> trajectory_outputs(std::string const& path);

/// Writes to the paths that stand for trajectory_outputs(path): staged ones of an OutputSet.
/// Errors  cannot_write, bad_shape (readouts of different length; more samples than MRD counts)
void write_trajectory(std::vector<std::string> const& paths, TrajectoryFormat format,
                      Trajectory const& trajectory, TrajectoryHeader const& header);

}  // namespace findrho
