// SPDX-License-Identifier: BSD-3-Clause
// findrho study: scans and reconstructions of a phantom compared before anything is measured.
#include "findrho/recipe/study.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>
#include <sstream>

#include "app.hpp"
#include "axis_numbers.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "findrho/io/output_set.hpp"
#include "object_options.hpp"
#include "study_report.hpp"

namespace findrho {
namespace {

struct StudyArguments {
  std::vector<std::string> trajectories{"cartesian", "spiral_vd", "radial", "rosette"}, motions{"none"},
      outputs;
  ObjectArguments object{.matrix = "128x128"};
  std::string methods = "gridding,cg", snrs = "20";
  std::int64_t coils = 1;
  double repetition_ms = 0, lambda = ReconOptions{}.lambda;
  int iterations = ReconOptions{}.iterations;
  std::uint64_t seed = 1;
  bool force = false;
};

std::vector<Method> parse_methods(std::string const& text) {
  std::vector<Method> methods;
  std::istringstream words(text + ",");  // an empty word at the end is one, too
  for (std::string word; std::getline(words, word, ',');) {
    if (word != "gridding" && word != "adjoint" && word != "cg") {
      throw Error(ErrorKind::bad_option, "--method is '" + word + "'",
                  "name some of gridding, adjoint, cg; Cartesian scans are done by ifft instead of gridding");
    }
    methods.push_back(word == "cg" ? Method::cg : word == "adjoint" ? Method::adjoint : Method::gridding);
  }
  return methods;
}

StudyOptions study_options(StudyArguments const& a) {
  StudyOptions o;
  set_object(a.object, o.scan);
  o.scan.coils = a.coils;
  o.scan.seed = a.seed;
  o.scan.repetition_time_s = a.repetition_ms * 1e-3;
  o.recon.lambda = a.lambda;
  o.recon.iterations = a.iterations;
  for (std::string const& text : a.trajectories) o.trajectories.push_back({text, parse_trajectory(text)});
  o.motions.clear();
  for (std::string const& text : a.motions) {
    o.motions.push_back({text, parse_motion(text)});
    o.motions.back().motion.seed = a.seed;
  }
  o.methods = parse_methods(a.methods);
  o.snrs = numbers<double>(a.snrs, ',', "--snr");
  return o;
}

/// A file for each name, written by what it ends in.
void write_outputs(std::vector<std::pair<std::string, std::string>> const& files,
                   std::vector<StudyRow> const& rows, StudyOptions const& options) {
  for (auto const& [extension, path] : files) {
    if (extension == ".csv") write_text(path, study_csv(rows));
    if (extension == ".json") write_text(path, study_json(rows, options));
    // A row of the picture for each trajectory, or half of it where it would be long.
    auto const combinations = static_cast<std::int64_t>(rows.size() / options.trajectories.size());
    if (extension == ".png") {
      write_study_picture(path, rows, combinations > 6 ? (combinations + 1) / 2 : combinations);
    }
  }
}

void run_study_command(App& app, StudyArguments const& a) {
  StudyOptions const options = study_options(a);
  OutputSet outputs({.force = a.force, .inputs = object_files(a.object)});
  std::vector<std::pair<std::string, std::string>> files;
  for (std::string const& name : a.outputs) {
    std::string const extension = std::filesystem::path(name).extension().string();
    if (extension != ".csv" && extension != ".json" && extension != ".png") {
      throw Error(ErrorKind::bad_option, "a study is written as .csv, .json or .png, not as '" + name + "'",
                  "end it in one of these");
    }
    files.emplace_back(extension, outputs.stage(name));
  }
  std::vector<StudyRow> const rows = run_study(app.context(), options);
  write_outputs(files, rows, options);
  outputs.commit();
  if (!app.options.quiet) std::cout << study_table(rows);
}

}  // namespace

void add_study(CLI::App& root, App& app) {
  auto a = std::make_shared<StudyArguments>();
  CLI::App* command = root.add_subcommand(
      "study", "Compare trajectories, methods and noise on a phantom whose truth is known");
  auto const option = [&](std::string const& name, auto& value, std::string const& text,
                          std::string const& type, std::string const& group) {
    return command->add_option(name, value, text)->type_name(type)->capture_default_str()->group(group);
  };
  constexpr char const *kCompared = "Compared (every combination)", *kShared = "Shared by all",
                       *kOutput = "Output";
  option("--trajectory", a->trajectories,
         "Trajectories with their options: spiral:shots=8,undersampling=2; see findrho traj --help", "TEXT",
         kCompared);
  option("--method", a->methods,
         "Some of gridding, adjoint, cg; a Cartesian scan is done by ifft instead of gridding", "LIST",
         kCompared);
  option("--snr", a->snrs, "Mean signal over noise in the fully sampled image; 0: no noise", "LIST",
         kCompared);
  option("--motion", a->motions, "Motions of the object, as findrho simulate takes them: none step:turn=5",
         "TEXT", kCompared);
  add_object_options(*command, a->object, kShared);
  option("--coils", a->coils, "Receive coils around the object", "N", kShared);
  option("--repetition-time", a->repetition_ms,
         "Time from shot to shot; 0: 10 ms, or the readout and 5 ms where that is longer", "MS", kShared);
  option("--lambda", a->lambda, "Weight of cg's prior, relative to the largest eigenvalue of F^H F", "NUMBER",
         kShared);
  option("--iterations", a->iterations, "Most iterations of cg", "N", kShared);
  option("--seed", a->seed, "Of noise and random motion", "N", kShared)->check(refuse_negative);
  option("-o,--output", a->outputs, "Table or picture to write: .csv, .json, .png; repeatable", "FILE",
         kOutput);
  command->add_flag("--force", a->force, "Replace existing output")->group(kOutput);
  command->footer(
      "Example: findrho study --trajectory cartesian spiral radial --snr 10,40 -o study.csv -o study.png");
  command->callback([&app, a] { run_study_command(app, *a); });
}

}  // namespace findrho
