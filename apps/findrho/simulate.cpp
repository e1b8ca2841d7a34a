// SPDX-License-Identifier: BSD-3-Clause
// findrho simulate: a raw scan of an analytic phantom, for trying things out where the truth is known.
#include "findrho/recipe/simulate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "app.hpp"
#include "axis_numbers.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "findrho/io/cfl.hpp"
#include "findrho/io/mrd_write.hpp"
#include "findrho/io/nifti.hpp"
#include "findrho/io/output_set.hpp"
#include "trajectory_options.hpp"

namespace findrho {
namespace {

struct SimulateArguments {
  std::string output, truth, maps, matrix = "256x256", fov = "220x220", trajectory = "spiral",
                                   contrast = "modified", motion = "none";
  TrajectoryChoice trajectory_choice;
  std::int64_t coils = 1, noise_samples = 0;
  double snr = 0, repetition_ms = 10;
  std::uint64_t seed = 1;
  bool force = false;
};

SimulateOptions simulate_options(SimulateArguments const& a) {
  SimulateOptions o;
  auto const n = per_axis<std::int64_t>(a.matrix, "--matrix");
  auto const fov = per_axis<double>(a.fov, "--fov");
  o.matrix = {n[0], n[1], std::max<std::int64_t>(n[2], 1)};
  o.fov_mm = {fov[0], fov[1],
              fov[2] > 0       ? fov[2]
              : o.matrix.z > 1 ? fov[0]
                               : fov[0] / static_cast<double>(n[0])};
  o.trajectory = a.trajectory_choice.options(a.trajectory);
  o.contrast = a.contrast == "original" ? SheppLoganContrast::original : SheppLoganContrast::modified;
  o.coils = a.coils;
  o.motion = parse_motion(a.motion);
  o.motion.seed = a.seed;
  o.snr = a.snr;
  o.seed = a.seed;
  o.noise_samples = a.noise_samples;
  o.repetition_time_s = a.repetition_ms * 1e-3;
  return o;
}

template <class To>
Array<To> magnitude_or_complex(Array<std::complex<double>> const& values) {
  Array<To> result(values.shape());
  for (std::int64_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_same_v<To, float>) {
      result[i] = static_cast<float>(std::abs(values[i]));
    } else {
      result[i] = To(values[i]);
    }
  }
  return result;
}

void run_simulate(App& app, SimulateArguments const& a) {
  SimulateOptions const options = simulate_options(a);
  OutputSet outputs({.force = a.force, .inputs = {}});
  std::string const scan_file = outputs.stage(a.output);
  std::string const truth_file = a.truth.empty() ? "" : outputs.stage(a.truth);
  CflPaths maps_final, maps_files;
  if (!a.maps.empty()) {
    maps_final = cfl_paths(a.maps);
    maps_files = {outputs.stage(maps_final.header), outputs.stage(maps_final.data)};
  }
  Context const context = app.context();
  SimulatedScan const s = simulate(context, options);
  write_mrd(scan_file, s.scan);
  if (!truth_file.empty()) {
    Geometry geometry;
    geometry.fov_mm = options.fov_mm;
    write_nifti(truth_file, magnitude_or_complex<float>(s.truth), geometry);
  }
  if (!a.maps.empty()) {
    Matrix const& n = options.matrix;
    write_cfl(maps_files, {n.x, n.y, n.z, options.coils}, magnitude_or_complex<std::complex<float>>(s.maps));
  }
  outputs.commit();
  if (app.options.quiet) return;
  fmt::print("{}: {} shots, {} samples, {} coil{}, scan time {:.3g} s\n", a.output, s.shots,
             s.trajectory.size(), options.coils, options.coils == 1 ? "" : "s", s.scan_time_s);
}

}  // namespace

void add_simulate(CLI::App& root, App& app) {
  auto a = std::make_shared<SimulateArguments>();
  CLI::App* command = root.add_subcommand("simulate", "Write a raw scan of an analytic phantom");
  auto const option = [&](std::string const& name, auto& value, std::string const& text,
                          std::string const& type, std::string const& group) {
    return command->add_option(name, value, text)->type_name(type)->capture_default_str()->group(group);
  };
  constexpr char const *kObject = "Object", *kScan = "Scan", *kOutput = "Output";
  option("--matrix", a->matrix, "Matrix, x first: 256x256 or 64x64x64", "NxN[xN]", kObject);
  option("--fov", a->fov, "Field of view, x first; a third number is the slab or slice thickness",
         "MMxMM[xMM]", kObject);
  option("--contrast", a->contrast, "Shepp-Logan densities: modified (Toft) or original", "WORD", kObject)
      ->check(CLI::IsMember({"modified", "original"}));
  option("--coils", a->coils, "Receive coils around the object", "N", kObject);
  option("--trajectory", a->trajectory, "Where the samples lie: " + trajectory_names(", "), trajectory_type(),
         kScan);
  a->trajectory_choice.add_options(*command, kScan);
  option("--motion", a->motion,
         "How the object moves from readout to readout: none, drift, step, breathing or random, with turn "
         "(degrees), "
         "shift_x, shift_y (mm), at (part of the scan), period (s), as in step:at=0.5,turn=5,shift_x=3",
         "KIND[:NAME=NUMBER,...]", kScan);
  option("--snr", a->snr, "Mean signal over noise per real component in the fully sampled image; 0: no noise",
         "NUMBER", kScan);
  option("--noise-samples", a->noise_samples, "Length of a noise readout before the scan; 0: none", "N",
         kScan);
  option("--repetition-time", a->repetition_ms, "Time from shot to shot, for the scan time", "MS", kScan);
  option("--seed", a->seed, "Of noise and random motion", "N", kScan);
  option("-o,--output", a->output, "MRD file to write (.h5)", "FILE", kOutput)->required();
  option("--truth", a->truth, "Also write the voxel-averaged object (.nii.gz)", "FILE", kOutput);
  option("--maps", a->maps, "Also write the coil sensitivities (.cfl)", "FILE", kOutput);
  command->add_flag("--force", a->force, "Replace existing output")->group(kOutput);
  command->footer("Example: findrho simulate --trajectory spiral --snr 20 -o scan.h5 --truth truth.nii.gz");
  command->callback([&app, a] { run_simulate(app, *a); });
}

}  // namespace findrho
