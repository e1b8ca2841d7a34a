// SPDX-License-Identifier: BSD-3-Clause
// numpy's .npy, version 1.0: a magic number, a header that is a Python dictionary, the values in C order.
#include <cstring>
#include <fstream>
#include <regex>

#include "file.hpp"
#include "findrho/core/error.hpp"
#include "trajectory_formats.hpp"

namespace findrho::detail {
namespace {

constexpr char kMagic[] = "\x93NUMPY\x01\x00";
constexpr std::size_t kMagicSize = 8, kAlign = 64;

[[noreturn]] void refuse(std::string const& path, std::string const& what) {
  throw Error(ErrorKind::bad_file, path + ": " + what,
              "give float64 or float32 in C order, (readouts, samples, dims) or (samples, dims)");
}

struct Header {
  bool doubles = true;
  std::vector<std::int64_t> shape;
};

Header parse(std::string const& path, std::string const& text) {
  std::smatch found;
  Header header;
  if (!std::regex_search(text, found, std::regex("'descr': *'([^']*)'")))
    refuse(path, "no descr in the header");
  std::string const type = found[1];
  if (type != "<f8" && type != "<f4") refuse(path, "values of type " + type);
  header.doubles = type == "<f8";
  if (std::regex_search(text, std::regex("'fortran_order': *True"))) refuse(path, "values in Fortran order");
  if (!std::regex_search(text, found, std::regex("'shape': *\\(([0-9, ]*)\\)")))
    refuse(path, "no shape in the header");
  std::string const shape = found[1];
  std::regex const number("[0-9]{1,15}");
  for (auto i = std::sregex_iterator(shape.begin(), shape.end(), number); i != std::sregex_iterator(); ++i) {
    header.shape.push_back(std::stoll(i->str()));
  }
  std::int64_t const dims = header.shape.empty() ? 0 : header.shape.back();
  if (header.shape.size() < 2 || header.shape.size() > 3 || dims < 2 || dims > 3) {
    refuse(path, "the shape is (" + shape + ")");
  }
  return header;
}

}  // namespace

Trajectory read_npy_trajectory(std::string const& path) {
  std::size_t const size = file_size(path);
  std::ifstream file(path, std::ios::binary);
  char magic[kMagicSize + 2];
  file.read(magic, sizeof magic);
  if (!file || std::memcmp(magic, kMagic, 6) != 0) refuse(path, "no numpy file");
  if (magic[6] != 1) refuse(path, "numpy format version " + std::to_string(magic[6]) + ", not 1");
  std::size_t const length =
      static_cast<unsigned char>(magic[8]) + 256U * static_cast<unsigned char>(magic[9]);
  std::string text(length, ' ');
  file.read(text.data(), static_cast<std::streamsize>(length));
  if (!file) refuse(path, "the header is cut off");
  Header const header = parse(path, text);

  double expected =
      header.doubles ? 8 : 4;  // in floating point: a product of sizes that a damaged header names
  for (std::int64_t const n : header.shape) expected *= static_cast<double>(n);
  if (expected != static_cast<double>(size - sizeof magic - length)) {
    refuse(path, std::to_string(size - sizeof magic - length) + " bytes of values, the shape wants " +
                     std::to_string(expected));
  }
  std::vector<double> values((size - sizeof magic - length) / (header.doubles ? 8 : 4));
  if (header.doubles) {
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(values.size() * 8));
  } else {
    std::vector<float> floats(values.size());
    file.read(reinterpret_cast<char*>(floats.data()), static_cast<std::streamsize>(floats.size() * 4));
    values.assign(floats.begin(), floats.end());
  }
  if (!file) refuse(path, "the values are cut off");
  return from_values(path, values, static_cast<int>(header.shape.back()),
                     header.shape[header.shape.size() - 2]);
}

void write_npy_trajectory(std::string const& path, Trajectory const& t) {
  std::int64_t const n = t.samples_per_readout;
  std::string header = "{'descr': '<f8', 'fortran_order': False, 'shape': (" + std::to_string(t.size() / n) +
                       ", " + std::to_string(n) + ", " + std::to_string(t.dims) + "), }";
  while ((kMagicSize + 2 + header.size() + 1) % kAlign != 0) header += ' ';
  header += '\n';
  FileWriter file(path);
  file.write(kMagic, kMagicSize);
  unsigned char const length[2] = {static_cast<unsigned char>(header.size() % 256),
                                   static_cast<unsigned char>(header.size() / 256)};
  file.write(length, 2);
  file.write(header.data(), header.size());
  std::vector<double> values;
  values.reserve(t.kx.size() * static_cast<std::size_t>(t.dims));
  for (std::size_t m = 0; m < t.kx.size(); ++m) {
    for (int d = 0; d < t.dims; ++d) values.push_back(t[d][m]);
  }
  file.write(values.data(), values.size() * sizeof(double));
  file.close();
}

}  // namespace findrho::detail
