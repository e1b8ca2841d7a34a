// SPDX-License-Identifier: BSD-3-Clause
#include "mrd_facts.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "findrho/core/context.hpp"
#include "findrho/core/error.hpp"
#include "findrho/trajectory/units.hpp"

namespace findrho {
namespace {

using Json = nlohmann::ordered_json;

struct FlagName {
  ReadoutFlag flag;
  char const* name;
  bool imaging;  // whether such a readout still is part of the image
};

constexpr FlagName kFlags[] = {
    {ReadoutFlag::noise, "noise", false},
    {ReadoutFlag::calibration, "calibration", false},
    {ReadoutFlag::calibration_and_imaging, "calibration and imaging", true},
    {ReadoutFlag::reverse, "reverse", true},
    {ReadoutFlag::navigation, "navigation", false},
    {ReadoutFlag::phase_correction, "phase correction", false},
    {ReadoutFlag::hp_feedback, "HP feedback", false},
    {ReadoutFlag::dummy, "dummy", false},
    {ReadoutFlag::rt_feedback, "RT feedback", false},
    {ReadoutFlag::surface_coil_correction, "surface coil correction", false},
    {ReadoutFlag::phase_stabilization_reference, "phase stabilization reference", false},
    {ReadoutFlag::phase_stabilization, "phase stabilization", false},
};

struct IndexName {
  char const* name;
  int RawReadout::*value;
  RawLimit RawEncoding::*limit;
};

constexpr IndexName kIndices[] = {
    {"ky", &RawReadout::ky, &RawEncoding::ky},
    {"kz", &RawReadout::kz, &RawEncoding::kz},
    {"average", &RawReadout::average, &RawEncoding::average},
    {"slice", &RawReadout::slice, &RawEncoding::slice},
    {"contrast", &RawReadout::contrast, &RawEncoding::contrast},
    {"phase", &RawReadout::phase, &RawEncoding::phase},
    {"repetition", &RawReadout::repetition, &RawEncoding::repetition},
    {"set", &RawReadout::set, &RawEncoding::set},
    {"segment", &RawReadout::segment, &RawEncoding::segment},
};

bool is_imaging(RawReadout const& readout) {
  return std::none_of(std::begin(kFlags), std::end(kFlags),
                      [&](FlagName const& f) { return !f.imaging && readout.has(f.flag); });
}

/// "101" where all are alike, "5 to 100" otherwise.
template <class Values>
std::string range_text(Values const& values) {
  auto const [low, high] = std::minmax_element(values.begin(), values.end());
  return *low == *high ? std::to_string(*low) : std::to_string(*low) + " to " + std::to_string(*high);
}

void add_space(Json& facts, std::string const& name, RawSpace const& space) {
  if (!space.present) {
    facts[name] = "not in the header";
    return;
  }
  facts[name + "_matrix"] = space.matrix;
  facts[name + "_FOV_mm"] = space.fov_mm;
}

Json encoding_facts(RawEncoding const& encoding) {
  Json facts{{"trajectory", encoding.trajectory}};
  add_space(facts, "encoded", encoding.encoded);
  add_space(facts, "recon", encoding.recon);
  for (IndexName const& index : kIndices) {
    RawLimit const& limit = encoding.*index.limit;
    if (!limit.present || limit.maximum == 0) continue;
    facts["limits"][index.name] = std::to_string(limit.minimum) + " to " + std::to_string(limit.maximum);
  }
  return facts;
}

/// Where the imaging samples of one encoding reach, and the unit that this speaks for.
Json trajectory_facts(RawScan const& scan, std::vector<RawReadout const*> const& readouts, int number) {
  int dims = 0;
  std::array<double, 3> largest{0, 0, 0};
  for (RawReadout const* readout : readouts) {
    if (readout->encoding != number) continue;
    int const n = readout->trajectory_dims;
    dims = std::max(dims, n);
    auto const* k = scan.trajectory.data() + readout->trajectory_offset;
    for (std::int64_t s = 0; s < readout->samples; ++s) {
      for (int d = 0; d < std::min(n, 3); ++d) {
        double& most = largest[static_cast<std::size_t>(d)];
        most = std::max(most, std::abs(static_cast<double>(k[s * n + d])));
      }
    }
  }
  if (dims == 0) return "none";
  RawSpace const& space = scan.encodings[static_cast<std::size_t>(number)].encoded;
  Json facts{{"columns", dims}, {"largest_k", largest}};
  TrajectoryExtent extent{.dims = space.matrix[2] > 1 ? 3 : 2,
                          .largest = largest,
                          .matrix = space.matrix,
                          .fov_mm = space.fov_mm};
  for (std::size_t d = 0; d < 3; ++d) extent.limit[d] = static_cast<double>(space.matrix[d]) / 2;
  try {
    facts["probable_unit"] =
        name(decide_trajectory_units(Context::cpu(1), extent, TrajectoryUnits::automatic));
  } catch (Error const& unclear) {
    facts["probable_unit"] = std::string("unclear: ") + unclear.what();
  }
  return facts;
}

Json readout_facts(RawScan const& scan, std::vector<RawReadout const*> const& imaging) {
  Json facts{{"total", scan.readouts.size()}, {"imaging", imaging.size()}};
  for (FlagName const& flag : kFlags) {
    auto const count = std::count_if(scan.readouts.begin(), scan.readouts.end(),
                                     [&](RawReadout const& readout) { return readout.has(flag.flag); });
    if (count > 0) facts["flagged"][flag.name] = count;
  }
  if (imaging.empty()) return facts;
  std::vector<std::int64_t> samples, coils;
  for (RawReadout const* readout : imaging) {
    samples.push_back(readout->samples);
    coils.push_back(readout->channels);
  }
  facts["samples_each"] = range_text(samples);
  facts["coils"] = range_text(coils);
  facts["dwell_us"] = imaging.front()->dwell_us;
  for (IndexName const& index : kIndices) {
    std::vector<int> values;
    for (RawReadout const* readout : imaging) values.push_back(readout->*index.value);
    if (std::string const range = range_text(values); range != "0") facts["indices"][index.name] = range;
  }
  return facts;
}

}  // namespace

nlohmann::ordered_json mrd_facts(RawScan const& scan) {
  std::vector<RawReadout const*> imaging;
  for (RawReadout const& readout : scan.readouts) {
    if (is_imaging(readout)) imaging.push_back(&readout);
  }
  Json facts{{"file", scan.path}, {"format", "MRD raw data"}, {"group", scan.group}};
  if (scan.field_T > 0) facts["field_T"] = scan.field_T;
  facts["readouts"] = readout_facts(scan, imaging);
  facts["encodings"] = Json::array();
  for (std::size_t i = 0; i < scan.encodings.size(); ++i) {
    Json encoding = encoding_facts(scan.encodings[i]);
    encoding["trajectory_in_file"] = trajectory_facts(scan, imaging, static_cast<int>(i));
    facts["encodings"].push_back(std::move(encoding));
  }
  return facts;
}

}  // namespace findrho
