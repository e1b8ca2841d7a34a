// SPDX-License-Identifier: BSD-3-Clause
// The list of experiments, and how a result is gathered on either device.
#include "findrho/lab/experiment.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "backend/cuda/call.hpp"
#include "findrho/core/error.hpp"
#include "lab/collect.hpp"

namespace findrho {

std::vector<ExperimentInfo> const& experiments() {
  static std::vector<ExperimentInfo> const list{
      {"access", "reads with strides, misaligned, random", "what a read moves beyond what it uses", true},
      {"layout", "structures in an array, or arrays in a structure",
       "the better layout is opposite for consecutive and for uniform lanes"},
      {"transpose", "rows into columns, without and with a tile", "coalescing and bank conflicts apart",
       true},
      {"banks", "strides in shared memory", "lanes wait for each other in a bank; broadcast is free"},
      {"matmul", "tiles in shared memory and in registers", "reuse sets the pace, not arithmetic", true},
      {"filter", "sliding window and 3x3 filter", "what caches and constant memory already do"},
      {"constant", "one index, or different ones, in constant memory",
       "broadcast against one after the other"},
      {"texture", "walks, interpolation and tables through textures",
       "locality in two directions; 8-bit fractions"},
      {"latency", "pointer chases through every memory", "cycles a step, beside the textbook's"},
      {"cache-sweep", "working sets from 4 KB to 4 times the last cache", "plateaus and knees", true},
      {"reuse", "arrays around the size of the L2 cache, read again", "hit rates"},
      {"carveout", "shared memory a block, under each split", "blocks that fit: arithmetic and device"},
      {"unified", "managed memory against copies", "what moving pages costs"},
      {"histogram", "atomics: global, private, repeats first", "contention, and what survives a hot bin",
       true},
      {"persistent", "blocks that stay and copy ahead", "what prefetching by hand still gives"},
      {"registers", "capped registers", "the cliff where local memory begins"},
      {"arithmetic", "multiply-adds, sines, tensor products", "the ceilings of arithmetic", true},
      {"roofline", "all ceilings, for the picture", "what a kernel can reach at most", true}};
  return list;
}

ExperimentInfo const& find_experiment(std::string const& name) {
  auto const& all = experiments();
  auto const found = std::find_if(all.begin(), all.end(), [&](auto const& e) { return e.name == name; });
  if (found == all.end()) {
    throw Error(ErrorKind::bad_option, "there is no experiment '" + name + "'",
                "findrho lab --list shows them");
  }
  return *found;
}

bool LabMeasurement::agrees() const {
  if (!predicted || values.empty()) return true;
  double const measured = values.front().value;
  double const factor = 1 + tolerance;
  // A predicted zero is met by what is nearly none of a whole.
  if (*predicted == 0) return std::abs(measured) <= tolerance;
  return measured >= *predicted / factor && measured <= *predicted * factor;
}

namespace {

Collector& as_collector(void* self) {
  return *static_cast<Collector*>(self);
}

void add_row(void* self, LabRow const* row) {
  LabMeasurement m;
  m.variant = row->variant;
  for (int i = 0; i < row->count; ++i) {
    m.values.push_back({row->values[i].name, row->values[i].unit, row->values[i].value});
  }
  if (!std::isnan(row->predicted)) m.predicted = row->predicted;
  m.tolerance = row->tolerance;
  m.reason = row->reason;
  m.note = row->note;
  as_collector(self).result.rows.push_back(std::move(m));
}
void add_check(void* self, char const* what, double error, double bound) {
  as_collector(self).result.checks.push_back({what, error, bound});
}
void add_text(void* self, int kind, char const* text) {
  ExperimentResult& r = as_collector(self).result;
  (kind == LabSink::advice ? r.advice : kind == LabSink::answer ? r.answers : r.remarks).emplace_back(text);
}
int is_cancelled(void* self) {
  return as_collector(self).context.cancelled() ? 1 : 0;
}

}  // namespace

LabSink sink_into(Collector& collector) {
  return {&collector, add_row, add_check, add_text, is_cancelled};
}

ExperimentResult run_on_cuda(Context const& context, CudaSession const& session, std::string const& name,
                             LabSize size) {
  context.throw_if_cancelled();
  Phase const phase(context, "lab: " + name);
  ExperimentResult result{.name = name,
                          .title = find_experiment(name).title,
                          .device = session.device().name,
                          .rows = {},
                          .checks = {},
                          .answers = {},
                          .remarks = {},
                          .advice = {},
                          .seconds = 0};
  Collector collector{result, context};
  LabSink const sink = sink_into(collector);
  int const effort = size == LabSize::small  ? LabTable::small
                     : size == LabSize::once ? LabTable::once
                                             : LabTable::usual;
  auto const begin = std::chrono::steady_clock::now();
  call(session, session.table<LabTable>().run, session.handle(), name.c_str(), effort, &sink);
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

}  // namespace findrho
