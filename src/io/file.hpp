// SPDX-License-Identifier: BSD-3-Clause
// A file being written, with every write checked: a full disk must not pass unnoticed.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>

namespace findrho {

class FileWriter {
 public:
  /// Creates or empties the file.
  /// Errors  cannot_write
  explicit FileWriter(std::string path);
  /// Errors  cannot_write
  void write(void const* bytes, std::size_t size);
  /// Hands everything to the system; the file is complete only after this.
  /// Errors  cannot_write
  void close();

 private:
  [[noreturn]] void fail() const;
  struct Close {
    void operator()(std::FILE* file) const noexcept { std::fclose(file); }
  };
  std::string path_;
  std::unique_ptr<std::FILE, Close> file_;
};

/// Bytes of a file.
/// Errors  bad_file (it is missing or not a regular file)
std::size_t file_size(std::string const& path);

/// Errors  out_of_memory, when reading the file takes more memory than is available
void require_memory_to_read(std::string const& path, std::int64_t bytes);

}  // namespace findrho
