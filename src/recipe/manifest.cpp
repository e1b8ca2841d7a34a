// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/manifest.hpp"

#include <fstream>
#include <nlohmann/json.hpp>

#include "findrho/core/error.hpp"
#include "findrho/io/nifti.hpp"

namespace findrho {
namespace {

using Json = nlohmann::ordered_json;
constexpr char const* kFormat = "findrho manifest 1";

Json frame_json(FrameReport const& frame) {
  FrameIndex const& i = frame.index;
  Json j;
  j["index"] = {{"encoding", i.encoding}, {"slice", i.slice},           {"contrast", i.contrast},
                {"phase", i.phase},       {"repetition", i.repetition}, {"set", i.set},
                {"average", i.average}};
  if (frame.coil >= 0) j["coil"] = frame.coil;
  j["lambda_max"] = frame.lambda_max;
  j["lambda_absolute"] = frame.lambda_absolute;
  j["iterations"] = frame.cg.iterations;
  j["stopped_by"] = name(frame.cg.reason);
  j["relative_residual"] = frame.cg.residual;
  j["objective"] = frame.cg.objective;
  return j;
}

Json geometry_json(Manifest const& m) {
  Json j;
  j["matrix"] = {m.matrix.x, m.matrix.y, m.matrix.z};
  j["voxel_size_mm"] = voxel_size_mm(m.geometry, m.matrix);
  j["fov_known"] = m.geometry.fov_mm[0] > 0;
  j["orientation_known"] = m.geometry.orientation_known;
  j["affine_ras_mm"] = nifti_affine(m.geometry, m.matrix);
  return j;
}

}  // namespace

std::string manifest_json(Manifest const& m) {
  Json j;
  j["format"] = kFormat;
  j["version"] = m.version;
  j["command"] = m.command;
  j["interrupted"] = m.interrupted;
  for (ManifestInput const& input : m.inputs) {
    j["inputs"].push_back({{"role", input.role}, {"path", input.path}, {"sha256", input.sha256}});
  }
  for (ManifestOutput const& output : m.outputs) {
    j["outputs"].push_back({{"path", output.path}, {"sha256", output.sha256}});
  }
  for (ManifestOption const& option : m.options) {
    Json entry{{"values", option.values}};
    if (!option.unit.empty()) entry["unit"] = option.unit;
    j["options"][option.name] = entry;
  }
  j["seed"] = m.seed;
  j["threads"] = m.threads;
  j["device"] = m.device;
  j["image"] = geometry_json(m);
  j["notes"] = m.notes;
  j["warnings"] = m.warnings;
  for (ManifestPhase const& phase : m.phases)
    j["seconds"].push_back({{"phase", phase.name}, {"seconds", phase.seconds}});
  j["peak_memory_bytes"] = m.peak_memory_bytes;
  for (FrameReport const& frame : m.frames) j["frames"].push_back(frame_json(frame));
  return j.dump(2) + "\n";
}

Manifest read_manifest(std::string const& path) {
  std::ifstream file(path);
  if (!file)
    throw Error(ErrorKind::bad_file, path + " cannot be opened", "give the .json file beside an image");
  try {
    Json const j = Json::parse(file);
    if (j.at("format") != kFormat) throw Error(ErrorKind::bad_file, path + " is no findrho manifest");
    Manifest m;
    m.version = j.at("version");
    m.command = j.at("command");
    for (Json const& input : j.value("inputs", Json::array())) {
      m.inputs.push_back({input.at("role"), input.at("path"), input.at("sha256")});
    }
    m.interrupted = j.at("interrupted");
    m.device = j.value("device", "cpu");
    for (Json const& output : j.at("outputs")) m.outputs.push_back({output.at("path"), output.at("sha256")});
    for (auto const& [name, entry] : j.at("options").items()) {
      m.options.push_back(
          {name, entry.at("values").get<std::vector<std::string>>(), entry.value("unit", "")});
    }
    return m;
  } catch (nlohmann::json::exception const& e) {
    throw Error(ErrorKind::bad_file, path + " is no findrho manifest: " + e.what(),
                "give the .json file beside an image");
  }
}

}  // namespace findrho
