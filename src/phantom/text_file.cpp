// SPDX-License-Identifier: BSD-3-Clause
// Phantoms from text, and phantoms by name.
#include <charconv>
#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/phantom/library.hpp"

namespace findrho {
namespace {

constexpr char const* kLineHint =
    "write: shape density x y z a b c angle [t2star_ms=T] [second_t2star_ms=T] [second_part=P] "
    "[frequency_hz=F], shape "
    "being ellipsoid, box or cylinder, lengths in FOV units (-0.5..0.5)";

/// The words of one line and where it stands.
struct Line {
  std::string place;  // "heads.txt, line 3"
  std::vector<std::string> words;

  [[noreturn]] void refuse(std::string const& what) const {
    throw Error(ErrorKind::bad_file, place + ": " + what, kLineHint);
  }
  double number(std::string const& column, std::string_view text) const {
    double value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
      refuse(column + " is '" + std::string(text) + "', not a number");
    }
    return value;
  }
};

SolidShape shape_of(Line const& line) {
  std::string const& word = line.words[0];
  if (word == "ellipsoid") return SolidShape::ellipsoid;
  if (word == "box") return SolidShape::box;
  if (word == "cylinder") return SolidShape::cylinder;
  line.refuse("'" + word + "' is no shape");
}

void set_signal(Line const& line, std::string const& word, Solid& solid) {
  std::size_t const equals = word.find('=');
  if (equals == std::string::npos) line.refuse("'" + word + "' is one column too many");
  std::string const key = word.substr(0, equals);
  double const value = line.number(key, std::string_view(word).substr(equals + 1));
  if (key == "t2star_ms") {
    solid.decay.t2star_s = value * 1e-3;
  } else if (key == "second_t2star_ms") {
    solid.decay.second_t2star_s = value * 1e-3;
  } else if (key == "second_part") {
    solid.decay.second_part = value;
  } else if (key == "frequency_hz") {
    solid.frequency_hz = value;
  } else {
    line.refuse("'" + key + "' is not known");
  }
}

Solid solid_of(Line const& line, int dims) {
  static constexpr char const* kColumns[] = {"density", "x", "y", "z", "a", "b", "c", "angle"};
  if (line.words.size() < 9) line.refuse(std::to_string(line.words.size()) + " columns, 9 are needed");
  double values[8];
  for (std::size_t i = 0; i < 8; ++i) values[i] = line.number(kColumns[i], line.words[i + 1]);
  Solid solid{.shape = shape_of(line),
              .density = values[0],
              .center = {values[1], values[2], values[3]},
              .semi_axis = {values[4], values[5], values[6]},
              .rotation_rad = values[7] * std::numbers::pi / 180};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) {
    if (!(solid.semi_axis[d] > 0))
      line.refuse(std::string(kColumns[4 + d]) + " is " + line.words[5 + d] + ", not above 0");
  }
  for (std::size_t i = 9; i < line.words.size(); ++i) set_signal(line, line.words[i], solid);
  try {
    require_decay(solid.decay);
  } catch (Error const& error) {
    line.refuse(error.what());
  }
  return solid;
}

}  // namespace

Phantom parse_phantom(std::string_view text, int dims, std::string const& name) {
  Phantom phantom{dims, {}};
  std::istringstream lines{std::string(text)};
  std::string content;
  for (int number = 1; std::getline(lines, content); ++number) {
    std::istringstream words(content.substr(0, content.find('#')));
    Line line{name + ", line " + std::to_string(number), {}};
    for (std::string word; words >> word;) line.words.push_back(word);
    if (!line.words.empty()) phantom.solids.push_back(solid_of(line, dims));
  }
  if (phantom.solids.empty()) throw Error(ErrorKind::bad_file, name + " has no solids", kLineHint);
  return phantom;
}

Phantom read_phantom(std::string const& path, int dims) {
  std::ifstream file(path);
  std::ostringstream text;
  if (!file || !(text << file.rdbuf())) {
    throw Error(ErrorKind::bad_file, "cannot read the phantom " + path,
                "give a text file with one solid a line");
  }
  return parse_phantom(text.str(), dims, path);
}

Phantom named_phantom(std::string const& name, int dims) {
  if (name == "shepp-logan") return shepp_logan(dims);
  if (name == "shepp-logan-original") return shepp_logan(dims, SheppLoganContrast::original);
  if (name == "resolution") return resolution_phantom(dims);
  if (name == "contrast") return contrast_phantom(dims);
  if (name.ends_with(".txt")) return read_phantom(name, dims);
  throw Error(
      ErrorKind::bad_option, "there is no phantom '" + name + "'",
      "one of shepp-logan, shepp-logan-original, resolution, contrast or a text file (.txt); head needs an "
      "anatomy beside it");
}

}  // namespace findrho
