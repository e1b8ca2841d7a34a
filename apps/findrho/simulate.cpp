// SPDX-License-Identifier: BSD-3-Clause
// findrho simulate: a raw scan of a phantom, for trying things out where the truth is known.
#include "findrho/recipe/simulate.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>

#include "app.hpp"
#include "axis_numbers.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "findrho/io/cfl.hpp"
#include "findrho/io/mrd_write.hpp"
#include "findrho/io/nifti.hpp"
#include "findrho/io/output_set.hpp"
#include "findrho/trajectory/facts.hpp"
#include "image_file.hpp"
#include "object_options.hpp"
#include "trajectory_options.hpp"

namespace findrho {
namespace {

struct SimulateArguments {
  std::string output, truth, maps, field_file;
  std::string trajectory = "spiral", coil_model = "polynomial", motion = "none", noise_covariance = "none",
              delay;
  ObjectArguments object{.matrix = "256x256"};
  TrajectoryChoice trajectory_choice;
  std::int64_t coils = 1, noise_samples = 0;
  double snr = 0, repetition_ms = 0;
  std::uint64_t seed = 1;
  bool force = false;
};

void set_coils(SimulateArguments const& a, SimulateOptions& o) {
  o.coils = a.coils;
  o.coil_model = a.coil_model == "loops" ? CoilModel::loops : CoilModel::polynomial;
  if (a.noise_covariance == "loops") {
    o.noise_covariance = loop_noise_covariance(make_coil_array(o.matrix.dims(), a.coils, o.coil_model));
  } else if (a.noise_covariance != "none") {
    o.noise_covariance = read_noise_covariance(a.noise_covariance, a.coils);
  }
}

SimulateOptions simulate_options(SimulateArguments const& a) {
  SimulateOptions o;
  set_object(a.object, o);
  o.trajectory = a.trajectory_choice.options(a.trajectory);
  o.motion = parse_motion(a.motion);
  o.motion.seed = a.seed;
  set_coils(a, o);
  o.snr = a.snr;
  o.seed = a.seed;
  o.noise_samples = a.noise_samples;
  o.repetition_time_s = a.repetition_ms * 1e-3;
  if (!a.delay.empty()) o.delay = parse_delay(a.delay);
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

/// The files that a scan is written to: an MRD file, or BART's pairs of k-space, trajectory and noise.
struct ScanFiles {
  bool cfl = false;
  std::string mrd;
  CflPaths samples, trajectory, noise;
};

CflPaths stage_cfl(OutputSet& outputs, std::string const& name) {
  CflPaths const final = cfl_paths(name);
  return {outputs.stage(final.header), outputs.stage(final.data)};
}

/// What a file ends in says its format, as for every output.
void check_names(SimulateArguments const& a) {
  auto const refuse = [](bool wrong, std::string const& what, std::string const& hint) {
    if (wrong) throw Error(ErrorKind::bad_option, what, hint);
  };
  refuse(!a.output.ends_with(".h5") && !a.output.ends_with(".mrd") && !a.output.ends_with(".cfl"),
         "output " + a.output + " has no known extension", "end it in .h5, .mrd or .cfl");
  for (std::string const& image : {a.truth, a.field_file}) {
    refuse(!image.empty() && !names_nifti(image), image + " is not named as a NIfTI image",
           "end it in .nii.gz or .nii");
  }
}

ScanFiles stage_scan(OutputSet& outputs, SimulateArguments const& a) {
  ScanFiles files;
  files.cfl = a.output.ends_with(".cfl");
  if (!files.cfl) {
    files.mrd = outputs.stage(a.output);
    return files;
  }
  std::string const name = a.output.substr(0, a.output.size() - 4);
  files.samples = stage_cfl(outputs, name);
  files.trajectory = stage_cfl(outputs, name + "_traj");
  if (a.noise_samples > 0) files.noise = stage_cfl(outputs, name + "_noise");
  return files;
}

/// BART's order: k-space (1, sample, shot, coil), trajectory (3, sample, shot) in cycles per FOV, noise (sample, 1, 1, coil).
void write_scan_cfl(ScanFiles const& files, SimulatedScan const& s) {
  std::int64_t const n = s.trajectory.samples_per_readout, coils = s.maps.shape().extent(Axis::coil);
  Array<std::complex<float>> samples(sample_shape(coils, s.trajectory.size()));
  std::int64_t shot = 0;
  for (RawReadout const& r : s.scan.readouts) {
    auto const* const data = s.scan.data.data() + r.data_offset;
    if (r.has(ReadoutFlag::noise)) {
      Array<std::complex<float>> noise(sample_shape(coils, r.samples));
      std::copy_n(data, noise.size(), noise.data());
      write_cfl(files.noise, {r.samples, 1, 1, coils}, noise);
      continue;
    }
    for (std::int64_t c = 0; c < coils; ++c) {
      std::copy_n(data + c * n, n, samples.data() + c * s.trajectory.size() + shot * n);
    }
    ++shot;
  }
  write_cfl(files.samples, {1, n, shot, coils}, samples);
  Array<std::complex<float>> k({{Axis::sample, s.trajectory.size()}, {Axis::dim, 3}});
  for (int d = 0; d < s.trajectory.dims; ++d) {
    for (std::size_t m = 0; m < s.trajectory.kx.size(); ++m) {
      k[static_cast<std::int64_t>(3 * m) + d] = static_cast<float>(s.trajectory[d][m]);
    }
  }
  write_cfl(files.trajectory, {3, n, shot}, k);
}

void print_summary(SimulateArguments const& a, SimulatedScan const& s) {
  fmt::print("{}: {} shots, {} samples, {} coil{}, scan time {:.3g} s; {}\n", a.output, s.shots,
             s.trajectory.size(), a.coils, a.coils == 1 ? "" : "s", s.scan_time_s, s.method);
  if (s.coil_fit_error > 0) {
    fmt::print("  coils: polynomials, {:.1f} % (rms) from the field of loops\n", 100 * s.coil_fit_error);
  }
  if (s.noise_sigma > 0) fmt::print("  noise: {:.4g} per real component of a sample\n", s.noise_sigma);
}

/// Designed trajectories keep the limits by themselves; the others are held to those that were given.
void check_limits(SimulateArguments const& a, SimulateOptions const& o) {
  if (!a.trajectory_choice.limits_given()) return;
  TrajectoryOptions options = o.trajectory;
  set_fov(options, o.fov_mm);
  Scanner const scanner = a.trajectory_choice.scanner(a.trajectory, o.fov_mm);
  constexpr double kAnyRepetition = 1e6;  // gradients do not depend on it
  require_limits(trajectory_facts(make_trajectory(o.matrix, options), scanner, kAnyRepetition), scanner);
}

void run_simulate(App& app, SimulateArguments const& a) {
  check_names(a);
  SimulateOptions const options = simulate_options(a);
  check_limits(a, options);
  std::vector<std::string> inputs = object_files(a.object);
  if (std::filesystem::exists(a.noise_covariance)) inputs.push_back(a.noise_covariance);
  if (!a.field_file.empty() && options.field.zero()) {
    throw Error(ErrorKind::bad_option, "--b0-map was asked for without off-resonance", "give --b0");
  }
  OutputSet outputs({.force = a.force, .inputs = inputs});
  ScanFiles const scan_files = stage_scan(outputs, a);
  std::string const truth_file = a.truth.empty() ? "" : outputs.stage(a.truth);
  std::string const field_file = a.field_file.empty() ? "" : outputs.stage(a.field_file);
  CflPaths const maps_files = a.maps.empty() ? CflPaths{} : stage_cfl(outputs, a.maps);
  SimulatedScan const s = simulate(app.context(), options);
  if (scan_files.cfl) write_scan_cfl(scan_files, s);
  if (!scan_files.cfl) write_mrd(scan_files.mrd, s.scan);
  Geometry geometry;
  geometry.fov_mm = options.fov_mm;
  if (!truth_file.empty()) write_nifti(truth_file, magnitude_or_complex<float>(s.truth), geometry);
  if (!field_file.empty()) write_nifti(field_file, convert<float>(s.field_hz.view()), geometry);
  if (!a.maps.empty()) {
    Matrix const& n = options.matrix;
    write_cfl(maps_files, {n.x, n.y, n.z, options.coils}, magnitude_or_complex<std::complex<float>>(s.maps));
  }
  outputs.commit();
  if (!app.options.quiet) print_summary(a, s);
}

}  // namespace

void add_simulate(CLI::App& root, App& app) {
  auto a = std::make_shared<SimulateArguments>();
  CLI::App* command = root.add_subcommand("simulate", "Write a raw scan of a phantom");
  auto const option = [&](std::string const& name, auto& value, std::string const& text,
                          std::string const& type, std::string const& group) {
    return command->add_option(name, value, text)->type_name(type)->capture_default_str()->group(group);
  };
  constexpr char const *kObject = "Object", *kCoils = "Coils and noise", *kScan = "Scan", *kOutput = "Output";
  add_object_options(*command, a->object, kObject);
  option("--motion", a->motion,
         "From readout to readout: none, drift, step, breathing or random, with turn (degrees), shift_x, "
         "shift_y, shift_z (mm), "
         "at (part of the scan), period (s), as in step:at=0.5,turn=5,shift_x=3",
         "MOTION", kObject);
  option("--coils", a->coils, "Receive coils around the object", "N", kCoils);
  option("--coil-model", a->coil_model,
         "polynomial: fitted to the field of loops, k-space in closed form; loops: that field itself", "WORD",
         kCoils)
      ->check(CLI::IsMember({"polynomial", "loops"}));
  option("--snr", a->snr, "Mean signal over noise per real component in the fully sampled image; 0: no noise",
         "NUMBER", kCoils);
  option("--noise-covariance", a->noise_covariance,
         "Of the coils: none, loops (as coupled by the object), or a text file, one line per coil",
         "WORD|FILE", kCoils);
  option("--noise-samples", a->noise_samples, "Length of a noise readout before the scan; 0: none", "N",
         kCoils);
  option("--seed", a->seed, "Of noise and random motion", "N", kCoils)->check(refuse_negative);
  option("--trajectory", a->trajectory, "Where the samples lie: " + trajectory_names(", "), trajectory_type(),
         kScan);
  a->trajectory_choice.add_options(*command, kScan);
  option("--delay", a->delay,
         "How late the gradients play, which the scan does not say: one number, or one per axis",
         "US[,US,US]", kScan);
  option("--repetition-time", a->repetition_ms,
         "Time from shot to shot; 0: 10 ms, or the readout and 5 ms where that is longer", "MS", kScan);
  option("-o,--output", a->output,
         "Scan to write: MRD (.h5), or BART's pairs (NAME.cfl, NAME_traj.cfl, NAME_noise.cfl)", "FILE",
         kOutput)
      ->required();
  option("--truth", a->truth, "Also write the voxel-averaged object (.nii.gz)", "FILE", kOutput);
  option("--b0-map", a->field_file, "Also write the off-resonance in Hz (.nii.gz)", "FILE", kOutput);
  option("--maps", a->maps, "Also write the coil sensitivities (.cfl)", "FILE", kOutput);
  command->add_flag("--force", a->force, "Replace existing output")->group(kOutput);
  command->footer("Example: findrho simulate --trajectory spiral --snr 20 -o scan.h5 --truth truth.nii.gz");
  command->callback([&app, a] { run_simulate(app, *a); });
}

}  // namespace findrho
