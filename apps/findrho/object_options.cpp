// SPDX-License-Identifier: BSD-3-Clause
#include "object_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "axis_numbers.hpp"
#include "findrho/core/error.hpp"

namespace findrho {

void add_object_options(CLI::App& command, ObjectArguments& a, std::string const& group) {
  auto const option = [&](std::string const& name, auto& value, std::string const& text,
                          std::string const& type) {
    return command.add_option(name, value, text)->type_name(type)->capture_default_str()->group(group);
  };
  option("--matrix", a.matrix, "Matrix, x first: 256x256 or 64x64x64", "NxN[xN]");
  option("--fov", a.fov, "Field of view, x first; a third number is the slab or slice thickness",
         "MMxMM[xMM]");
  option("--phantom", a.phantom,
         "shepp-logan (Toft's contrast), shepp-logan-original, resolution, contrast, head, or a text file of "
         "ellipsoids, boxes and cylinders",
         "WORD|FILE.txt");
  option("--anatomy", a.anatomy, "T1-weighted head without skull for --phantom head", "FILE.nii.gz");
  option("--head-nucleus", a.nucleus, "What the head shows: 1H (proton density) or 23Na (mM)", "WORD")
      ->check(CLI::IsMember({"1H", "23Na"}));
  option("--b0", a.field,
         "Off-resonance: c, x, y, z, xx, xy, ... in Hz at the edge of the FOV, blob=peak/x/y/z/width (Hz, "
         "FOV), as in yy=40,blob=80/0/-0.3/0/0.15",
         "NAME=NUMBER,...");
  option("--t2star", a.t2star,
         "Decay from the echo reference on: none, a time, long/short/part as in 30/3/0.6, or tissue", "MS");
  option("--supersampling", a.supersampling,
         "Voxels per image voxel and axis where a sum over voxels is needed; 0: 4 in 2D, 2 in 3D", "N");
}

void set_object(ObjectArguments const& a, SimulateOptions& o) {
  auto const n = per_axis<std::int64_t>(a.matrix, "--matrix");
  auto const fov = per_axis<double>(a.fov, "--fov");
  o.matrix = {n[0], n[1], std::max<std::int64_t>(n[2], 1)};
  o.fov_mm = {fov[0], fov[1],
              fov[2] > 0       ? fov[2]
              : o.matrix.z > 1 ? fov[0]
                               : fov[0] / static_cast<double>(n[0])};
  bool const head = a.phantom == "head";
  if (head == a.anatomy.empty()) {
    throw Error(ErrorKind::bad_option,
                head ? "--phantom head needs an anatomy" : "--anatomy is for --phantom head",
                "give --phantom head --anatomy FILE, a T1-weighted head without skull (.nii, .nii.gz)");
  }
  if (!head) o.phantom = named_phantom(a.phantom, o.matrix.dims());
  if (head) o.anatomy = std::make_shared<Anatomy const>(read_anatomy(a.anatomy));
  o.nucleus = a.nucleus == "23Na" ? Nucleus::sodium : Nucleus::hydrogen;
  if (a.t2star == "tissue" && !head) {
    throw Error(ErrorKind::bad_option, "--t2star tissue is for --phantom head", "give a time in ms");
  }
  o.tissue_decay = a.t2star == "tissue" ? TissueDecay::by_tissue : TissueDecay::uniform;
  if (a.t2star != "tissue") o.decay = parse_decay(a.t2star);
  o.field = parse_field_map(a.field);
  o.supersampling = a.supersampling;
}

std::vector<std::string> object_files(ObjectArguments const& a) {
  std::vector<std::string> files;
  for (std::string const& file : {a.phantom, a.anatomy}) {
    if (std::filesystem::exists(file)) files.push_back(file);
  }
  return files;
}

}  // namespace findrho
