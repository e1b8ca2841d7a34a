// SPDX-License-Identifier: BSD-3-Clause
// Options written as one word: "name=number,name=number".
#pragma once
#include <string_view>
#include <utility>
#include <vector>

namespace findrho::detail {

/// The text between separators; an empty text has no pieces.
std::vector<std::string_view> split(std::string_view text, char separator);

/// The pieces of a list, each split at its first '='; what has none has an empty value.
std::vector<std::pair<std::string_view, std::string_view>> key_values(std::string_view text);

/// Errors  bad_option, "motion: turn is 'fast'"
double number_of(std::string_view what, std::string_view key, std::string_view text);

}  // namespace findrho::detail
