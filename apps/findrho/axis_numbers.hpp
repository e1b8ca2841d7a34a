// SPDX-License-Identifier: BSD-3-Clause
// Numbers per axis as options take them: "256x256", "64x64x16", "30,0,-5".
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace findrho {

/// The numbers of a list. T: int, std::int64_t or double.
/// Errors  bad_option, naming the option
template <class T>
std::vector<T> numbers(std::string const& text, char separator, std::string const& option);

/// Two or three positive numbers with x between; 0 for an axis that is not given, all 0 for an empty text.
/// Errors  bad_option, naming the option
template <class T>
std::array<T, 3> per_axis(std::string const& text, std::string const& option);

/// For CLI11's check: what is wrong with a text that has to be a number from least to most, "" for nothing. CLI11's own
/// Range lets NaN pass.
std::function<std::string(std::string const&)> number_from(double least, double most);

/// What is wrong with a text for an option that counts from 0, "" for nothing: for CLI11's check, whose conversion would take
/// -1 for the largest number there is.
std::string refuse_negative(std::string const& text);

}  // namespace findrho
