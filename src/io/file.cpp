// SPDX-License-Identifier: BSD-3-Clause
#include "io/file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "findrho/io/output_set.hpp"

namespace findrho {

FileWriter::FileWriter(std::string path) : path_(std::move(path)), file_(std::fopen(path_.c_str(), "wb")) {
  if (!file_) fail();
}

void FileWriter::write(void const* bytes, std::size_t size) {
  if (size > 0 && std::fwrite(bytes, 1, size, file_.get()) != size) fail();
}

void FileWriter::close() {
  if (std::fclose(file_.release()) != 0) fail();
}

void FileWriter::fail() const {
  int const reason = errno;
  throw Error(
      ErrorKind::cannot_write, "cannot write " + shown_name(path_) + ": " + std::strerror(reason),
      reason == ENOSPC || reason == EDQUOT || reason == EFBIG ? "free space or write to another disk" : "");
}

std::size_t file_size(std::string const& path) {
  struct stat status {};
  if (stat(path.c_str(), &status) != 0) {
    throw Error(ErrorKind::bad_file, "cannot open " + path + ": " + std::strerror(errno),
                "see whether the name is right");
  }
  if (!S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::bad_file, path + " is not a regular file", "see whether the name is right");
  }
  return static_cast<std::size_t>(status.st_size);
}

void require_memory_to_read(std::string const& path, std::int64_t bytes) {
  require_memory(static_cast<double>(bytes), path + ": reading it takes",
                 "use a machine with more memory, or split the file");
}

}  // namespace findrho
