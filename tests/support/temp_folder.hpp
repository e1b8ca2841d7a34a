// SPDX-License-Identifier: BSD-3-Clause
// An empty folder for one test, removed with all its contents at the end.
#pragma once
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string>

namespace findrho::test {

class TempFolder {
 public:
  TempFolder() {
    path_ = (std::filesystem::temp_directory_path() / "findrho_test_XXXXXX").string();
    if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error("no folder for tests in " + path_);
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(TempFolder const&) = delete;
  TempFolder& operator=(TempFolder const&) = delete;

  std::string path() const { return path_; }
  std::string operator/(std::string const& name) const { return path_ + "/" + name; }
  /// Names of everything in it, hidden files too.
  std::set<std::string> names() const {
    std::set<std::string> result;
    for (auto const& entry : std::filesystem::directory_iterator(path_))
      result.insert(entry.path().filename().string());
    return result;
  }

 private:
  std::string path_;
};

inline std::string read_bytes(std::string const& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_bytes(std::string const& path, std::string const& bytes) {
  std::filesystem::create_directories(std::filesystem::path(path).parent_path());
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace findrho::test
