// SPDX-License-Identifier: BSD-3-Clause
// findrho tune: searches the options of the ladder's last rung in three ways, and remembers the best.
#include "findrho/dft/tune.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app.hpp"
#include "axis_numbers.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "findrho/dft/measure.hpp"
#include "findrho/lab/experiment.hpp"
#include "ladder_problem.hpp"
#include "ladder_table.hpp"

namespace findrho {
namespace {

struct Options {
  LadderProblemOptions problem;
  double pairs = 4e9;  // of the slice
  int repeats = 3;
  bool json = false, all = false, dry = false;
};

char const* name(SampleMemory memory) {
  switch (memory) {
    case SampleMemory::constant:
      return "constant";
    case SampleMemory::global:
      return "global";
    case SampleMemory::shared:
      return "shared";
  }
  return "";
}

struct Tuning {
  std::string title, device, driver, problem;
  Rung rung = Rung::tuned;
  SumSlice slice;
  RungOptions start;
  TuneReport report;
  double slice_pairs() const { return double(slice.samples) * double(slice.voxels); }
};

std::string options_text(Tuning const& t, RungOptions const& o) {
  if (t.rung == Rung::gather_vector) {
    return fmt::format("block {:>4}, chunk {:>5}, {} vectors in flight", o.block_size, o.chunk, o.per_thread);
  }
  return fmt::format("block {:>4}, {} voxels a thread, unroll {}, {} memory, chunk {:>5}", o.block_size,
                     o.per_thread, o.unroll, name(o.memory), o.chunk);
}

void print_text(Tuning const& t, bool all) {
  TuneReport const& r = t.report;
  std::cout << t.title << "\n"
            << t.device << "\n"
            << fmt::format("rung {}, timed on {} samples x {} voxels\n\n", facts(t.rung).name,
                           t.slice.samples, t.slice.voxels);
  std::cout << fmt::format("{:<20} {:>6} {:>9} {:>8}  {}\n", "search", "timed", "pairs/s", "loss", "best");
  std::vector<TuneStrategy const*> strategies{&r.exhaustive, &r.greedy};
  if (r.has_pruned) strategies.push_back(&r.pruned);
  for (TuneStrategy const* s : strategies) {
    std::cout << fmt::format("{:<20} {:>6} {:>9} {:>7.1f}%  {}\n", s->name, s->timed,
                             rate_text(t.slice_pairs() / s->seconds), 100 * s->loss,
                             options_text(t, s->best));
  }
  std::cout << fmt::format(
      "\nThe best is {:.0f} % faster than the median configuration and {:.1f} times the slowest; the "
      "textbook's tuning\n"
      "gave about 20 %.\n",
      100 * (r.median_seconds / r.exhaustive.seconds - 1), r.worst_seconds / r.exhaustive.seconds);
  if (!r.has_pruned) std::cout << "Pruning needs a compiled kernel's figures: on a CUDA device only.\n";
  if (!all) return;
  std::cout << fmt::format("\n{:>9} {:>11} {:>11}  configuration\n", "pairs/s", "efficiency", "utilisation");
  for (TuneCandidate const& c : r.candidates) {
    std::cout << fmt::format("{:>9} {:>11.3e} {:>11.3e}  {}\n", rate_text(t.slice_pairs() / c.seconds),
                             c.efficiency, c.utilisation, options_text(t, c.options));
  }
}

void print_json(Tuning const& t) {
  using Json = nlohmann::ordered_json;
  auto const options = [](RungOptions const& o) {
    return Json{{"block", o.block_size},
                {"chunk", o.chunk},
                {"unroll", o.unroll},
                {"per_thread", o.per_thread},
                {"memory", name(o.memory)}};
  };
  auto const strategy = [&](TuneStrategy const& s) {
    return Json{{"timed", s.timed},
                {"pairs_per_second", t.slice_pairs() / s.seconds},
                {"loss", s.loss},
                {"best", options(s.best)}};
  };
  Json candidates = Json::array();
  for (TuneCandidate const& c : t.report.candidates) {
    Json j = options(c.options);
    j["pairs_per_second"] = t.slice_pairs() / c.seconds;
    j["efficiency"] = c.efficiency;
    j["utilisation"] = c.utilisation;
    candidates.push_back(std::move(j));
  }
  Json all{{"title", t.title},
           {"device", t.device},
           {"rung", facts(t.rung).name},
           {"slice", {{"samples", t.slice.samples}, {"voxels", t.slice.voxels}}},
           {"exhaustive", strategy(t.report.exhaustive)},
           {"one_knob_at_a_time", strategy(t.report.greedy)}};
  if (t.report.has_pruned) all["pareto_pruned"] = strategy(t.report.pruned);
  all["candidates"] = candidates;
  std::cout << all.dump(2) << "\n";
}

void tune_on_device(Tuning& t, Options const& options, ExactSum<float> const& sum, CudaSession const& session,
                    std::string const& driver, Context const& context) {
  t.device = session.device().name;
  t.driver = driver;
  t.slice = slice_of(t.rung, 2048, sum.samples(), sum.voxels(), options.pairs);
  t.start = {
      .block_size = 256, .chunk = 1024, .unroll = 1, .per_thread = 1, .memory = SampleMemory::constant};
  CudaSum<float> device_sum(session, sum);
  SumSlice const glance{.samples = 64, .voxels = 1024};
  auto const space = cuda_tune_space();
  std::int64_t step = 0;
  auto const run = [&](RungOptions const& o, SumSlice slice, int repeats) -> std::optional<CudaRungRun> {
    context.throw_if_cancelled();
    try {
      return device_sum.run(t.rung, o, slice, repeats);
    } catch (Error const& error) {
      if (error.kind == ErrorKind::not_built) return {};  // a block that this kernel cannot have
      throw;
    }
  };
  t.report = tune(
      space, t.start,
      [&](RungOptions const& o) -> std::optional<double> {
        auto const timing = run(o, t.slice, options.repeats);
        context.emit({.type = Event::Type::iteration,
                      .text = "tune",
                      .step = ++step,
                      .total = static_cast<std::int64_t>(space.size())});
        return timing ? std::optional(timing->seconds) : std::nullopt;
      },
      [&](TuneCandidate& candidate) {
        auto const glimpse = run(candidate.options, glance, 1);
        if (!glimpse || glimpse->figures.blocks_per_multiprocessor == 0) return false;
        estimate_candidate(candidate, glimpse->figures, double(t.slice.samples), double(t.slice.voxels));
        return true;
      });
}

void tune_on_cpu(Tuning& t, Options const& options, ExactSum<float> const& sum, Context const& context) {
  t.rung = Rung::gather_vector;
  t.device = cpu_name(context);
  t.driver = version();
  t.slice = slice_of(t.rung, 1, sum.samples(), sum.voxels(), options.pairs / 40);
  t.start = {.block_size = 256, .chunk = 256, .per_thread = 1};
  t.report = tune(cpu_tune_space(), t.start, [&](RungOptions const& o) -> std::optional<double> {
    double best = 0;
    for (int i = 0; i < options.repeats; ++i) {
      double const seconds = run_rung(context, sum, t.rung, o, t.slice).seconds;
      if (best == 0 || seconds < best) best = seconds;
    }
    return best;
  });
}

void tune_ladder(App& app, Options const& options) {
  Context const context = app.cpu_context();
  auto const problem = make_problem<float>(options.problem);
  CudaModule const module = load_cuda_module();
  DeviceChoice const choice = choose_device(app.options.device, module);
  Tuning t;
  t.title = problem.title;
  t.problem = problem_class(problem.sum.kind, problem.sum.samples(), problem.sum.voxels());
  if (choice.cuda) {
    tune_on_device(t, options, problem.sum, CudaSession::open(module, choice.index), module.driver, context);
  } else {
    tune_on_cpu(t, options, problem.sum, context);
  }
  options.json ? print_json(t) : print_text(t, options.all);
  std::cout.flush();  // seen, whether or not it can be remembered
  auto const folder = cache_folder();
  if (!folder.empty() && !options.dry) {
    remember_tuned(folder, {t.device, t.driver, t.problem, t.report.exhaustive.best,
                            t.slice_pairs() / t.report.exhaustive.seconds});
  }
}

}  // namespace

void add_tune(CLI::App& root, App& app) {
  auto* command =
      root.add_subcommand("tune", "Search the options of the ladder's last rung and remember the best");
  auto options = std::make_shared<Options>();
  add_problem_options(*command, options->problem);
  command
      ->add_option("--pairs", options->pairs,
                   "Size of the slice that each configuration is timed on, in pairs; on the "
                   "CPU a fortieth of it")
      ->check(number_from(1e6, 1e13))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--repeats", options->repeats, "Runs of each configuration")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  command->add_flag("--all", options->all, "Print every configuration");
  command->add_flag("--forget", options->dry, "Do not remember the best");
  command->add_flag("--json", options->json, "Print JSON");
  command->footer(
      "Exhaustive, one knob at a time (block, unroll, chunk, voxels a thread, memory), and the "
      "Pareto-optimal\n"
      "configurations of efficiency and utilisation (Ryoo et al., CGO 2008) from the compiled kernels' own "
      "figures.\n"
      "ladder uses what is remembered for the same device and problem class.");
  command->callback([&app, options] { tune_ladder(app, *options); });
}

}  // namespace findrho
