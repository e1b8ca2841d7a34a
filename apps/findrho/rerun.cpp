// SPDX-License-Identifier: BSD-3-Clause
// findrho rerun: repeat the run that a manifest records, and say whether the same bytes came out.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "findrho/core/sha256.hpp"
#include "findrho/recipe/manifest.hpp"
#include "recon.hpp"

namespace findrho {
namespace {

struct RerunArguments {
  std::string manifest;
  std::vector<std::string> outputs;
  bool force = false;
};

/// Errors  bad_file, when an input is not what it was
void check_inputs(Manifest const& manifest) {
  for (ManifestInput const& input : manifest.inputs) {
    std::string const now = sha256_file(input.path);
    if (now == input.sha256) continue;
    throw Error(
        ErrorKind::bad_file,
        fmt::format("{} has changed: its SHA-256 is {}, the manifest has {}", input.path, now, input.sha256),
        "bring back the file that the image was made from");
  }
}

/// The manifest's options as command-line words.
std::vector<std::string> words_of(Manifest const& manifest, RerunArguments const& a) {
  std::vector<std::string> words;
  for (ManifestOption const& option : manifest.options) {
    if (option.name == "--output" && !a.outputs.empty()) continue;
    for (std::string const& value : option.values) {
      if (option.name.starts_with("--")) {
        words.push_back(option.name + "=" + value);
      } else {
        words.push_back(value);  // the positional scan
      }
    }
  }
  for (std::string const& output : a.outputs) words.push_back("--output=" + output);
  if (a.force) words.push_back("--force");
  return words;
}

void rerun(App& app, RerunArguments const& a) {
  Manifest const manifest = read_manifest(a.manifest);
  if (manifest.command != "recon") {
    throw Error(ErrorKind::bad_file,
                a.manifest + " records findrho " + manifest.command + ", which rerun does not know");
  }
  if (manifest.interrupted) {
    throw Error(ErrorKind::bad_file,
                a.manifest + " records a run that was interrupted: it cannot be repeated",
                "run the reconstruction anew");
  }
  check_inputs(manifest);
  ReconArguments arguments;
  CLI::App command("", "recon");
  define_recon_options(command, arguments);
  std::vector<std::string> words = words_of(manifest, a);
  std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
  try {
    command.parse(words);
  } catch (CLI::ParseError const& refusal) {
    throw Error(ErrorKind::bad_file,
                a.manifest + " has an option that this version does not take: " + refusal.what(),
                "the manifest is of version " + manifest.version);
  }
  if (app.options.device == "auto")
    app.options.device = manifest.device;  // another device rounds differently
  std::vector<std::string> const hashes = run_recon(app, arguments, command);
  std::string changed;
  // With other formats than the first run's there is nothing to compare byte by byte.
  for (std::size_t i = 0; i < hashes.size() && hashes.size() == manifest.outputs.size(); ++i) {
    bool const same = hashes[i] == manifest.outputs[i].sha256;
    if (same) fmt::print("{}: same bytes as recorded\n", manifest.outputs[i].path);
    if (!same) changed += (changed.empty() ? "" : ", ") + manifest.outputs[i].path;
  }
  if (changed.empty()) return;
  throw Error(ErrorKind::bad_file,
              fmt::format("written, but not the recorded bytes: {} (recorded by version {}, this is {})",
                          changed, manifest.version, version()),
              "measure the difference with findrho compare; another version or machine rounds differently");
}

}  // namespace

void add_rerun(CLI::App& root, App& app) {
  auto arguments = std::make_shared<RerunArguments>();
  CLI::App* command = root.add_subcommand("rerun", "Repeat the run that a manifest records");
  command->add_option("manifest", arguments->manifest, "The .json file beside an image")
      ->type_name("FILE")
      ->required();
  command->add_option("-o,--output", arguments->outputs, "Names of the new images (default: the manifest's)")
      ->type_name("FILE");
  command->add_flag("--force", arguments->force, "Replace existing output");
  command->callback([&app, arguments] { rerun(app, *arguments); });
}

}  // namespace findrho
