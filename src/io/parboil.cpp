// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/parboil.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>

#include "findrho/core/error.hpp"
#include "findrho/io/output_set.hpp"

namespace findrho {
namespace {

static_assert(std::endian::native == std::endian::little, "the files are little-endian and read as they lie");

/// A whole file; `what` names the kind in messages.
std::vector<char> read_all(std::string const& path, char const* what) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (!in || std::filesystem::is_directory(path)) {
    throw Error(ErrorKind::bad_file, path + " cannot be opened", std::string("give an ") + what + " file");
  }
  std::vector<char> bytes(static_cast<std::size_t>(in.tellg()));
  in.seekg(0);
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!in) throw Error(ErrorKind::bad_file, path + " cannot be read");
  return bytes;
}

constexpr char const* kHint = "give a file of Parboil's mri-q, input (.bin) or output (.out)";

template <class T>
T number_at(std::vector<char> const& bytes, std::size_t offset) {
  T value;
  std::copy_n(bytes.data() + offset, sizeof(T), reinterpret_cast<char*>(&value));
  return value;
}

std::vector<float> floats_at(std::vector<char> const& bytes, std::size_t& offset, std::size_t count,
                             std::string const& path) {
  std::vector<float> values(count);
  std::copy_n(bytes.data() + offset, count * sizeof(float), reinterpret_cast<char*>(values.data()));
  for (std::size_t i = 0; i < count; ++i) {
    if (std::isfinite(values[i])) continue;
    throw Error(
        ErrorKind::bad_file,
        path + " has a number that is not finite at byte " + std::to_string(offset + i * sizeof(float)),
        kHint);
  }
  offset += count * sizeof(float);
  return values;
}

[[noreturn]] void refuse(std::string const& path, char const* what, std::string const& why) {
  throw Error(ErrorKind::bad_file, path + " is not an " + what + " file: " + why, kHint);
}

}  // namespace

ParboilInput read_parboil_input(std::string const& path) {
  constexpr char const* kWhat = "mri-q input";
  auto const bytes = read_all(path, kWhat);
  if (bytes.size() < 8) refuse(path, kWhat, "it has " + std::to_string(bytes.size()) + " bytes");
  std::int64_t const samples = number_at<std::int32_t>(bytes, 0), voxels = number_at<std::int32_t>(bytes, 4);
  std::int64_t const expected = 8 + 4 * (5 * samples + 3 * voxels);
  if (samples <= 0 || voxels <= 0 || expected != static_cast<std::int64_t>(bytes.size())) {
    refuse(path, kWhat,
           "its counts are " + std::to_string(samples) + " and " + std::to_string(voxels) + ", which make " +
               std::to_string(expected) + " bytes, and it has " + std::to_string(bytes.size()));
  }
  ParboilInput input;
  std::size_t offset = 8;
  for (auto* axis : {&input.kx, &input.ky, &input.kz}) {
    *axis = floats_at(bytes, offset, static_cast<std::size_t>(samples), path);
  }
  for (auto* axis : {&input.x, &input.y, &input.z}) {
    *axis = floats_at(bytes, offset, static_cast<std::size_t>(voxels), path);
  }
  for (auto* part : {&input.phi_re, &input.phi_im}) {
    *part = floats_at(bytes, offset, static_cast<std::size_t>(samples), path);
  }
  return input;
}

std::vector<std::complex<float>> read_parboil_output(std::string const& path) {
  constexpr char const* kWhat = "mri-q output";
  auto const bytes = read_all(path, kWhat);
  if (bytes.size() < 4) refuse(path, kWhat, "it has " + std::to_string(bytes.size()) + " bytes");
  std::size_t const count = number_at<std::uint32_t>(bytes, 0);
  if (count == 0 || bytes.size() != 4 + 8 * count) {
    refuse(
        path, kWhat,
        "its count is " + std::to_string(count) + ", and it has " + std::to_string(bytes.size()) + " bytes");
  }
  std::size_t offset = 4;
  auto const re = floats_at(bytes, offset, count, path), im = floats_at(bytes, offset, count, path);
  std::vector<std::complex<float>> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = {re[i], im[i]};
  return values;
}

void write_parboil_output(std::string const& path, std::vector<float> const& re,
                          std::vector<float> const& im) {
  std::ofstream out(path, std::ios::binary);
  auto const count = static_cast<std::uint32_t>(re.size());
  out.write(reinterpret_cast<char const*>(&count), sizeof(count));
  for (auto const* part : {&re, &im}) {
    out.write(reinterpret_cast<char const*>(part->data()),
              static_cast<std::streamsize>(part->size() * sizeof(float)));
  }
  out.close();
  if (!out)
    throw Error(ErrorKind::cannot_write, "cannot write " + shown_name(path), "look at the disk's free space");
}

ParboilComparison compare_parboil(std::vector<std::complex<float>> const& result,
                                  std::vector<std::complex<float>> const& reference) {
  if (result.size() != reference.size()) {
    throw Error(ErrorKind::bad_shape,
                "the result has " + std::to_string(result.size()) + " voxels, the reference " +
                    std::to_string(reference.size()),
                "give the reference of the same input");
  }
  double largest = 0;
  for (auto const& v : reference) {
    largest = std::max({largest, std::abs(double(v.real())), std::abs(double(v.imag()))});
  }
  ParboilComparison comparison{.compared = 2 * result.size(), .allowed = 1e-4 * largest};
  auto const compare = [&](double value, double expected) {
    double const difference = std::abs(value - expected);
    comparison.largest_difference = std::max(comparison.largest_difference, difference);
    if (difference > comparison.allowed && difference >= 0.002 * std::abs(expected)) ++comparison.failed;
  };
  for (std::size_t i = 0; i < result.size(); ++i) {
    compare(result[i].real(), reference[i].real());
    compare(result[i].imag(), reference[i].imag());
  }
  return comparison;
}

}  // namespace findrho
