// SPDX-License-Identifier: BSD-3-Clause
#include "trajectory_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <vector>

#include "axis_numbers.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

/// One option name with what the generators say about it.
struct Merged {
  GeneratorOption option;
  std::vector<std::string> takers;  // generators that have it
  std::set<std::string> helps, defaults;
};

std::vector<Merged> merged_options() {
  std::vector<Merged> all;
  for (Generator const& generator : trajectory_generators()) {
    for (GeneratorOption const& option : generator_options(generator)) {
      auto found =
          std::find_if(all.begin(), all.end(), [&](Merged const& m) { return m.option.name == option.name; });
      if (found == all.end()) found = all.insert(all.end(), Merged{option, {}, {}, {}});
      found->takers.push_back(generator.name);
      found->helps.insert(option.help);
      found->defaults.insert(option.default_value);
      for (auto const& choice : option.choices) {
        auto& choices = found->option.choices;
        if (std::find(choices.begin(), choices.end(), choice) == choices.end()) choices.push_back(choice);
      }
    }
  }
  return all;
}

std::string joined(std::vector<std::string> const& words, char const* separator) {
  std::string text;
  for (auto const& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

bool of_the_scanner(std::string const& option) {
  return option == "max-gradient" || option == "max-slew" || option == "nucleus";
}

std::string description(Merged const& m) {
  std::string text = m.option.help;
  if (!m.option.choices.empty()) text += ": " + joined(m.option.choices, ", ");
  if (!of_the_scanner(m.option.name) && m.takers.size() < trajectory_generators().size())
    text += " [" + joined(m.takers, ", ") + "]";
  return text;
}

}  // namespace

void TrajectoryChoice::add_options(CLI::App& command, std::string const& group) {
  for (Merged const& m : merged_options()) {
    std::string type = m.option.type;
    if (!m.option.choices.empty()) type += ":{" + joined(m.option.choices, ",") + "}";
    auto* option = command.add_option("--" + m.option.name, values_[m.option.name], description(m));
    option->type_name(type)->group(group);
    if (m.defaults.size() == 1) option->default_str(m.option.default_value);
  }
}

std::string TrajectoryChoice::value(std::string const& name) const {
  auto const found = values_.find(name);
  return found == values_.end() ? "" : found->second;
}

std::vector<std::string> TrajectoryChoice::given_names() const {
  std::vector<std::string> names;
  for (auto const& [name, text] : values_) {
    if (!text.empty()) names.push_back(name);
  }
  return names;
}

TrajectoryOptions TrajectoryChoice::options(std::string const& generator) const {
  Generator const& known = trajectory_generator(generator);
  bool const designs = scanner_of(known.defaults).has_value();
  OptionValues values;
  for (auto const& [name, text] : values_) {
    if (!text.empty() && (designs || !of_the_scanner(name))) values.emplace_back(name, text);
  }
  return trajectory_options(generator, values);
}

Scanner TrajectoryChoice::scanner(std::string const& generator, std::array<double, 3> const& fov_mm) const {
  // Any generator that designs for a scanner knows how to read its options.
  bool const designs = !generator.empty() && scanner_of(trajectory_generator(generator).defaults).has_value();
  OptionValues values;
  for (auto const& [name, text] : values_) {
    if (!text.empty() && of_the_scanner(name)) values.emplace_back(name, text);
  }
  Scanner scanner = *scanner_of(trajectory_options(designs ? generator : "spiral_vd", values));
  scanner.fov_mm = fov_mm;
  return scanner;
}

GradientDelay parse_delay(std::string const& text) {
  auto const us = numbers<double>(text, ',', "--delay");
  if (us.size() > 3)
    throw Error(ErrorKind::bad_option, "--delay is '" + text + "'", "give one delay or one per axis");
  GradientDelay delay;
  for (std::size_t d = 0; d < 3; ++d) {
    delay.axis_s[d] = 1e-6 * (us.size() == 1 ? us[0] : d < us.size() ? us[d] : 0);
  }
  return delay;
}

std::string trajectory_names(char const* separator) {
  std::vector<std::string> names;
  for (Generator const& g : trajectory_generators()) names.push_back(g.name);
  return joined(names, separator);
}

std::string trajectory_type() {
  return "NAME:{" + trajectory_names(",") + "}";
}

}  // namespace findrho
