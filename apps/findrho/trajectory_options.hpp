// SPDX-License-Identifier: BSD-3-Clause
// A trajectory on the command line: its name and the options of all generators, each named after what it does there.
#pragma once
#include <map>
#include <string>

#include "findrho/trajectory/generate.hpp"

namespace CLI {
class App;
}

namespace findrho {

class TrajectoryChoice {
 public:
  /// --shots, --undersampling, ...: every option of every generator, once.
  void add_options(CLI::App& command, std::string const& group);
  /// Whether an option was given on the command line.
  bool given(std::string const& name) const;

  /// The named generator's options, with what the command line gave.
  /// Errors  bad_option (no such generator, an option that it does not take, a value that is none)
  TrajectoryOptions options(std::string const& generator) const;

 private:
  std::map<std::string, std::string> values_;  // as given; empty: not given
};

/// The names of all generators.
std::string trajectory_names(char const* separator);
/// "NAME:{cartesian,radial,...}", from which help and completion know the names.
std::string trajectory_type();

}  // namespace findrho
