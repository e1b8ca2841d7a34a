// SPDX-License-Identifier: BSD-3-Clause
#include "app.hpp"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdlib>

#include "command_tree.hpp"
#include "findrho/backend/cuda_module.hpp"
#include "findrho/core/error.hpp"
#include "interrupt.hpp"

namespace findrho {
namespace {

/// The device number of "cuda" or "cuda:<n>"; -1 for anything else.
int cuda_number(std::string const& device) {
  if (device == "cuda") return 0;
  if (device.rfind("cuda:", 0) != 0) return -1;
  std::string const digits = device.substr(5);
  bool const number =
      !digits.empty() && digits.size() <= 3 && digits.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::stoi(digits) : -1;
}

std::string check_device(std::string const& device) {
  if (device == "auto" || device == "cpu" || cuda_number(device) >= 0) return {};
  return "device is '" + device + "', not auto, cpu, cuda or cuda:<number>";
}

}  // namespace

void App::add_global_options(CLI::App& root) {
  root.add_option("--threads", options.threads, "CPU threads; 0: one per core that the process may use")
      ->check(CLI::Range(0, 4096))
      ->type_name("N")
      ->capture_default_str()
      ->group(kGlobalOptions);
  root.add_option("--device", options.device, "Where to compute: auto, cpu, cuda or cuda:<number>")
      ->check(check_device)
      ->type_name("DEVICE:{auto,cpu,cuda}")
      ->capture_default_str()
      ->group(kGlobalOptions);
  root.add_flag("--quiet", options.quiet, "Show warnings and errors only")->group(kGlobalOptions);
  root.add_option("--progress", options.progress,
                  "auto: one redrawn line on a terminal; plain: lines; json: one object per event (stderr)")
      ->check(CLI::IsMember({"auto", "plain", "json"}))
      ->type_name("STYLE")
      ->capture_default_str()
      ->group(kGlobalOptions);
}

Progress& App::progress() {
  if (!progress_) {
    auto style = ProgressStyle::plain;
    if (options.progress == "json") style = ProgressStyle::json;
    if (options.progress == "auto" && isatty(STDERR_FILENO) != 0) style = ProgressStyle::terminal;
    progress_ =
        std::make_unique<Progress>(style, options.quiet ? Verbosity::quiet : Verbosity::normal, stderr);
  }
  return *progress_;
}

Context App::context() {
  if (int const number = cuda_number(options.device); number >= 0) {
    CudaModule const module = load_cuda_module();
    CudaDevice const& device = require_cuda_device(module, number);
    throw Error(ErrorKind::not_built,
                "this command computes on the CPU only; " + device.name + " is there, but unused",
                "leave --device out");
  }
  return cpu_context();
}

Context App::cpu_context() {
  Context context = Context::cpu(options.threads);
  context.set_event_sink([&progress = progress()](Event const& event) { progress.show(event); });
  context.set_cancel_flag(&interrupt_flag());
  return context;
}

RunRecord const& App::record() {
  return progress().record();
}
bool App::interrupted() const {
  return interrupt_flag().load();
}

char const* version() {
  return FINDRHO_VERSION;
}

std::filesystem::path cache_folder() {
  auto const variable = [](char const* name) -> std::string {
    char const* const value = std::getenv(name);
    return value == nullptr ? "" : value;
  };
  // The XDG rule: a relative path is ignored.
  if (std::string const xdg = variable("XDG_CACHE_HOME"); xdg.rfind('/', 0) == 0) {
    return std::filesystem::path(xdg) / "findrho";
  }
  std::string const home = variable("HOME");
  return home.empty() ? std::filesystem::path() : std::filesystem::path(home) / ".cache" / "findrho";
}

}  // namespace findrho
