// SPDX-License-Identifier: BSD-3-Clause
// Options of the generators by name and as text. Every generator lists its own in its bind_options.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "findrho/trajectory/generate.hpp"

namespace findrho::detail {

/// One option of one options struct, to which it keeps a reference.
struct OptionBinding {
  GeneratorOption option;
  std::function<void(std::string const&)> set;  // Errors  bad_option
};

OptionBinding count(std::string name, std::int64_t& value, std::string help);
OptionBinding number(std::string name, double& value, std::string help);
/// A number that is given in another unit: value = text x factor.
OptionBinding scaled(std::string name, double& value, double factor, std::string unit, std::string help);

/// One of several words, as in {{"full", SpokeKind::full}, {"half", SpokeKind::half}}.
template <class Enum>
OptionBinding word(std::string name, Enum& value, std::vector<std::pair<std::string, Enum>> const& words,
                   std::string help);

// The options that several generators share.
OptionBinding dwell(double& dwell_s);
OptionBinding shots(std::int64_t& value);
OptionBinding samples(std::int64_t& value);
OptionBinding undersampling(double& value);
OptionBinding undersampling(std::int64_t& lines);
OptionBinding readout_oversampling(std::int64_t& value);
OptionBinding readout_limit(double& longest_s);
OptionBinding readout_time(double& readout_s);
OptionBinding linear_part(double& part);
void add_scanner(std::vector<OptionBinding>& bindings, Scanner& scanner);

std::vector<OptionBinding> bind_options(CartesianOptions& options);
std::vector<OptionBinding> bind_options(Radial2dOptions& options);
std::vector<OptionBinding> bind_options(Radial3dOptions& options);
std::vector<OptionBinding> bind_options(Spiral2dOptions& options);
std::vector<OptionBinding> bind_options(SpiralVdOptions& options);
std::vector<OptionBinding> bind_options(RosetteOptions& options);
std::vector<OptionBinding> bind_options(PropellerOptions& options);
std::vector<OptionBinding> bind_options(StackOfStarsOptions& options);
std::vector<OptionBinding> bind_options(StackOfSpiralsOptions& options);
std::vector<OptionBinding> bind_options(ConesOptions& options);
std::vector<OptionBinding> bind_options(TwistedOptions& options);
std::vector<OptionBinding> bind_options(AdaptedRadialOptions& options);

/// Errors  bad_option: `text` is none of the option's words
[[noreturn]] void refuse_word(GeneratorOption const& option, std::string const& text);

template <class Enum>
OptionBinding word(std::string name, Enum& value, std::vector<std::pair<std::string, Enum>> const& words,
                   std::string help) {
  GeneratorOption option{std::move(name), "WORD", {}, std::move(help), {}};
  for (auto const& [text, meaning] : words) {
    option.choices.push_back(text);
    if (meaning == value) option.default_value = text;
  }
  auto set = [option, words, &value](std::string const& text) {
    for (auto const& [known, meaning] : words) {
      if (known != text) continue;
      value = meaning;
      return;
    }
    refuse_word(option, text);
  };
  return {option, set};
}

}  // namespace findrho::detail
