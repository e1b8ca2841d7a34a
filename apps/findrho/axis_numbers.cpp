// SPDX-License-Identifier: BSD-3-Clause
#include "axis_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <type_traits>

#include "findrho/core/error.hpp"

namespace findrho {

template <class T>
std::vector<T> numbers(std::string const& text, char separator, std::string const& option) {
  std::vector<T> result;
  for (std::size_t begin = 0; begin <= text.size();) {
    std::size_t const end = std::min(text.find(separator, begin), text.size());
    T value{};
    auto const [stop, error] = std::from_chars(text.data() + begin, text.data() + end, value);
    bool finite = true;  // "nan" and "inf" are numbers to from_chars
    if constexpr (std::is_floating_point_v<T>) finite = std::isfinite(value);
    if (error != std::errc() || stop != text.data() + end || !finite) {
      throw Error(ErrorKind::bad_option,
                  option + " is '" + text + "', not numbers with '" + separator + "' between",
                  separator == 'x' ? "write as in 256x256 or 64x64x16" : "write as in 0,1,2");
    }
    result.push_back(value);
    begin = end + 1;
  }
  return result;
}

template <class T>
std::array<T, 3> per_axis(std::string const& text, std::string const& option) {
  std::array<T, 3> result{0, 0, 0};
  if (text.empty()) return result;
  std::vector<T> const values = numbers<T>(text, 'x', option);
  if (values.size() > 3 || values.size() < 2) {
    throw Error(ErrorKind::bad_option, option + " is '" + text + "': it takes two or three numbers",
                "write as in 256x256 or 64x64x16");
  }
  for (std::size_t d = 0; d < values.size(); ++d) {
    if (values[d] <= 0) {
      throw Error(ErrorKind::bad_option, option + " is '" + text + "': every number has to be positive",
                  "give numbers above 0, or leave " + option + " out");
    }
    result[d] = values[d];
  }
  return result;
}

std::function<std::string(std::string const&)> number_from(double least, double most) {
  return [least, most](std::string const& text) {
    char* end = nullptr;
    double const value = std::strtod(text.c_str(), &end);
    bool const fits =
        end != text.c_str() && *end == '\0' && value >= least && value <= most;  // NaN fits nowhere
    return fits ? std::string() : fmt::format("{} is not a number from {:g} to {:g}", text, least, most);
  };
}

std::string refuse_negative(std::string const& text) {
  return text.find('-') == std::string::npos ? "" : text + " is below 0";
}

template std::vector<int> numbers(std::string const&, char, std::string const&);
template std::vector<double> numbers(std::string const&, char, std::string const&);
template std::array<std::int64_t, 3> per_axis(std::string const&, std::string const&);
template std::array<double, 3> per_axis(std::string const&, std::string const&);

}  // namespace findrho
