// SPDX-License-Identifier: BSD-3-Clause
// findrho lab: the memory hierarchy of the device at hand, measured beside what was predicted.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <iostream>

#include "app.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "lab_parts.hpp"
#include "make_folder.hpp"

namespace findrho {
namespace {

struct Options {
  std::vector<std::string> names;
  bool list = false, json = false, ncu = false, small = false, once = false;
  std::string pictures;
};

void print_list() {
  for (ExperimentInfo const& e : experiments()) {
    std::string name = e.name;
    name.resize(14, ' ');
    std::string where = e.on_cpu ? "CPU, GPU" : "GPU";
    where.resize(10, ' ');
    std::cout << name << where << e.title << ": " << e.shows << "\n";
  }
}

std::vector<std::string> chosen(Options const& o, bool cuda) {
  if (!o.names.empty()) return o.names;
  std::vector<std::string> names;
  for (ExperimentInfo const& e : experiments()) {
    if (cuda || e.on_cpu) names.push_back(e.name);
  }
  return names;
}

void print_profiles(std::vector<std::string> const& names, int device) {
  std::string const program = std::filesystem::read_symlink("/proc/self/exe").string();
  for (std::string const& name : names) {
    std::string const command = ncu_command(program, name, device);
    std::cout << command << "\n";
    if (ncu_is_there()) std::cout << ncu_table(command);
  }
  if (!ncu_is_there()) std::cerr << "ncu is not in PATH: only the commands are shown\n";
}

/// A picture that cannot be kept or ceilings that cannot be cached do not undo the measurement.
void keep(Context const& context, Options const& o, ExperimentResult const& result, std::string const& id) {
  if (result.name == "roofline" && !o.small && !o.once && !cache_folder().empty()) {
    try {
      save_ceilings(cache_folder(), id, ceilings_of(result));
    } catch (Error const& error) {
      context.warn(error.what());
    }
  }
  if (o.pictures.empty()) return;
  for (auto const& [name, chart] : charts_of(result))
    write_chart(std::filesystem::path(o.pictures) / name, chart);
}

void run(App& app, Options const& o) {
  if (o.list) return print_list();
  Context const context = app.cpu_context();
  CudaModule const module = load_cuda_module();
  DeviceChoice const choice = choose_device(app.options.device, module);
  if (!choice.reason.empty()) context.note(choice.reason);
  if (choice.cuda) cuda_self_test(module, choice.index);
  std::vector<std::string> const names = chosen(o, choice.cuda);
  if (o.ncu) {
    if (!choice.cuda)
      throw Error(ErrorKind::no_device, "the profiler is for a GPU's experiments", "see findrho doctor");
    return print_profiles(names, choice.index);
  }
  if (!o.pictures.empty()) make_folder(o.pictures, "--pictures");  // before anything is measured
  std::optional<CudaSession> session;
  if (choice.cuda) session = CudaSession::open(module, choice.index);
  LabSize const size = o.small ? LabSize::small : o.once ? LabSize::once : LabSize::usual;
  std::vector<ExperimentResult> results;
  for (std::string const& name : names) {
    results.push_back(session ? run_on_cuda(context, *session, name, size) : run_on_cpu(context, name, size));
    keep(context, o, results.back(), session ? session->device().uuid : cpu_id(context));
    if (!o.json) std::cout << lab_text(results.back()) << std::flush;
  }
  if (o.json) std::cout << lab_json(results);
}

}  // namespace

void add_lab(CLI::App& root, App& app) {
  auto* command = root.add_subcommand(
      "lab", "Measure the memory hierarchy of the device at hand, each effect beside its prediction.");
  auto options = std::make_shared<Options>();
  std::vector<std::string> known;
  for (ExperimentInfo const& e : experiments()) known.push_back(e.name);
  command
      ->add_option("experiments", options->names,
                   "Experiments to run; all that the device has when none is given")
      ->check(CLI::IsMember(known))
      ->type_name("EXPERIMENT");
  command->add_flag("--list", options->list, "List the experiments and where they run");
  command->add_flag("--json", options->json, "Print the results as JSON");
  command->add_option("--pictures", options->pictures, "Write charts there, as SVG and PNG")
      ->type_name("FOLDER");
  command->add_flag(
      "--ncu", options->ncu,
      "Print the profiler's command for each experiment, and its counters where the profiler is installed");
  command->add_flag("--small", options->small,
                    "Arrays of some MB, for checking tools; the times say nothing about the device");
  command->add_flag("--once", options->once, "Time every variant once, for profilers");
  command->footer("A star marks a measurement that is not as predicted; below the table stands why.");
  command->callback([&app, options] { run(app, *options); });
}

}  // namespace findrho
