// SPDX-License-Identifier: BSD-3-Clause
// The topic "lab": finds an experiment by its name and runs it.
#include <string_view>

#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

struct Entry {
  std::string_view name;
  void (*run)(Gpu const&);
};

constexpr Entry kEntries[] = {
    {"access", gpu_access},         {"layout", gpu_layout},
    {"transpose", gpu_transpose},   {"banks", gpu_banks},
    {"matmul", gpu_matmul},         {"filter", gpu_filter},
    {"constant", gpu_constant},     {"texture", gpu_texture},
    {"latency", gpu_latency},       {"cache-sweep", gpu_cache_sweep},
    {"reuse", gpu_reuse},           {"carveout", gpu_carveout},
    {"unified", gpu_unified},       {"histogram", gpu_histogram},
    {"persistent", gpu_persistent}, {"registers", gpu_registers},
    {"arithmetic", gpu_arithmetic}, {"roofline", gpu_roofline},
};

int run(void* session, char const* experiment, int effort, LabSink const* sink, CudaFault* fault) {
  return guarded(fault, [&] {
    for (Entry const& entry : kEntries) {
      if (entry.name != experiment) continue;
      Recorder const out(*sink);
      Session& s = *static_cast<Session*>(session);
      try {
        entry.run(Gpu(s, out, static_cast<LabTable::Effort>(effort)));
      } catch (LabStopped const&) {
        throw ModuleFailure(CudaFault::cancelled, "stopped");
      }
      s.stream.synchronize();
      s.pool.trim();
      return;
    }
    throw ModuleFailure(CudaFault::bad_argument,
                        std::string("the module has no experiment '") + experiment + "'");
  });
}

constexpr LabTable kTable{run};

}  // namespace
}  // namespace findrho

FINDRHO_EXPORT void const* findrho_cuda_topic_lab(int version) {
  return version == findrho::LabTable::kVersion ? &findrho::kTable : nullptr;
}
