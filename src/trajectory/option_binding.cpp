// SPDX-License-Identifier: BSD-3-Clause
#include "option_binding.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "findrho/core/error.hpp"

namespace findrho::detail {
namespace {

template <class Number>
Number parse(std::string const& name, std::string const& text, char const* what) {
  Number value{};
  auto const [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  bool const finite = std::isfinite(static_cast<double>(value));  // from_chars takes "nan" and "inf"
  if (error == std::errc() && stop == text.data() + text.size() && finite) return value;
  throw Error(ErrorKind::bad_option, fmt::format("{} is '{}', not a {}", name, text, what),
              fmt::format("give {} as a {}", name, what));
}

constexpr char const* kUndersampling = "Factor by which k-space is sampled too thinly";

}  // namespace

void refuse_word(GeneratorOption const& option, std::string const& text) {
  throw Error(ErrorKind::bad_option, fmt::format("{} is '{}'", option.name, text),
              fmt::format("give one of {}", fmt::join(option.choices, ", ")));
}

OptionBinding count(std::string name, std::int64_t& value, std::string help) {
  auto set = [name, &value](std::string const& text) {
    value = parse<std::int64_t>(name, text, "whole number");
  };
  return {{std::move(name), "N", std::to_string(value), std::move(help), {}}, set};
}

OptionBinding number(std::string name, double& value, std::string help) {
  return scaled(std::move(name), value, 1, "NUMBER", std::move(help));
}

OptionBinding scaled(std::string name, double& value, double factor, std::string unit, std::string help) {
  auto set = [name, factor, &value](std::string const& text) {
    value = parse<double>(name, text, "number") * factor;
  };
  return {{std::move(name), std::move(unit), fmt::format("{:.6g}", value / factor), std::move(help), {}},
          set};
}

OptionBinding dwell(double& dwell_s) {
  return scaled("dwell", dwell_s, 1e-6, "US", "Time from sample to sample");
}

OptionBinding shots(std::int64_t& value) {
  return count("shots", value, "Spokes, interleaves or blades; 0: as many as Nyquist wants");
}

OptionBinding samples(std::int64_t& value) {
  return count("samples", value, "Samples per shot; 0: as many as Nyquist wants");
}

OptionBinding undersampling(double& value) {
  return number("undersampling", value, kUndersampling);
}

OptionBinding undersampling(std::int64_t& lines) {
  auto binding = count("undersampling", lines, kUndersampling);
  binding.option.type = "NUMBER";
  return binding;
}

OptionBinding readout_oversampling(std::int64_t& value) {
  return count("readout-oversampling", value, "Factor of finer sampling along the readout");
}

OptionBinding readout_limit(double& longest_s) {
  return scaled("readout-limit", longest_s, 1e-3, "MS", "Longest readout");
}

OptionBinding readout_time(double& readout_s) {
  return scaled("readout", readout_s, 1e-3, "MS", "Length of the readout");
}

OptionBinding linear_part(double& part) {
  return number("linear-part", part, "Part of the radius up to which the gradient is constant");
}

void add_scanner(std::vector<OptionBinding>& bindings, Scanner& scanner) {
  bindings.push_back(
      scaled("max-gradient", scanner.gradient_mT_m, 1, "MT_M", "Largest gradient of the scanner"));
  bindings.push_back(scaled("max-slew", scanner.slew_T_m_s, 1, "T_M_S", "Largest slew rate of the scanner"));
  bindings.push_back(word<double>("nucleus", scanner.gamma_MHz_T,
                                  {{"1H", kProtonMHz_T}, {"23Na", kSodiumMHz_T}},
                                  "Nucleus, for the gradients"));
}

}  // namespace findrho::detail
