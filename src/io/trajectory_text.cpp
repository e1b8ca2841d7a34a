// SPDX-License-Identifier: BSD-3-Clause
// A line per sample with 2 or 3 numbers; an empty line ends a readout; # starts a comment.
#include <array>
#include <charconv>
#include <fstream>

#include "file.hpp"
#include "findrho/core/error.hpp"
#include "trajectory_formats.hpp"

namespace findrho::detail {
namespace {

[[noreturn]] void refuse(std::string const& path, std::int64_t line, std::string const& what) {
  throw Error(ErrorKind::bad_file, path + ":" + std::to_string(line) + ": " + what,
              "a line holds kx ky or kx ky kz; an empty line ends a readout");
}

/// Adds the numbers of a line; returns how many there were.
int add_numbers(std::string const& path, std::int64_t number, std::string_view line,
                std::vector<double>& values) {
  int count = 0;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == ' ' || line[at] == '\t' || line[at] == '\r' || line[at] == ',') {
      ++at;
      continue;
    }
    double value = 0;
    auto const [stop, error] = std::from_chars(line.data() + at, line.data() + line.size(), value);
    if (error != std::errc()) refuse(path, number, std::string(line.substr(at, 20)) + " is no number");
    values.push_back(value);
    ++count;
    at = static_cast<std::size_t>(stop - line.data());
  }
  return count;
}

}  // namespace

Trajectory read_text_trajectory(std::string const& path) {
  file_size(path);  // refuses what is missing or no file
  std::ifstream file(path);
  std::vector<double> values;
  int dims = 0;
  std::int64_t samples = 0, in_readout = 0, number = 0;
  auto const end_readout = [&] {
    if (in_readout == 0) return;
    if (samples == 0) samples = in_readout;
    if (in_readout != samples) {
      refuse(
          path, number,
          "a readout of " + std::to_string(in_readout) + " samples after one of " + std::to_string(samples));
    }
    in_readout = 0;
  };
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::size_t const comment = line.find('#');
    if (comment == 0) continue;
    if (comment != std::string::npos) line.resize(comment);
    int const count = add_numbers(path, number, line, values);
    if (count == 0) {
      end_readout();
      continue;
    }
    if (dims == 0) dims = count;
    if (count != dims || dims < 2 || dims > 3) refuse(path, number, std::to_string(count) + " numbers");
    ++in_readout;
  }
  end_readout();
  if (dims == 0) refuse(path, number, "no samples");
  return from_values(path, values, dims, samples);
}

void write_text_trajectory(std::string const& path, Trajectory const& t) {
  FileWriter file(path);
  std::string text = t.dims == 2 ? "# kx ky\n" : "# kx ky kz\n";
  std::array<char, 32> digits{};
  for (std::int64_t m = 0; m < t.size(); ++m) {
    if (m > 0 && m % t.samples_per_readout == 0) text += '\n';
    for (int d = 0; d < t.dims; ++d) {
      // The shortest text that reads back as the same double.
      auto const end =
          std::to_chars(digits.data(), digits.data() + digits.size(), t[d][static_cast<std::size_t>(m)]).ptr;
      text.append(digits.data(), end);
      text += d + 1 < t.dims ? ' ' : '\n';
    }
    if (text.size() > 1 << 20) {
      file.write(text.data(), text.size());
      text.clear();
    }
  }
  file.write(text.data(), text.size());
  file.close();
}

}  // namespace findrho::detail
