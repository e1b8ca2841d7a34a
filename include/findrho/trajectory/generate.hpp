// SPDX-License-Identifier: BSD-3-Clause
// All trajectory generators behind one name each: what they are called, which options they take, and the call that runs
// one of them. A new generator is a file of its own, an alternative of the variant and a row of the list.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/adapted_radial.hpp"
#include "findrho/trajectory/cartesian.hpp"
#include "findrho/trajectory/cones.hpp"
#include "findrho/trajectory/propeller.hpp"
#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/radial_3d.hpp"
#include "findrho/trajectory/rosette.hpp"
#include "findrho/trajectory/scanner.hpp"
#include "findrho/trajectory/spiral_2d.hpp"
#include "findrho/trajectory/spiral_vd.hpp"
#include "findrho/trajectory/stack.hpp"
#include "findrho/trajectory/twisted.hpp"

namespace findrho {

/// One alternative per trajectory generator.
using TrajectoryOptions =
    std::variant<CartesianOptions, Radial2dOptions, Radial3dOptions, Spiral2dOptions, SpiralVdOptions,
                 RosetteOptions, PropellerOptions, StackOfStarsOptions, StackOfSpiralsOptions, ConesOptions,
                 TwistedOptions, AdaptedRadialOptions>;

struct Generator {
  std::string name;         // "spiral"
  std::string description;  // one line
  std::string source;       // authors, year, DOI
  std::string mrd_name;     // what MRD calls its kind: cartesian, radial, spiral, other
  int dims = 2;             // 2, 3, or 0: follows the matrix
  TrajectoryOptions defaults{};
};

/// All of them, in the order in which they are explained.
std::vector<Generator> const& trajectory_generators();
/// Errors  bad_option, naming those there are
Generator const& trajectory_generator(std::string_view name);

/// An option of a generator as text: "undersampling", "NUMBER", "1", what it does, and the words it may be.
struct GeneratorOption {
  std::string name, type, default_value, help;
  std::vector<std::string> choices{};
};
std::vector<GeneratorOption> generator_options(Generator const& generator);

/// A generator's defaults with the named values put in: {"undersampling", "2"}.
/// Errors  bad_option (no such generator or option, a value that is not of the option's type)
using OptionValues = std::vector<std::pair<std::string, std::string>>;
TrajectoryOptions trajectory_options(std::string_view name, OptionValues const& values = {});
/// The same from one word: "spiral:shots=8,undersampling=2".
TrajectoryOptions parse_trajectory(std::string_view text);
/// The name that a word as in parse_trajectory begins with.
std::string trajectory_name(std::string_view text);

/// The trajectory of one of the generators.
/// Errors  bad_option
Trajectory make_trajectory(Matrix const& matrix, TrajectoryOptions const& options);

/// What MRD calls the kind of trajectory.
std::string mrd_name(TrajectoryOptions const& options);
/// Time from sample to sample.
double dwell_s(TrajectoryOptions const& options);
/// The scanner that a generator designs for; none for those of fixed geometry.
std::optional<Scanner> scanner_of(TrajectoryOptions const& options);
/// Generators that design under gradient limits need the field of view; the others ignore it.
void set_fov(TrajectoryOptions& options, std::array<double, 3> const& fov_mm);

}  // namespace findrho
