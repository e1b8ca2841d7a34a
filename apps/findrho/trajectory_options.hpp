// SPDX-License-Identifier: BSD-3-Clause
// A trajectory on the command line: its name and the options of all generators, each named after what it does there.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "findrho/trajectory/delay.hpp"
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
  bool given(std::string const& name) const { return !value(name).empty(); }
  /// The options that were given.
  std::vector<std::string> given_names() const;
  /// An option as it was given, "" where it was not.
  std::string value(std::string const& name) const;

  /// The named generator's options, with what the command line gave. Limits and nucleus may be given for every generator.
  /// Errors  bad_option (no such generator, an option that it does not take, a value that is none)
  TrajectoryOptions options(std::string const& generator) const;

  /// The scanner of the named generator, or of "" (a trajectory from a file), with the limits and the nucleus given.
  Scanner scanner(std::string const& generator, std::array<double, 3> const& fov_mm) const;
  /// Whether limits were given, which a trajectory that is not designed under them has to be held to.
  bool limits_given() const { return given("max-gradient") || given("max-slew"); }

 private:
  std::map<std::string, std::string> values_;  // as given; empty: not given
};

/// "2" (microseconds) for all axes, "2,3" or "2,3,0" per axis.
/// Errors  bad_option
GradientDelay parse_delay(std::string const& text);

/// The names of all generators.
std::string trajectory_names(char const* separator);
/// "NAME:{cartesian,radial,...}", from which help and completion know the names.
std::string trajectory_type();

}  // namespace findrho
