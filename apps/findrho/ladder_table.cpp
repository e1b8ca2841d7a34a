// SPDX-License-Identifier: BSD-3-Clause
#include "ladder_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "progress.hpp"

namespace findrho {
namespace {

StepCount declared(RungTiming const& row, SumKind kind) {
  RungFacts const& f = facts(row.rung);
  return kind == SumKind::q ? f.q : f.fhd;
}

bool uses_chunks(RungTiming const& row) {
  return facts(row.rung).constant_sample_bytes > 0 &&
         !(row.rung == Rung::tuned && row.options.memory != SampleMemory::constant);
}

std::int64_t chunks(RungTiming const& row, std::int64_t samples) {
  return (samples + row.options.chunk - 1) / row.options.chunk;
}

/// Operations per byte of global memory; nothing, when there is no access.
std::optional<double> intensity(RungTiming const& row, LadderReport const& report) {
  StepCount const c = declared(row, report.kind);
  if (c.accesses == 0) return {};
  return double(c.operations) / (c.accesses * report.element_bytes);
}

RungTiming const* first_of(LadderReport const& report, bool cuda, Rung rung) {
  for (RungTiming const& row : report.rows) {
    if (row.cuda == cuda && row.rung == rung) return &row;
  }
  return nullptr;
}

struct Speedups {
  double sequential = 0, first_gpu = 0, before = 0;  // 0: there is nothing to compare with
};

Speedups speedups(LadderReport const& report, std::size_t i) {
  RungTiming const& row = report.rows[i];
  Speedups s;
  if (row.rung == Rung::mu) return s;
  if (auto const* first = first_of(report, false, Rung::sequential)) {
    s.sequential = row.pairs_per_second / first->pairs_per_second;
  }
  RungTiming const* previous = nullptr;
  RungTiming const* first_gpu = nullptr;
  for (std::size_t k = 0; k < report.rows.size(); ++k) {
    RungTiming const& other = report.rows[k];
    if (other.rung == Rung::mu || other.cuda != row.cuda) continue;
    if (k < i) previous = &other;
    if (other.cuda && first_gpu == nullptr) first_gpu = &other;
  }
  if (row.cuda && first_gpu != nullptr) s.first_gpu = row.pairs_per_second / first_gpu->pairs_per_second;
  if (previous != nullptr) s.before = row.pairs_per_second / previous->pairs_per_second;
  return s;
}

std::string times_text(double factor) {
  if (factor == 0) return "-";
  return factor >= 100 ? fmt::format("{:.0f}", factor) : fmt::format("{:.2f}", factor);
}

std::string compiled_text(RungTiming const& row, LadderReport const& report) {
  auto const c = compiled_count(row.rung);
  if (!row.cuda || !c || report.kind != SumKind::fhd || report.element_bytes != 4) return "-";
  return fmt::format("{:.3g}/{:.3g}", c->loads_stores, c->arithmetic);
}

std::string psnr_text(LadderRow const& row) {
  if (std::isnan(row.psnr_db)) return fmt::format("{:>6} {:>8}", "-", "-");
  return fmt::format("{:>6.2f} {:>8.1e}", row.psnr_db, row.from_double);
}

std::string row_text(LadderReport const& report, std::size_t i) {
  LadderRow const& row = report.rows[i];
  StepCount const count = declared(row, report.kind);
  auto const op_per_byte = intensity(row, report);
  Speedups const s = speedups(report, i);
  auto const roof = limit_of(row, report);
  std::string const launch =
      row.figures
          ? fmt::format("{:>5} {:>9} {:>6} {:>4} {:>5.0f}%", row.options.block_size, row.figures->blocks,
                        uses_chunks(row) ? std::to_string(chunks(row, row.slice.samples)) : "-",
                        row.figures->registers, 100 * row.figures->occupancy())
          : fmt::format("{:>5} {:>9} {:>6} {:>4} {:>6}", "-", "-", "-", "-", "-");
  if (row.rung == Rung::mu) {
    return fmt::format("{:<5}{:<23} {:>5} {:>9} {:>5} {} {:>9}\n", row.cuda ? "GPU" : "CPU",
                       "mu (one per sample)", fmt::format("{}/{}", count.accesses, count.operations), "-",
                       "-", launch, duration_text(row.seconds));
  }
  return fmt::format(
      "{:<5}{:<23} {:>5} {:>9} {:>5} {} {:>9} {:>8}{} {:>8} {:>7} {:>6} {:>8.1e} {} {:>5}\n",
      row.cuda ? "GPU" : "CPU", facts(row.rung).name, fmt::format("{}/{}", count.accesses, count.operations),
      compiled_text(row, report), op_per_byte ? fmt::format("{:.2f}", *op_per_byte) : "-", launch,
      duration_text(row.seconds), rate_text(row.pairs_per_second), row.extrapolated ? "*" : " ",
      times_text(s.sequential), times_text(s.first_gpu), times_text(s.before), row.error, psnr_text(row),
      roof ? fmt::format("{:.0f}%", 100 * row.pairs_per_second / roof->pairs_per_second) : "-");
}

}  // namespace

std::string rate_text(double per_second) {
  int const exponent = per_second > 0 ? static_cast<int>(std::floor(std::log10(per_second))) / 3 * 3 : 0;
  return fmt::format("{:.3g}e{}", per_second / std::pow(10, exponent), exponent);
}

/// Two multiply-adds a pair, three times as many for the split numbers, on the units of the rung.
static std::optional<RungLimit> limit_of_products(Rung rung, LadderReport const& report) {
  if (rung == Rung::separable_fp32) return RungLimit{report.float_rate / 2, "float units"};
  double const tensor =
      report.ceilings ? (*report.ceilings)[rung == Rung::separable_tf32 ? "TF32" : "FP16"] : 0;
  if (tensor <= 0) return {};
  return RungLimit{tensor / (rung == Rung::separable_split ? 12 : 4), "tensor cores"};
}

std::optional<RungLimit> limit_of(RungTiming const& row, LadderReport const& report) {
  if (report.element_bytes != 4) return {};
  if (row.rung == Rung::separable_vector && report.cpu_multiply_adds > 0)
    return RungLimit{report.cpu_multiply_adds / 2, "multiply-adds"};
  if (!row.cuda || report.sine_rate <= 0 || row.rung == Rung::mu) return {};
  if (facts(row.rung).needs_grid) return limit_of_products(row.rung, report);
  bool const sine_units = !facts(row.rung).in_double;
  if (sine_units) return RungLimit{report.sine_rate / 2, "sine units"};
  // The library's sine and cosine: the 25 operations of the five-term series at least.
  return RungLimit{report.float_rate / (declared(row, report.kind).operations + 25), "float units"};
}

std::string table_text(LadderReport const& report) {
  std::string text = report.title + "\n" + report.processor;
  if (!report.device.empty()) text += "; " + report.device;
  text += fmt::format("\n{:.4g} pairs (a pair is one voxel with one sample)\n\n",
                      double(report.samples * report.coils) * double(report.voxels));
  text += fmt::format(
      "{:<28} {:>5} {:>9} {:>5} {:>5} {:>9} {:>6} {:>4} {:>6} {:>9} {:>9} {:>8} {:>7} {:>6} {:>8} {:>6} "
      "{:>8} {:>5}\n",
      "rung", "acc/op", "compiled", "OP/B", "block", "blocks", "chunks", "regs", "occup", "time", "pairs/s",
      "x seq", "x GPU1", "x prev", "error", "PSNR", "image", "roof");
  for (std::size_t i = 0; i < report.rows.size(); ++i) text += row_text(report, i);
  text +=
      "\nacc/op    accesses to global memory and operations of a step as the source reads; OP/B from them\n"
      "          rule: each array element read or written counts, also when repeated; each +, - and x "
      "counts, the\n"
      "          factor 2 pi does not (it folds into k), sine and cosine are apart (13 operations to 2 of "
      "them)\n"
      "compiled  loads and stores, and arithmetic instructions (a fused multiply-add is one), in the loop of "
      "nvcc 13.0,\n"
      "          sm_90a, per step, library sines included\n"
      "x         times faster than the sequential rung, than the first GPU rung, than the rung before\n"
      "error     relative l2 distance from the sum in double, at probe voxels\n"
      "PSNR      in dB, of a 48 x 48 phantom (spiral, SNR 20) reconstructed with this rung's F^H d and Q; "
      "image: "
      "its\n"
      "          relative l2 distance from the reconstruction in double\n";
  if (!report.rates_from.empty()) {
    text +=
        "roof      share of what the units allow: sine units (2 of 16 a clock and multiprocessor) where the "
        "rung "
        "uses\n"
        "          them, else float units (128, 25 operations for the sines); their rates by " +
        report.rates_from + "\n";
  }
  if (report.cpu_multiply_adds > 0) {
    text +=
        "roof      of separable_vector: the processor's multiply-adds, 2 a pair, as findrho lab measured "
        "them\n";
  }
  bool extrapolated = false;
  for (RungTiming const& row : report.rows) {
    if (!row.extrapolated) continue;
    if (!extrapolated) text += "*         timed on a slice and extrapolated:";
    extrapolated = true;
    text += fmt::format(" {} {} ({} samples x {} voxels)", row.cuda ? "GPU" : "CPU", facts(row.rung).name,
                        row.slice.samples, row.slice.voxels);
  }
  if (extrapolated) text += "\n";
  for (std::string const& note : report.notes) text += note + "\n";
  return text + amdahl_text(report);
}

namespace {
nlohmann::ordered_json amdahl_json(LadderReport const& report) {
  Amdahl const& a = *report.amdahl;
  auto rows = nlohmann::ordered_json::array();
  for (Amdahl::Row const& r : a.rows) {
    LadderRow const& row = report.rows[r.row];
    rows.push_back({{"rung", facts(row.rung).name},
                    {"where", row.cuda ? "cuda" : "cpu"},
                    {"fhd_seconds", row.seconds},
                    {"q_seconds", r.q_s},
                    {"solve_seconds", r.solve_s}});
  }
  return {{"solver", a.solver}, {"rungs", rows}};
}
}  // namespace

std::string table_json(LadderReport const& report) {
  using Json = nlohmann::ordered_json;
  Json rows = Json::array();
  for (std::size_t i = 0; i < report.rows.size(); ++i) {
    LadderRow const& row = report.rows[i];
    StepCount const count = declared(row, report.kind);
    Speedups const s = speedups(report, i);
    Json j{{"rung", facts(row.rung).name},
           {"where", row.cuda ? "cuda" : "cpu"},
           {"idea", facts(row.rung).idea},
           {"thread_owns", facts(row.rung).owner},
           {"accesses", count.accesses},
           {"operations", count.operations},
           {"block", row.options.block_size},
           {"chunk", row.options.chunk},
           {"unroll", row.options.unroll},
           {"per_thread", row.options.per_thread},
           {"memory", static_cast<int>(row.options.memory)},
           {"seconds", row.seconds},
           {"extrapolated", row.extrapolated},
           {"slice", {{"samples", row.slice.samples}, {"voxels", row.slice.voxels}}},
           {"pairs_per_second", row.pairs_per_second},
           {"error", row.error},
           {"speedup", {{"sequential", s.sequential}, {"first_gpu", s.first_gpu}, {"before", s.before}}}};
    if (!std::isnan(row.psnr_db)) j["phantom"] = {{"psnr_db", row.psnr_db}, {"from_double", row.from_double}};
    if (auto const op = intensity(row, report)) j["op_per_byte"] = *op;
    if (auto const c = compiled_count(row.rung); c && row.cuda) {
      j["compiled"] = {{"loads_stores", c->loads_stores},
                       {"constant_loads", c->constant},
                       {"arithmetic", c->arithmetic},
                       {"special", c->special},
                       {"instructions", c->all}};
    }
    if (row.figures) {
      j["launch"] = {{"blocks", row.figures->blocks},
                     {"launches", row.figures->launches},
                     {"registers", row.figures->registers},
                     {"local_bytes", row.figures->local_bytes},
                     {"shared_bytes", row.figures->shared_bytes},
                     {"blocks_per_multiprocessor", row.figures->blocks_per_multiprocessor},
                     {"occupancy", row.figures->occupancy()}};
    }
    if (auto const roof = limit_of(row, report)) {
      j["roof"] = {{"limit", roof->what},
                   {"pairs_per_second", roof->pairs_per_second},
                   {"share", row.pairs_per_second / roof->pairs_per_second}};
    }
    rows.push_back(std::move(j));
  }
  Json all{{"title", report.title},    {"processor", report.processor},
           {"device", report.device},  {"samples", report.samples},
           {"voxels", report.voxels},  {"coils", report.coils},
           {"sum", name(report.kind)}, {"element_bytes", report.element_bytes},
           {"notes", report.notes},    {"rungs", rows}};
  if (report.amdahl) all["whole_reconstruction"] = amdahl_json(report);
  return all.dump(2) + "\n";
}

}  // namespace findrho
