// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/generate.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "findrho/core/error.hpp"
#include "option_binding.hpp"

namespace findrho {
namespace {

std::vector<detail::OptionBinding> bindings(TrajectoryOptions& options) {
  return std::visit([](auto& o) { return detail::bind_options(o); }, options);
}

constexpr char const
    *kGolden =
        "Winkelmann et al., IEEE TMI 26:68 (2007), doi:10.1109/TMI.2006.885337; tiny: Wundrak et "
        "al., IEEE TMI 34:1262 (2015), doi:10.1109/TMI.2014.2382572",
    *kSphere =
        "golden means: Chan et al., MRM 61:354 (2009), doi:10.1002/mrm.21837; spiral: Wong and "
        "Roos, MRM 32:778 (1994), doi:10.1002/mrm.1910320614";

constexpr char const* kDesignedSpiral =
    "density: Kim et al., MRM 50:214 (2003), doi:10.1002/mrm.10493; timing: Lustig, Kim and Pauly, IEEE TMI "
    "27:866 (2008), "
    "doi:10.1109/TMI.2008.922699; in and in-out: Glover and Law, MRM 46:515 (2001), doi:10.1002/mrm.1222";

std::vector<Generator> all_generators() {
  return {
      {"cartesian", "lines along x, every n-th, with a fully sampled centre",
       "SENSE: Pruessmann et al., MRM 42:952 (1999), "
       "doi:10.1002/(SICI)1522-2594(199911)42:5<952::AID-MRM16>3.0.CO;2-S; "
       "calibration lines: Griswold et al., MRM 47:1202 (2002), doi:10.1002/mrm.10171",
       "cartesian", 0, CartesianOptions{}},
      {"radial", "straight spokes through the centre, in linear or golden order", kGolden, "radial", 2,
       Radial2dOptions{}},
      {"radial_golden", "spokes by the golden angle: radial with --order golden", kGolden, "radial", 2,
       Radial2dOptions{.order = AngleOrder::golden}},
      {"spiral", "Archimedean spiral of exact geometry, without gradient limits",
       "Ahn, Kim and Cho, IEEE TMI 5:2 (1986), doi:10.1109/TMI.1986.4307732", "spiral", 2, Spiral2dOptions{}},
      {"spiral_vd", "spiral under gradient and slew limits, Archimedean or thinner outwards", kDesignedSpiral,
       "spiral", 2, SpiralVdOptions{}},
      {"rosette", "the readout swings through the centre again and again while it turns",
       "Noll, IEEE TMI 16:372 (1997)", "other", 2, RosetteOptions{}},
      {"propeller", "blades of parallel lines, one turned from the next",
       "Pipe, MRM 42:963 (1999), doi:10.1002/(SICI)1522-2594(199911)42:5<963::AID-MRM17>3.0.CO;2-L", "other",
       2, PropellerOptions{}},
      {"radial_3d", "spokes through the centre of the sphere", kSphere, "radial", 3, Radial3dOptions{}},
      {"stack_of_stars", "2D spokes in every plane kz",
       "Block et al., J Korean Soc Magn Reson Med 18:87 (2014), doi:10.13104/jksmrm.2014.18.2.87; golden "
       "turn: Zhou et al., "
       "MRM 78:2290 (2017), doi:10.1002/mrm.26625",
       "radial", 3, StackOfStarsOptions{}},
      {"stack_of_spirals", "2D spirals under limits in every plane kz",
       "Irarrazabal and Nishimura, MRM 33:656 (1995)", "spiral", 3, StackOfSpiralsOptions{}},
      {"cones", "spirals on cones around the z axis, under limits",
       "Gurney, Hargreaves and Nishimura, MRM 55:575 (2006), doi:10.1002/mrm.20796", "other", 3,
       ConesOptions{}},
      {"tpi", "twisted projections: lines that wind around cones at constant density, for sodium",
       "Boada et al., MRM 37:706 (1997)", "other", 3, TwistedOptions{}},
      {"radial_3d_adapted", "spokes that slow down outwards to constant density, for sodium",
       "Nagel et al., MRM 62:1565 (2009)", "radial", 3, AdaptedRadialOptions{}},
  };
}

}  // namespace

std::vector<Generator> const& trajectory_generators() {
  static std::vector<Generator> const generators = all_generators();
  return generators;
}

Generator const& trajectory_generator(std::string_view name) {
  auto const& all = trajectory_generators();
  auto const found = std::find_if(all.begin(), all.end(), [&](Generator const& g) { return g.name == name; });
  if (found != all.end()) return *found;
  std::vector<std::string> names;
  for (Generator const& g : all) names.push_back(g.name);
  throw Error(ErrorKind::bad_option, fmt::format("there is no trajectory '{}'", name),
              fmt::format("one of {}", fmt::join(names, ", ")));
}

std::vector<GeneratorOption> generator_options(Generator const& generator) {
  TrajectoryOptions options = generator.defaults;
  std::vector<GeneratorOption> result;
  for (auto const& binding : bindings(options)) result.push_back(binding.option);
  return result;
}

TrajectoryOptions trajectory_options(std::string_view name, OptionValues const& values) {
  TrajectoryOptions options = trajectory_generator(name).defaults;
  auto const bound = bindings(options);
  for (auto const& [key, text] : values) {
    auto const found =
        std::find_if(bound.begin(), bound.end(), [&](auto const& b) { return b.option.name == key; });
    if (found == bound.end()) {
      std::vector<std::string> names;
      for (auto const& b : bound) names.push_back(b.option.name);
      throw Error(ErrorKind::bad_option, fmt::format("the trajectory {} takes no {}", name, key),
                  fmt::format("it takes {}", fmt::join(names, ", ")));
    }
    auto const same = [&key](auto const& other) { return other.first == key; };
    if (std::count_if(values.begin(), values.end(), same) > 1)
      throw Error(ErrorKind::bad_option, fmt::format("{} is given twice", key), "give it once");
    found->set(text);
  }
  return options;
}

std::string trajectory_name(std::string_view text) {
  return std::string(text.substr(0, text.find(':')));
}

TrajectoryOptions parse_trajectory(std::string_view text) {
  std::string const name = trajectory_name(text);
  OptionValues values;
  for (std::size_t begin = name.size() + 1; begin <= text.size();) {
    std::size_t const end = std::min(text.find(',', begin), text.size());
    std::string_view const part = text.substr(begin, end - begin);
    std::size_t const equals = part.find('=');
    if (equals == std::string_view::npos) {
      throw Error(ErrorKind::bad_option, fmt::format("'{}' in '{}' is no option=value", part, text),
                  "write as in spiral:shots=8,undersampling=2");
    }
    values.emplace_back(part.substr(0, equals), part.substr(equals + 1));
    begin = end + 1;
  }
  return trajectory_options(name, values);
}

Trajectory make_trajectory(Matrix const& matrix, TrajectoryOptions const& options) {
  struct Make {
    Matrix const& matrix;
    Trajectory operator()(CartesianOptions const& o) const { return make_cartesian(matrix, o); }
    Trajectory operator()(Radial2dOptions const& o) const { return make_radial_2d(matrix, o); }
    Trajectory operator()(Radial3dOptions const& o) const { return make_radial_3d(matrix, o); }
    Trajectory operator()(Spiral2dOptions const& o) const { return make_spiral_2d(matrix, o); }
    Trajectory operator()(SpiralVdOptions const& o) const { return make_spiral_vd(matrix, o); }
    Trajectory operator()(RosetteOptions const& o) const { return make_rosette(matrix, o); }
    Trajectory operator()(PropellerOptions const& o) const { return make_propeller(matrix, o); }
    Trajectory operator()(StackOfStarsOptions const& o) const { return make_stack_of_stars(matrix, o); }
    Trajectory operator()(StackOfSpiralsOptions const& o) const { return make_stack_of_spirals(matrix, o); }
    Trajectory operator()(ConesOptions const& o) const { return make_cones(matrix, o); }
    Trajectory operator()(TwistedOptions const& o) const { return make_twisted(matrix, o); }
    Trajectory operator()(AdaptedRadialOptions const& o) const { return make_adapted_radial(matrix, o); }
  };
  return std::visit(Make{matrix}, options);
}

std::string mrd_name(TrajectoryOptions const& options) {
  for (Generator const& g : trajectory_generators()) {
    if (g.defaults.index() == options.index()) return g.mrd_name;
  }
  return "other";
}

double dwell_s(TrajectoryOptions const& options) {
  return std::visit([](auto const& o) { return o.dwell_s; }, options);
}

std::optional<Scanner> scanner_of(TrajectoryOptions const& options) {
  return std::visit(
      [](auto const& o) -> std::optional<Scanner> {
        if constexpr (requires { o.scanner; }) return o.scanner;
        return std::nullopt;
      },
      options);
}

void set_fov(TrajectoryOptions& options, std::array<double, 3> const& fov_mm) {
  std::visit(
      [&](auto& o) {
        if constexpr (requires { o.scanner; }) o.scanner.fov_mm = fov_mm;
      },
      options);
}

}  // namespace findrho
