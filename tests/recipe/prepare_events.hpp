// SPDX-License-Identifier: BSD-3-Clause
// A prepared scan together with what was said about it.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "findrho/io/mrd_read.hpp"
#include "findrho/recipe/prepare.hpp"

namespace findrho::test {

struct Prepared {
  Dataset dataset;
  std::vector<std::string> notes, warnings;
  bool noted(std::string const& words) const { return any(notes, words); }
  bool warned(std::string const& words) const { return any(warnings, words); }

 private:
  static bool any(std::vector<std::string> const& texts, std::string const& words) {
    for (std::string const& text : texts) {
      if (text.find(words) != std::string::npos) return true;
    }
    return false;
  }
};

inline Prepared prepared(RawScan const& scan, PrepareOptions const& options = {}) {
  Prepared result;
  Context context = Context::cpu(2);
  context.set_event_sink([&result](Event const& event) {
    if (event.type == Event::Type::note) result.notes.push_back(event.text);
    if (event.type == Event::Type::warning) result.warnings.push_back(event.text);
  });
  result.dataset = prepare(context, scan, options);
  return result;
}

inline std::string data_file(std::string const& name) {
  return std::string(FINDRHO_DATA_DIR) + "/" + name;
}
inline bool data_is_there() {
  return std::filesystem::is_directory(FINDRHO_DATA_DIR);
}
inline RawScan read_data(std::string const& name) {
  return read_mrd(Context::cpu(2), data_file(name));
}

}  // namespace findrho::test

#define FINDRHO_NEED_DATA() \
  if (!findrho::test::data_is_there()) GTEST_SKIP() << "the measured scans are not there: " FINDRHO_DATA_DIR
