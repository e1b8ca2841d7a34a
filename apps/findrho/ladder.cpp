// SPDX-License-Identifier: BSD-3-Clause
// findrho ladder: every rung of the exact sums, verified, timed and accounted for.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "app.hpp"
#include "axis_numbers.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "findrho/dft/choose_rung.hpp"
#include "findrho/dft/tune.hpp"
#include "findrho/io/output_set.hpp"
#include "findrho/io/parboil.hpp"
#include "findrho/lab/ceilings.hpp"
#include "findrho/lab/experiment.hpp"
#include "image_file.hpp"
#include "ladder_amdahl.hpp"
#include "ladder_problem.hpp"
#include "ladder_quality.hpp"
#include "ladder_recon.hpp"
#include "ladder_rungs.hpp"
#include "ladder_table.hpp"

namespace findrho {
namespace {

struct Options {
  LadderProblemOptions problem;
  std::vector<std::string> rungs;
  std::string precision = "single", output, picture;
  int block = 0, chunk = 0, unroll = 0, per_thread = 0;
  double budget_s = 0.5;
  int repeats = 3;
  bool json = false, explain = false, force = false, quality = false, amdahl = false;
  QualityOptions of_quality;
};

RungOptions chosen(Options const& options, Rung rung, bool cuda, std::optional<TunedEntry> const& tuned) {
  RungOptions o = tuned && rung == (cuda ? Rung::tuned : Rung::gather_vector)
                      ? tuned->options
                      : default_options(rung, cuda ? SumDevice::cuda : SumDevice::cpu);
  if (options.block > 0) o.block_size = options.block;
  if (options.chunk > 0) o.chunk = options.chunk;
  if (options.unroll > 0) o.unroll = options.unroll;
  if (options.per_thread > 0) o.per_thread = options.per_thread;
  return o;
}

/// Options that the asked table does not look at are refused, rather than passed over in silence.
void require_meaning(CLI::App const& command, Options const& options) {
  auto const refuse = [&](std::string const& name, std::string const& why) {
    if (command.get_option(name)->count() == 0) return;
    throw Error(ErrorKind::bad_option, name + " " + why, "leave one of the two out");
  };
  if (options.quality) {
    for (char const* name : {"--samples", "--coils", "--trajectory", "--sum", "--input", "--rungs",
                             "--precision", "--block", "--chunk", "--unroll", "--per-thread", "--budget",
                             "--repeats", "--output", "--amdahl", "--explain", "--json"}) {
      refuse(name, "has no part in the comparison of images that --quality makes");
    }
  }
  if (!options.problem.input.empty()) {
    for (char const* name : {"--size", "--samples", "--trajectory", "--sum"})
      refuse(name, "is for a synthetic scan, and --input brings its own");
  }
  if (options.json) refuse("--explain", "is text, and --json prints none");
  if (!options.output.empty() && options.problem.input.empty()) {
    throw Error(ErrorKind::bad_option, "--output is the result of an mri-q input, and there is no --input",
                "give --input, or leave --output out");
  }
  bool const only_mu = !options.rungs.empty() && std::all_of(options.rungs.begin(), options.rungs.end(),
                                                             [](auto const& rung) { return rung == "mu"; });
  if (!options.output.empty() && only_mu) {
    throw Error(ErrorKind::bad_option, "--output is Q, and mu only makes the weights of the samples",
                "name a rung that sums");
  }
  for (char const* name : {"--max-psnr-loss", "--snr"}) {
    if (!options.quality && command.get_option(name)->count() > 0)
      throw Error(ErrorKind::bad_option, std::string(name) + " is for --quality", "add --quality");
  }
}

class Ladder {
 public:
  Ladder(App& app, Options const& options) : app_(app), options_(options), context_(app.cpu_context()) {}

  template <class T>
  void run() {
    for (std::string const& rung : options_.rungs) find_rung(rung);
    if (options_.amdahl && (!options_.problem.input.empty() || options_.problem.sum != "fhd")) {
      throw Error(ErrorKind::bad_option, "--amdahl is about a whole reconstruction, of F^H d on a grid",
                  "leave --input and --sum out");
    }
    OutputSet outputs({.force = options_.force, .inputs = {options_.problem.input}});
    std::string const output = options_.output.empty() ? "" : outputs.stage(options_.output);
    std::string const picture = stage_picture(outputs, options_.picture);
    auto const problem = make_problem<T>(options_.problem);
    describe(problem);
    CudaModule const module = load_cuda_module();
    DeviceChoice const choice = choose_device(app_.options.device, module);
    if (!choice.reason.empty()) report_.notes.push_back(choice.reason);
    require_runnable(options_.rungs, choice.cuda, problem.sum);
    // The CPU's rungs stand beside the device's: where a device works, the first and the last of them.
    run_on_cpu(problem.sum, choice.cuda);
    if (choice.cuda) {
      session_ = CudaSession::open(module, choice.index);
      driver_ = module.driver;
      run_on_device(problem.sum);
    }
    add_psnr<T>();
    if (options_.amdahl) add_amdahl<T>(problem.matrix);
    if (!output.empty()) write_result(problem.sum, output);
    if (!picture.empty()) write_ladder_picture(picture, report_);
    outputs.commit();
    std::cout << (options_.json ? table_json(report_) : table_text(report_));
    if (options_.explain && !options_.json) std::cout << "\n" << explanation(report_);
  }

 private:
  template <class T>
  void describe(LadderProblem<T> const& problem) {
    report_.title = problem.title + (sizeof(T) == 8 ? ", double precision" : ", single precision");
    report_.processor = cpu_name(context_);
    report_.kind = problem.sum.kind;
    report_.samples = problem.sum.samples();
    report_.voxels = problem.sum.voxels();
    report_.coils = problem.sum.coils();
    report_.element_bytes = sizeof(T);
    auto const measured = load_ceilings(cache_folder(), cpu_id(context_));
    if (measured) report_.cpu_multiply_adds = (*measured)["FP32"] / 2;  // a multiply-add counts two
  }

  MeasureOptions measure() const { return {.budget_s = options_.budget_s, .repeats = options_.repeats}; }

  template <class T>
  void run_on_cpu(ExactSum<T> const& sum, bool beside_device) {
    auto const tuned = remembered(report_.processor, version());
    for (Rung rung : rungs_for(options_.rungs, false, sum)) {
      bool const wanted =
          rung == Rung::sequential || rung == Rung::gather_vector || rung == Rung::separable_vector;
      if (beside_device && !wanted) continue;
      Phase const phase(context_, std::string("CPU ") + facts(rung).name);
      report_.rows.push_back(
          {time_on_cpu(context_, sum, rung, chosen(options_, rung, false, tuned), measure())});
    }
  }

  template <class T>
  void run_on_device(ExactSum<T> const& sum) {
    CudaDevice const& device = session_->device();
    set_rates(device);
    report_.device = fmt::format("{}, {} multiprocessors at up to {:.0f} MHz", device.name,
                                 device.multiprocessors, device.clock_mhz);
    auto const tuned = remembered(device.name, driver_);
    CudaSum<T> device_sum(*session_, sum);
    for (Rung rung : rungs_for(options_.rungs, true, sum)) {
      Phase const phase(context_, std::string("GPU ") + facts(rung).name);
      report_.rows.push_back(
          {time_on_cuda(context_, device_sum, sum, rung, chosen(options_, rung, true, tuned), measure())});
    }
  }

  /// The same small scan for every rung, so that the columns compare.
  template <class T>
  void add_psnr() {
    Phase const phase(context_, "phantom by every rung");
    PhantomScan const scan =
        scan_phantom(context_, {.x = 48, .y = 48, .z = 1}, Spiral2dOptions{}, 20, options_.problem.seed);
    ExactReconOptions o{.lambda = 3e-4};
    RungPlace const vector{Rung::gather_vector, default_options(Rung::gather_vector, SumDevice::cpu)};
    ExactRecon const in_double = reconstruct_by_rung<double>(context_, scan, vector, o);
    o.lambda_absolute = in_double.lambda_absolute;  // only the arithmetic differs
    for (LadderRow& row : report_.rows) {
      if (row.rung == Rung::mu) continue;
      RungPlace const place{row.rung, row.options, row.cuda ? &*session_ : nullptr};
      ExactRecon const recon = reconstruct_by_rung<T>(context_, scan, place, o);
      row.psnr_db = psnr_of(scan, recon.image);
      row.from_double = distance(recon.image, in_double.image);
    }
  }

  template <class T>
  void add_amdahl(Matrix const& matrix) {
    LadderProblemOptions of_q = options_.problem;
    of_q.sum = "q";
    of_q.coils = 1;
    Amdahl amdahl;
    {
      auto const problem = make_problem<T>(of_q);
      std::optional<CudaSum<T>> device_sum;
      if (session_) device_sum.emplace(*session_, problem.sum);
      for (std::size_t i = 0; i < report_.rows.size(); ++i) {
        LadderRow const& row = report_.rows[i];
        if (row.rung == Rung::mu) continue;
        Phase const phase(context_, std::string("Q by ") + facts(row.rung).name);
        auto const found =
            row.cuda ? find_tuned(cache_folder(), session_->device().name, driver_, of_problem(problem.sum))
                     : find_tuned(cache_folder(), report_.processor, version(), of_problem(problem.sum));
        RungOptions const o = found ? chosen(options_, row.rung, row.cuda, found) : row.options;
        RungTiming const q = row.cuda
                                 ? time_on_cuda(context_, *device_sum, problem.sum, row.rung, o, measure())
                                 : time_on_cpu(context_, problem.sum, row.rung, o, measure());
        amdahl.rows.push_back({i, q.seconds, q.extrapolated});
      }
    }
    Phase const phase(context_, "solve");
    Trajectory const trajectory = ladder_trajectory(options_.problem, matrix);
    std::optional<double> processor, device;
    for (Amdahl::Row& r : amdahl.rows) {
      bool const cuda = report_.rows[r.row].cuda;
      std::optional<double>& seconds = cuda ? device : processor;
      if (!seconds) {
        seconds = cuda ? time_solve<T>(context_, *session_, trajectory, matrix)
                       : time_solve<T>(context_, trajectory, matrix);
      }
      r.solve_s = *seconds;
    }
    amdahl.solver = fmt::format("the largest eigenvalue and {} iterations of CG on {}{}{}", kAmdahlIterations,
                                processor ? report_.processor : "", processor && device ? " or on " : "",
                                device ? report_.device : "");
    report_.amdahl = std::move(amdahl);
  }

  /// The lab's measurement of this device, where there is one; else what clock and units make.
  void set_rates(CudaDevice const& device) {
    if (auto const measured = load_ceilings(cache_folder(), device.uuid);
        measured && (*measured)["SFU"] > 0) {
      report_.ceilings = measured;
      report_.sine_rate = (*measured)["SFU"];
      report_.float_rate = (*measured)["FP32"] / 2;  // a multiply-add counts two
      report_.rates_from = "findrho lab's measurement of this device";
      return;
    }
    double const clocks = device.clock_mhz * 1e6 * device.multiprocessors;
    report_.sine_rate = 16 * clocks;
    report_.float_rate = 128 * clocks;
    report_.rates_from =
        "the clock, 16 sine and 128 float units a multiprocessor (findrho lab roofline measures them)";
  }

  template <class T>
  static std::string of_problem(ExactSum<T> const& sum) {
    return problem_class(sum.kind, sum.samples(), sum.voxels());
  }

  std::optional<TunedEntry> remembered(std::string const& device, std::string const& driver) {
    auto const found = find_tuned(cache_folder(), device, driver,
                                  problem_class(report_.kind, report_.samples, report_.voxels));
    char const* const rung = facts(session_ ? Rung::tuned : Rung::gather_vector).name;
    if (found)
      report_.notes.push_back(
          fmt::format("options of {} on {} are those that tune remembered", rung, device));
    return found;
  }

  /// Q of mri-q's positions by the last rung of the table, on the device that the table is about.
  template <class T>
  void write_result(ExactSum<T> const& sum, std::string const& path) {
    RungTiming const& last = report_.rows.back();
    SumResult<T> result;
    if (last.cuda) {
      CudaSum<T> device_sum(*session_, sum);
      device_sum.run(last.rung, last.options);
      result = device_sum.result();
    } else {
      result = run_rung(context_, sum, last.rung, last.options);
    }
    write_parboil_output(path, {result.re.begin(), result.re.end()}, {result.im.begin(), result.im.end()});
    report_.notes.push_back(fmt::format("{} holds Q by {}", options_.output, facts(last.rung).name));
  }

  App& app_;
  Options const& options_;
  Context context_;
  LadderReport report_;
  std::optional<CudaSession> session_;
  std::string driver_;
};

void compare_quality(App& app, Options options) {
  OutputSet outputs({.force = options.force, .inputs = {}});
  QualityOptions& quality = options.of_quality;
  quality.picture = stage_picture(outputs, options.picture);
  quality.size = options.problem.size == LadderProblemOptions{}.size ? quality.size : options.problem.size;
  quality.seed = options.problem.seed;
  Context const context = app.cpu_context();
  CudaModule const module = load_cuda_module();
  DeviceChoice const choice = choose_device(app.options.device, module);
  std::optional<CudaSession> session;
  if (choice.cuda) session = CudaSession::open(module, choice.index);
  std::string const text = quality_tables(context, quality, session);
  outputs.commit();
  std::cout << text;
  if (!choice.cuda)
    std::cout << "GPU rows are missing: " << (choice.reason.empty() ? "--device cpu" : choice.reason) << "\n";
}

}  // namespace

void add_ladder(CLI::App& root, App& app) {
  auto* command = root.add_subcommand(
      "ladder", "Climb the ladder of exact sums: every rung verified, timed and accounted for");
  auto options = std::make_shared<Options>();
  add_problem_options(*command, options->problem);
  command
      ->add_option("--coils", options->problem.coils, "Coils, which share all positions (not with --sum q)")
      ->check(CLI::Range(1, 1024))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--rungs", options->rungs, "Only these rungs")
      ->delimiter(',')
      ->transform([](std::string name) { return CLI::detail::trim(name); })
      ->type_name("NAME,...");
  command->add_option("--precision", options->precision, "single or double")
      ->check(CLI::IsMember({"single", "double"}))
      ->type_name("PRECISION")
      ->capture_default_str();
  command->add_option("--block", options->block, "Threads of a block; 0: the rung's own")
      ->check(CLI::Range(0, 2048))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--chunk", options->chunk, "Samples of a launch; 0: the rung's own")
      ->check(CLI::Range(0, 1 << 30))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--unroll", options->unroll, "Samples per turn of the tuned rung's loop; 0: its own")
      ->check(CLI::IsMember({0, 1, 2, 4, 8}))
      ->type_name("N")
      ->capture_default_str();
  command
      ->add_option("--per-thread", options->per_thread,
                   "Voxels per thread where a rung has several; 0: its own")
      ->check(CLI::IsMember({0, 1, 2, 3, 4, 8}))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--budget", options->budget_s, "Seconds; a rung that takes longer is timed on a slice")
      ->check(number_from(0.001, 3600))
      ->type_name("SECONDS")
      ->capture_default_str();
  command->add_option("--repeats", options->repeats, "Runs of each rung; the median counts")
      ->check(CLI::Range(1, 1000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("-o,--output", options->output, "Q of --input, as Parboil's mri-q writes it")
      ->type_name("FILE");
  command
      ->add_option("--picture", options->picture,
                   "Bars, and the roofline that findrho lab roofline measured (.png)")
      ->type_name("FILE");
  command->add_flag(
      "--quality", options->quality,
      "Compare the images instead: rungs, gridding and Cartesian scans of a phantom (2D --size)");
  command
      ->add_option("--max-psnr-loss", options->of_quality.max_psnr_loss_db,
                   "With --quality: dB against double that the choice of a rung may cost")
      ->check(number_from(0, 100))
      ->type_name("DB")
      ->capture_default_str();
  command->add_option("--snr", options->of_quality.snr, "With --quality: of the phantom's scans; 0: no noise")
      ->check(number_from(0, 1e9))
      ->type_name("SNR")
      ->capture_default_str();
  command->add_flag("--amdahl", options->amdahl,
                    "Add the whole reconstruction: the shares of F^H d, Q and the solve with each rung");
  command->add_flag("--explain", options->explain, "Add the story in the numbers of this problem");
  command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--force", options->force, "Replace existing files");
  command->callback([&app, command, options] {
    require_meaning(*command, *options);
    if (options->quality) return compare_quality(app, *options);
    Ladder ladder(app, *options);
    options->precision == "double" ? ladder.run<double>() : ladder.run<float>();
  });
}

}  // namespace findrho
