// SPDX-License-Identifier: BSD-3-Clause
// findrho doctor: what this program was built with, what this machine offers, what is missing and how to get
// it.
#include <fftw3.h>
#include <fmt/format.h>
#include <hdf5.h>
#include <hwy/targets.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "app.hpp"
#include "commands.hpp"
#include "findrho/backend/cuda_module.hpp"
#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "self_test.hpp"

namespace findrho {
namespace {

void line(std::string const& title, std::string const& text) {
  std::cout << "  " << title << std::string(title.size() < 14 ? 14 - title.size() : 1, ' ') << text << "\n";
}

void print_build() {
  std::cout << "findrho " << version() << "\n";
#ifdef __clang__
  line("compiler", __VERSION__);  // clang's says its name
#else
  line("compiler", std::string("g++ ") + __VERSION__);
#endif
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  line("libraries", std::string(fftw_version) + ", HDF5 " + std::to_string(major) + "." +
                        std::to_string(minor) + "." + std::to_string(release));
}

std::string processor_name() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string text; std::getline(info, text);) {
    if (text.rfind("model name", 0) == 0) return text.substr(text.find(':') + 2);
  }
  return "unknown processor";
}

void print_processor(Context const& context) {
  std::cout << "\nThis machine\n";
  line("processor", processor_name());
  line("threads", std::to_string(context.threads()));
  // Highway's targets are bits, the best one lowest.
  auto const targets = hwy::SupportedTargets() & HWY_TARGETS;
  line("vectors", std::string(hwy::TargetName(targets & -targets)) + " (chosen while running)");
  line("memory", bytes_text(static_cast<double>(available_memory_bytes())) + " available");
}

void print_cache() {
  auto const folder = cache_folder();
  if (folder.empty()) {
    line("cache",
         "none: neither XDG_CACHE_HOME nor HOME is set, so Toeplitz kernels are computed anew each time");
    return;
  }
  // The folder is made when it is first needed: what counts is the nearest folder above it that exists.
  auto existing = folder;
  std::error_code ignored;
  while (!std::filesystem::exists(existing, ignored) && existing.has_relative_path())
    existing = existing.parent_path();
  bool const writable = access(existing.c_str(), W_OK | X_OK) == 0;
  line("cache",
       folder.string() + (writable ? "" : ": cannot be written; set XDG_CACHE_HOME to a folder that can"));
}

void print_self_test(Context const& context) {
  SelfTest const test = run_self_test(context);
  line("self-test",
       fmt::format("{}: a small NUFFT differs from the exact sum by {:.1e} (forward) and {:.1e} (adjoint); "
                   "{:.0e} was asked",
                   test.passed() ? "passed" : "FAILED", test.forward_error, test.adjoint_error, test.asked));
  if (!test.passed()) {
    throw Error(ErrorKind::device_fault, "the NUFFT is wrong on this processor",
                "please report it with what stands above");
  }
}

/// Prints the module's state and runs its self-test on each device.
void print_cuda() {
  CudaModule const module = load_cuda_module();
  std::cout << "\nCUDA\n";
  line("module", module.path.empty() ? "none" : module.path);
  if (!module.runtime.empty()) line("runtime", "CUDA " + module.runtime);
  if (!module.driver.empty()) line("driver", "CUDA " + module.driver);
  if (!module.ready()) {
    line("missing", module.reason);
    line("next step", module.hint);
    line("", "Everything runs on the CPU without it.");
    return;
  }
  for (CudaDevice const& device : module.devices) {
    line("cuda:" + std::to_string(device.index),
         device.name + ", compute capability " + std::to_string(device.compute_major) + "." +
             std::to_string(device.compute_minor) + ", " + std::to_string(device.multiprocessors) +
             " multiprocessors at up to " + std::to_string(static_cast<int>(device.clock_mhz)) + " MHz");
    line("", "memory " + bytes_text(static_cast<double>(device.memory_bytes)) + ", free " +
                 bytes_text(static_cast<double>(device.memory_free_bytes)) + ", L2 cache " +
                 bytes_text(static_cast<double>(device.l2_bytes)));
    cuda_self_test(module, device.index);
    line("", "self-test passed: shared memory, barriers and atomics give the CPU's values");
  }
}

}  // namespace

void add_doctor(CLI::App& root, App& app) {
  auto* command = root.add_subcommand(
      "doctor", "Show what findrho was built with, what this machine offers and what is missing");
  command->callback([&app] {
    // Not app.context(): doctor must run, and say why, where --device is refused.
    Context const context = Context::cpu(app.options.threads);
    print_build();
    print_processor(context);
    print_cache();
    print_self_test(context);
    print_cuda();
  });
}

}  // namespace findrho
