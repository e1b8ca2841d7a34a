// SPDX-License-Identifier: BSD-3-Clause
// findrho recon: from a raw scan to an image, with a manifest beside it.
#include "recon.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <chrono>

#include "app.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "findrho/core/sha256.hpp"
#include "findrho/io/cfl.hpp"
#include "findrho/lab/experiment.hpp"
#include "findrho/recipe/manifest.hpp"
#include "image_file.hpp"
#include "recon_device.hpp"

namespace findrho {
namespace {

/// The files behind an input's name: one, or the two of a cfl pair.
std::vector<std::string> files_of(std::string const& name) {
  if (!names_cfl(name)) return {name};
  CflPaths const pair = cfl_paths(name);
  return {pair.data, pair.header};
}

std::vector<ManifestInput> inputs_of(ReconArguments const& a) {
  std::vector<ManifestInput> inputs;
  for (auto const& [role, name] : {std::pair{"scan", a.scan},
                                   {"--traj", a.trajectory},
                                   {"--maps", a.maps},
                                   {"--reference", a.reference}}) {
    if (name.empty()) continue;
    for (std::string const& file : files_of(name)) inputs.push_back({role, file, ""});
  }
  return inputs;
}

std::vector<ManifestOption> options_of(CLI::App const& command) {
  std::vector<ManifestOption> options;
  for (CLI::Option const* option : command.get_options()) {
    std::string const name = (option->get_positional() ? "" : "--") + option->get_single_name();
    if (name == "--help" || name == "--force" || name == "--dry-run") continue;
    ManifestOption entry{name, option->results(), ""};
    if (entry.values.empty() && !option->get_default_str().empty())
      entry.values = {option->get_default_str()};
    std::string const type = option->get_type_name();
    bool const unit = type.find("MM") != std::string::npos || type == "CYCLES/FOV" || type == "CELLS";
    if (unit)
      entry.unit = type.find("MM") != std::string::npos ? "mm"
                   : type == "CELLS"                    ? "grid cells"
                                                        : "cycles per FOV";
    options.push_back(std::move(entry));
  }
  return options;
}

Manifest manifest_of(App& app, Context const& context, ReconArguments const& a, CLI::App const& command,
                     ReconResult const& result, Matrix const& matrix) {
  Manifest m;
  m.version = version();
  m.command = "recon";
  m.options = options_of(command);
  m.inputs = inputs_of(a);
  context.pool().each(std::ssize(m.inputs), [&](std::int64_t i) {
    ManifestInput& input = m.inputs[static_cast<std::size_t>(i)];
    input.sha256 = sha256_file(input.path);
  });
  RunRecord const& record = app.record();
  m.notes = record.notes;
  m.warnings = record.warnings;
  for (auto const& phase : record.phases) m.phases.push_back({phase.name, phase.seconds});
  m.peak_memory_bytes = peak_memory_bytes();
  m.threads = context.threads();
  m.seed = a.seed;
  m.interrupted = result.interrupted;
  m.matrix = matrix;
  m.geometry = result.geometry;
  m.frames = result.frames;
  return m;
}

void print_estimate(ReconEstimate const& estimate, Dataset const& dataset, std::string const& device) {
  Matrix const& n = dataset.matrix;
  fmt::print("image      {} x {} x {}, {} frame{}, {} coil{}, {} samples a frame\n", n.x, n.y, n.z,
             dataset.frames.size(), dataset.frames.size() == 1 ? "" : "s", dataset.coils,
             dataset.coils == 1 ? "" : "s", dataset.frames.front().trajectory->size());
  fmt::print("memory     {:.0f} MiB at the peak, {:.0f} MiB available\n",
             static_cast<double>(estimate.bytes) / (1 << 20),
             static_cast<double>(available_memory_bytes()) / (1 << 20));
  if (estimate.device_bytes > 0) {
    fmt::print("device     {:.0f} MiB of {}\n", static_cast<double>(estimate.device_bytes) / (1 << 20),
               device);
  }
  fmt::print("time       about {:.2g} s{}\n", estimate.seconds,
             estimate.device_bytes > 0 ? " without the device" : "");
}

void print_summary(ImageFiles const& files, ReconResult const& result) {
  Shape const& s = result.images.shape();
  std::string solve;
  if (!result.frames.empty()) {
    FrameReport const& last = result.frames.back();
    solve = fmt::format(", cg {} iterations ({})", last.cg.iterations, name(last.cg.reason));
  }
  std::int64_t const frames = s.extent(Axis::frame);
  for (auto const& file : files.files()) {
    fmt::print("{}: {} x {} x {}{}{}{}\n", file.name, s.extent(Axis::x), s.extent(Axis::y), s.extent(Axis::z),
               frames > 1 ? fmt::format(", {} volumes", frames) : "", solve,
               result.interrupted ? ", interrupted" : "");
  }
}

Array<float> load_reference(std::string const& path) {
  if (path.empty()) return {};
  Array<float> image = read_image_magnitude(path);
  if (image.shape().extent(Axis::frame) != 1) {
    throw Error(ErrorKind::bad_shape,
                fmt::format("the reference {} has {} frames", path, image.shape().extent(Axis::frame)),
                "give one volume");
  }
  return image;
}

}  // namespace

std::vector<std::string> run_recon(App& app, ReconArguments const& a, CLI::App const& command) {
  ReconOptions options = recon_options(a);
  LoadRequest const request = load_request(a);
  std::vector<ImageKind> const kinds = image_kinds(a);
  if (a.outputs.empty() && !a.dry_run) {
    throw Error(ErrorKind::bad_option, "no output was named", "add -o image.nii.gz, or --dry-run");
  }
  OutputOptions output_options{.force = a.force, .inputs = {}};
  for (ManifestInput const& input : inputs_of(a)) output_options.inputs.push_back(input.path);
  OutputSet outputs(output_options);
  ImageFiles const files(outputs, a.dry_run ? std::vector<std::string>{} : a.outputs, kinds);
  std::string const manifest_path =
      a.dry_run ? "" : outputs.stage(ImageFiles::stem(a.outputs.front()) + ".json");

  Context const context = app.cpu_context();
  auto const start = std::chrono::steady_clock::now();
  LoadedScan const scan = load_scan(context, request);
  double const load_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  options.cuda = open_recon_device(app, context, scan.dataset, options);
  Array<std::complex<float>> const maps = a.maps.empty() ? Array<std::complex<float>>() : load_maps(a.maps);
  Array<float> const reference = load_reference(a.reference);
  ReconInputs inputs;
  if (!maps.empty()) inputs.maps = maps.view();
  if (!reference.empty()) inputs.reference = slab(reference.view(), 0);
  if (a.dry_run) {
    ReconEstimate total = estimate(context, scan.dataset, options, inputs);
    total.seconds += load_seconds;
    print_estimate(total, scan.dataset, options.cuda ? options.cuda->device().name : "");
    return {};
  }
  ReconResult const result = reconstruct_on(app, context, scan.dataset, options, inputs);
  if (result.magnitude_only && kinds != std::vector{ImageKind::magnitude}) {
    context.warn("root of sum of squares has no phase: it is 0 everywhere; --coils sense keeps it");
  }
  {
    Phase const phase(context, "write");
    files.write(result, scan.mrd_header);
  }
  Shape const& s = result.images.shape();
  Manifest manifest = manifest_of(app, context, a, command, result,
                                  {s.extent(Axis::x), s.extent(Axis::y), s.extent(Axis::z)});
  manifest.device = device_name(options);
  std::vector<std::string> hashes;
  for (auto const& file : files.files()) {
    hashes.push_back(sha256_file(file.staged));
    manifest.outputs.push_back({file.name, hashes.back()});
  }
  write_text(manifest_path, manifest_json(manifest));
  outputs.commit();
  if (!app.options.quiet) print_summary(files, result);
  return hashes;
}

void add_recon(CLI::App& root, App& app) {
  auto arguments = std::make_shared<ReconArguments>();
  CLI::App* command = root.add_subcommand("recon", "Reconstruct images from a raw scan");
  define_recon_options(*command, *arguments);
  command->footer(
      "Example: findrho recon scan.h5 -o image.nii.gz\n"
      "The image is the minimum of 1/2 |F rho - d|^2_w + lambda/2 |W rho|^2; see docs/math/equation.md.");
  command->callback([&app, arguments, command] { run_recon(app, *arguments, *command); });
}

}  // namespace findrho
