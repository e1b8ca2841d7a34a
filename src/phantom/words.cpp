// SPDX-License-Identifier: BSD-3-Clause
#include "words.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>

#include "findrho/core/error.hpp"

namespace findrho::detail {

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> pieces;
  while (!text.empty()) {
    std::size_t const end = std::min(text.find(separator), text.size());
    pieces.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return pieces;
}

std::vector<std::pair<std::string_view, std::string_view>> key_values(std::string_view text) {
  std::vector<std::pair<std::string_view, std::string_view>> result;
  for (std::string_view const word : split(text, ',')) {
    std::size_t const equals = std::min(word.find('='), word.size());
    result.emplace_back(word.substr(0, equals), word.substr(std::min(equals + 1, word.size())));
  }
  return result;
}

double number_of(std::string_view what, std::string_view key, std::string_view text) {
  double value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value)) return value;
  throw Error(ErrorKind::bad_option,
              std::string(what) + ": " + std::string(key) + " is '" + std::string(text) + "'",
              "give a number");
}

}  // namespace findrho::detail
