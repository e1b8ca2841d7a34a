// SPDX-License-Identifier: BSD-3-Clause
// The CPU experiments by name.
#include "lab/cpu.hpp"

#include <unistd.h>

#include <fstream>
#include <string_view>

#include "findrho/core/error.hpp"
#include "findrho/lab/experiment.hpp"
#include "lab/collect.hpp"

namespace findrho {
namespace {

struct Entry {
  std::string_view name;
  void (*run)(Cpu const&);
};

constexpr Entry kEntries[] = {{"access", cpu_access},       {"transpose", cpu_transpose},
                              {"matmul", cpu_matmul},       {"cache-sweep", cpu_cache_sweep},
                              {"histogram", cpu_histogram}, {"arithmetic", cpu_arithmetic},
                              {"roofline", cpu_roofline}};

}  // namespace

std::int64_t last_cache_bytes() {
  long const third = sysconf(_SC_LEVEL3_CACHE_SIZE), second = sysconf(_SC_LEVEL2_CACHE_SIZE);
  if (third > 0) return third;
  return second > 0 ? second : std::int64_t{32} << 20;
}

std::string cpu_name(Context const& context) {
  std::ifstream info("/proc/cpuinfo");
  std::string name = "an unnamed processor";
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    name = line.substr(line.find(':') + 2);
    break;
  }
  return std::to_string(context.threads()) + " threads of " + name;
}

ExperimentResult run_on_cpu(Context const& context, std::string const& name, LabSize size) {
  ExperimentInfo const& info = find_experiment(name);
  auto const* const entry =
      std::find_if(std::begin(kEntries), std::end(kEntries), [&](Entry const& e) { return e.name == name; });
  if (entry == std::end(kEntries)) {
    throw Error(ErrorKind::bad_option, "the experiment '" + name + "' needs a GPU",
                "findrho lab --list shows which run on the CPU");
  }
  context.throw_if_cancelled();
  Phase const phase(context, "lab: " + name);
  ExperimentResult result{.name = name,
                          .title = info.title,
                          .device = cpu_name(context),
                          .rows = {},
                          .checks = {},
                          .answers = {},
                          .remarks = {},
                          .advice = {},
                          .seconds = 0};
  Collector collector{result, context};
  LabSink const sink = sink_into(collector);
  auto const begin = std::chrono::steady_clock::now();
  try {
    entry->run({context, Recorder(sink), size == LabSize::small});
  } catch (LabStopped const&) {
    throw Error(ErrorKind::cancelled, "the lab was stopped");
  } catch (Error const&) {
    throw;
  } catch (std::runtime_error const& wrong) {
    throw Error(ErrorKind::device_fault, "lab, " + name + ": " + wrong.what(),
                "this machine computes wrongly: look at its memory and its clock");
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace findrho
