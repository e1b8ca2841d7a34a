// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/cfl.hpp"

#include <bit>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>

#include "findrho/core/error.hpp"
#include "findrho/io/output_set.hpp"
#include "io/file.hpp"

namespace findrho {
namespace {

static_assert(std::endian::native == std::endian::little, "cfl files are little endian");
constexpr std::size_t kMaxDims = 16;

bool ends_with(std::string const& text, std::string const& end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

std::string join(std::vector<std::int64_t> const& dims) {
  std::string text;
  for (std::int64_t n : dims) {
    if (!text.empty()) text += " x ";
    text += std::to_string(n);
  }
  return text;
}

/// Number of elements; 0 where there are none, too many or negative sizes, or more than 64 bits of bytes.
std::int64_t elements(std::vector<std::int64_t> const& dims) {
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / sizeof(std::complex<float>);
  if (dims.empty() || dims.size() > kMaxDims) return 0;
  std::int64_t count = 1;
  for (std::int64_t n : dims) {
    if (n < 1 || n > kMost / count) return 0;
    count *= n;
  }
  return count;
}

std::vector<std::int64_t> read_header(std::string const& path) {
  std::ifstream file(path);
  if (!file) {
    throw Error(ErrorKind::bad_file, "cannot open " + path + ": " + std::strerror(errno),
                "a .cfl file needs the .hdr file of the same name beside it");
  }
  bool found = false;
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("# Dimensions", 0) == 0) {
      found = true;
    } else if (found && !line.empty() && line[0] != '#') {
      std::istringstream numbers(line);
      std::vector<std::int64_t> dims;
      for (std::int64_t n; numbers >> n;) dims.push_back(n);
      if (!numbers.eof()) break;
      return dims;
    }
  }
  throw Error(ErrorKind::bad_file, path + " has no line of numbers after \"# Dimensions\"");
}

}  // namespace

bool names_cfl(std::string const& path) {
  std::error_code ignored;
  return path.ends_with(".cfl") || path.ends_with(".hdr") ||
         (!std::filesystem::exists(path, ignored) && std::filesystem::exists(path + ".hdr", ignored));
}

CflPaths cfl_paths(std::string const& name) {
  std::string const base =
      ends_with(name, ".cfl") || ends_with(name, ".hdr") ? name.substr(0, name.size() - 4) : name;
  return {base + ".hdr", base + ".cfl"};
}

CflArray read_cfl(std::string const& name) {
  CflPaths const paths = cfl_paths(name);
  std::size_t const bytes = file_size(paths.data);
  CflArray array;
  array.dims = read_header(paths.header);
  std::size_t const expected = static_cast<std::size_t>(elements(array.dims)) * sizeof(array.data[0]);
  if (expected == 0) {
    throw Error(ErrorKind::bad_file, paths.header + " has the dimensions (" + join(array.dims) +
                                         "); a cfl has 1 to 16 sizes of at least 1");
  }
  if (bytes != expected) {
    throw Error(ErrorKind::bad_file,
                paths.data + " holds " + std::to_string(bytes) + " bytes, but its header says " +
                    join(array.dims) + " complex floats, " + std::to_string(expected) + " bytes",
                bytes < expected ? "the file is cut short or the header belongs to another file"
                                 : "the header belongs to another file");
  }
  while (array.dims.size() > 1 && array.dims.back() == 1) array.dims.pop_back();
  require_memory_to_read(paths.data, static_cast<std::int64_t>(expected));
  array.data = Array<std::complex<float>>({{Axis::other, elements(array.dims)}});
  std::ifstream file(paths.data, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(array.data.data()), static_cast<std::streamsize>(expected))) {
    throw Error(ErrorKind::bad_file, "cannot read " + paths.data + ": " + std::strerror(errno));
  }
  return array;
}

void write_cfl(CflPaths const& paths, std::vector<std::int64_t> const& dims,
               View<std::complex<float> const> data) {
  if (elements(dims) == 0 || elements(dims) != data.size()) {
    throw Error(ErrorKind::bad_shape,
                "dimensions (" + join(dims) + ") do not fit " + std::to_string(data.size()) + " elements");
  }
  std::string header = "# Dimensions\n";  // BART itself always writes 16
  for (std::size_t i = 0; i < kMaxDims; ++i) header += std::to_string(i < dims.size() ? dims[i] : 1) + " ";
  header += "\n";
  write_text(paths.header, header);
  FileWriter file(paths.data);
  file.write(data.data, static_cast<std::size_t>(data.size()) * sizeof(std::complex<float>));
  file.close();
}

}  // namespace findrho
