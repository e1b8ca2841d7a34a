// SPDX-License-Identifier: BSD-3-Clause
// The object of a simulated scan on the command line: phantom or head, its field of view, off-resonance and decay.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/recipe/simulate.hpp"

namespace CLI {
class App;
}

namespace findrho {

struct ObjectArguments {
  std::string matrix, fov = "220x220", phantom = "shepp-logan", anatomy, nucleus = "1H", field = "none",
                      t2star = "none";
  std::int64_t supersampling = 0;
};

void add_object_options(CLI::App& command, ObjectArguments& a, std::string const& group);

/// Matrix, field of view, object, off-resonance and decay of a scan.
/// Errors  bad_option, bad_file
void set_object(ObjectArguments const& a, SimulateOptions& options);

/// The files among them, which must not be overwritten.
std::vector<std::string> object_files(ObjectArguments const& a);

}  // namespace findrho
