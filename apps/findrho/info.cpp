// SPDX-License-Identifier: BSD-3-Clause
// findrho info: what a file holds, before anything is reconstructed from it.
// The facts are gathered once, as JSON, and printed as JSON or as indented text.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "app.hpp"
#include "commands.hpp"
#include "findrho/io/cfl.hpp"
#include "findrho/io/mrd_read.hpp"
#include "findrho/io/nifti.hpp"
#include "findrho/io/png.hpp"
#include "image_file.hpp"
#include "mrd_facts.hpp"

namespace findrho {
namespace {

using Json = nlohmann::ordered_json;

/// Numbers as people write them: 0.5, 220, 1.2e-05.
std::string number_text(Json const& value) {
  if (value.is_number_integer()) return value.dump();
  std::ostringstream text;
  text << value.get<double>();
  return text.str();
}

std::string value_text(std::string const& key, Json const& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  if (value.is_number()) return number_text(value);
  bool const sizes = key.ends_with("matrix") || key.ends_with("mm") || key == "dimensions";
  std::string text;
  for (Json const& item : value) text += (text.empty() ? "" : sizes ? " x " : ", ") + value_text(key, item);
  return text;
}

void print_text(Json const& facts, int indent) {
  for (auto const& [key, value] : facts.items()) {
    std::string title = std::string(static_cast<std::size_t>(indent), ' ') + key;
    std::replace(title.begin(), title.end(), '_', ' ');
    bool const nested = value.is_object() || (value.is_array() && !value.empty() && value[0].is_object());
    if (!nested) {
      title.resize(std::max<std::size_t>(title.size() + 1, 24), ' ');
      std::cout << title << value_text(key, value) << "\n";
      continue;
    }
    Json const items = value.is_array() ? value : Json::array({value});
    for (std::size_t i = 0; i < items.size(); ++i) {
      std::cout << title << (value.is_array() ? " " + std::to_string(i) : "") << "\n";
      print_text(items[i], indent + 2);
    }
  }
}

template <class Values>
void add_range(Json& facts, Values const& values) {
  double low = std::numeric_limits<double>::infinity(), high = -low;
  std::int64_t non_finite = 0;
  for (auto const& value : values) {
    double const size = std::abs(value);
    if (!std::isfinite(size)) {
      ++non_finite;
      continue;
    }
    low = std::min(low, size);
    high = std::max(high, size);
  }
  if (low <= high) facts["magnitude"] = {{"smallest", low}, {"largest", high}};
  if (non_finite > 0) facts["NaN_or_infinite"] = non_finite;
}

Json nifti_facts(std::string const& path) {
  NiftiImage const image = read_nifti(path);
  Json facts{{"file", path}, {"format", "NIfTI-1"}};
  facts["matrix"] = {image.matrix.x, image.matrix.y, image.matrix.z};
  facts["frames"] = image.frames;
  facts["values"] = image.is_complex() ? "complex" : "real";
  facts["voxel_mm"] = voxel_size_mm(image.geometry, image.matrix);
  facts["orientation_known"] = image.geometry.orientation_known;
  Affine const affine = nifti_affine(image.geometry, image.matrix);
  for (std::size_t row = 0; row < 3; ++row) facts["affine_RAS_mm"][std::string(1, "xyz"[row])] = affine[row];
  image.is_complex() ? add_range(facts, image.complex) : add_range(facts, image.real);
  return facts;
}

Json cfl_facts(std::string const& path) {
  CflArray const array = read_cfl(path);
  Json facts{{"file", path}, {"format", "cfl, complex float32"}};
  facts["dimensions"] = array.dims;
  add_range(facts, array.data);
  return facts;
}

Json png_facts(std::string const& path) {
  Array<float> const image = read_png(path);
  Json facts{{"file", path}, {"format", "PNG"}};
  facts["matrix"] = {image.shape().extent(Axis::x), image.shape().extent(Axis::y)};
  add_range(facts, image);
  return facts;
}

Json facts_of(Context const& context, std::string const& path, std::string const& group) {
  if (names_nifti(path)) return nifti_facts(path);
  if (names_png(path)) return png_facts(path);
  if (names_cfl(path)) return cfl_facts(path);
  return mrd_facts(read_mrd(context, path, {.group = group}));
}

}  // namespace

void add_info(CLI::App& root, App& app) {
  auto* command =
      root.add_subcommand("info", "Show what a file holds: a raw scan (MRD) or an image (NIfTI, cfl, PNG)");
  struct Options {
    std::string file, group;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  command->add_option("FILE", options->file, "MRD (ISMRMRD) HDF5 file, .nii, .nii.gz, .cfl or .hdr, .png")
      ->required();
  command->add_option("--group", options->group, "HDF5 group of the raw scan, where there are several")
      ->type_name("NAME");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&app, options] {
    Json const facts = facts_of(app.context(), options->file, options->group);
    if (options->json) {
      std::cout << facts.dump(2, ' ', false, Json::error_handler_t::replace) << "\n";
    } else {
      print_text(facts, 0);
    }
  });
}

}  // namespace findrho
