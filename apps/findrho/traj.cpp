// SPDX-License-Identifier: BSD-3-Clause
// findrho traj: a trajectory designed, judged, shown and written to a file.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <numeric>
#include <optional>

#include "app.hpp"
#include "axis_numbers.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "findrho/io/output_set.hpp"
#include "findrho/io/png.hpp"
#include "findrho/io/trajectory_file.hpp"
#include "findrho/recipe/psf.hpp"
#include "findrho/trajectory/facts.hpp"
#include "findrho/trajectory/units.hpp"
#include "image_file.hpp"
#include "traj_picture.hpp"
#include "trajectory_options.hpp"

namespace findrho {
namespace {

struct TrajArguments {
  std::string name, matrix, fov, output, preview, psf, delay, units = "cycles_per_fov", input_units = "auto",
                                                              density = "auto";
  double repetition_ms = 0;
  bool force = false;
  TrajectoryChoice choice;
};

/// A trajectory in cycles per FOV and what is known of where it comes from.
struct Source {
  std::string title, text;     // "spiral_vd", what it is and who described it
  std::string kind = "other";  // MRD's word
  std::string generator;       // empty: a file
  Matrix matrix;
  std::array<double, 3> fov_mm{0, 0, 0};
  Trajectory trajectory;
};

std::array<double, 3> fov_of(std::string const& text, Matrix const& matrix,
                             std::array<double, 3> const& stated) {
  auto fov = per_axis<double>(text, "--fov");
  if (fov[0] == 0) fov = stated[0] > 0 ? stated : std::array<double, 3>{220, 220, 0};
  if (!(fov[2] > 0)) fov[2] = matrix.z > 1 ? fov[0] : fov[0] / static_cast<double>(matrix.x);
  return fov;
}

Matrix matrix_of(std::string const& text, Matrix const& otherwise) {
  auto const n = per_axis<std::int64_t>(text, "--matrix");
  return n[0] == 0 ? otherwise : Matrix{n[0], n[1], std::max<std::int64_t>(n[2], 1)};
}

Source generated(TrajArguments const& a) {
  Generator const& g = trajectory_generator(a.name);
  Source s;
  s.title = s.generator = g.name;
  s.text = g.description + "\nsource     " + g.source;
  s.kind = g.mrd_name;
  s.matrix = matrix_of(a.matrix, g.dims == 3 ? Matrix{64, 64, 64} : Matrix{128, 128, 1});
  s.fov_mm = fov_of(a.fov, s.matrix, {});
  TrajectoryOptions options = a.choice.options(a.name);
  set_fov(options, s.fov_mm);
  s.trajectory = make_trajectory(s.matrix, options);
  return s;
}

void set_times(Trajectory& t, TrajArguments const& a) {
  if (!a.choice.given("dwell")) return;
  // Any generator reads the option in the same way.
  double const dwell = dwell_s(trajectory_options("radial", {{"dwell", a.choice.value("dwell")}}));
  if (!(dwell > 0)) throw Error(ErrorKind::bad_option, "--dwell is not above 0", "give microseconds");
  t.time_s.resize(t.kx.size());
  for (std::size_t m = 0; m < t.kx.size(); ++m) {
    t.time_s[m] =
        static_cast<float>(static_cast<double>(static_cast<std::int64_t>(m) % t.samples_per_readout) * dwell);
  }
}

/// A trajectory from a file can be judged for a scanner, but no longer designed.
void refuse_design(TrajArguments const& a) {
  for (std::string const& name : a.choice.given_names()) {
    if (name == "dwell" || name == "max-gradient" || name == "max-slew" || name == "nucleus") continue;
    throw Error(ErrorKind::bad_option,
                fmt::format("--{} designs a trajectory, {} holds a finished one", name, a.name),
                fmt::format("leave --{} out, or name a generator instead of a file", name));
  }
}

Source from_file(Context const& context, TrajArguments const& a) {
  refuse_design(a);
  TrajectoryFile file = read_trajectory(context, a.name);
  Trajectory& t = file.trajectory;
  Matrix const stated = file.header.matrix;
  if (a.matrix.empty() && stated.x < 1) {
    throw Error(ErrorKind::bad_option, a.name + " does not say how large the image is", "give --matrix");
  }
  Source s;
  s.title = std::filesystem::path(a.name).filename();
  s.text = "read from " + a.name;
  s.kind = file.header.kind;
  s.matrix = matrix_of(a.matrix, stated);
  s.fov_mm = fov_of(a.fov, s.matrix, file.header.fov_mm);
  if (s.matrix.dims() != t.dims) {
    throw Error(ErrorKind::bad_option,
                fmt::format("{} has {} dimensions, the matrix {}", a.name, t.dims, s.matrix.dims()),
                "give --matrix");
  }
  TrajectoryExtent extent{.dims = t.dims, .matrix = {s.matrix.x, s.matrix.y, s.matrix.z}, .fov_mm = s.fov_mm};
  for (int d = 0; d < t.dims; ++d) {
    auto const i = static_cast<std::size_t>(d);
    for (double const k : t[d]) extent.largest[i] = std::max(extent.largest[i], std::abs(k));
    extent.limit[i] = 0.5 * static_cast<double>(s.matrix[d]);
  }
  auto const units =
      decide_trajectory_units(context, extent, parse_trajectory_units(a.input_units), "--input-units");
  s.trajectory = in_units(t, units, TrajectoryUnits::cycles_per_fov, s.matrix, s.fov_mm);
  set_times(s.trajectory, a);
  return s;
}

DensityKind density_kind(std::string const& word) {
  if (word == "none") return DensityKind::none;
  if (word == "analytic") return DensityKind::analytic;
  if (word == "voronoi") return DensityKind::voronoi;
  return word == "pipe_menon" ? DensityKind::pipe_menon : DensityKind::automatic;
}

std::string per_axis_text(std::array<double, 3> const& values, int dims, char const* format) {
  std::string text = fmt::format(fmt::runtime(format), values[0]);
  for (std::size_t d = 1; d < static_cast<std::size_t>(dims); ++d)
    text += " x " + fmt::format(fmt::runtime(format), values[d]);
  return text;
}

void print_facts(Source const& s, TrajectoryFacts const& f, Scanner const& scanner, double repetition_s) {
  int const dims = s.trajectory.dims;
  fmt::print("{}: {}\n", s.title, s.text);
  fmt::print("matrix     {}, FOV {} mm\n",
             per_axis_text({double(s.matrix.x), double(s.matrix.y), double(s.matrix.z)}, dims, "{:.0f}"),
             per_axis_text(s.fov_mm, dims, "{:.4g}"));
  fmt::print("units      cycles per FOV, largest |k| {}\n", per_axis_text(f.largest_k, dims, "{:.5g}"));
  fmt::print("shots      {} of {} samples, {} in all\n", f.shots, f.samples_per_shot, s.trajectory.size());
  if (f.dc_on_sample) {
    fmt::print("DC         on sample {}\n", f.dc_sample);
  } else {
    fmt::print("DC         between samples, the nearest {:.3g} cycles per FOV away\n", f.dc_distance);
  }
  if (f.dwell_s > 0) {
    // Below a millionth it is the rounding of positions on a straight line.
    double const slew = f.slew_T_m_s < 1e-6 ? 0 : f.slew_T_m_s;
    fmt::print("gradient   {:.4g} mT/m, slew rate {:.4g} T/m/s ({:.5g} MHz/T)\n", f.gradient_mT_m, slew,
               scanner.gamma_MHz_T);
    fmt::print("readout    {:.4g} ms, dwell time {:.4g} us\n", f.readout_s * 1e3, f.dwell_s * 1e6);
  } else {
    fmt::print("gradient   unknown: the file states no dwell time, give --dwell\n");
  }
  fmt::print("scan       {:.4g} s at a repetition time of {:.4g} ms\n", f.scan_time_s, repetition_s * 1e3);
}

void print_psf(PsfFacts const& p, int dims) {
  fmt::print("PSF        FWHM {} voxels, highest side lobe {:.3g} % ({:.3g} dB)\n",
             per_axis_text(p.fwhm_voxels, dims, "{:.4g}"), 100 * p.side_lobe, p.side_lobe_dB);
}

void print_generators() {
  for (Generator const& g : trajectory_generators()) {
    fmt::print("{:<18} {}  {}\n", g.name,
               g.dims == 0   ? "2D, 3D"
               : g.dims == 2 ? "2D    "
                             : "3D    ",
               g.description);
  }
}

/// Options that would otherwise be without effect and without a word about it.
void refuse_unused(TrajArguments const& a, bool is_file) {
  auto const refuse = [](bool unused, std::string const& what, std::string const& hint) {
    if (unused) throw Error(ErrorKind::bad_option, what, hint);
  };
  refuse(a.input_units != "auto" && !is_file, "--input-units is for a trajectory from a file",
         "leave it out; --units names the unit to write in");
  refuse(a.units != "cycles_per_fov" && a.output.empty(), "--units is for an output, and none is named",
         "name one with --output");
  refuse(a.density != "auto" && a.psf.empty(), "--density is for the point-spread function",
         "ask for it with --psf");
}

/// Without a name the generators are listed, which takes no other option.
void list_generators(TrajArguments const& a) {
  for (std::string const& text : {a.output, a.preview, a.psf, a.matrix, a.fov, a.delay}) {
    if (text.empty() && a.choice.given_names().empty()) continue;
    throw Error(ErrorKind::bad_option, "no trajectory was named",
                "name a generator, one of " + trajectory_names(", ") + ", or a file");
  }
  print_generators();
}

void run_traj(App& app, TrajArguments const& a) {
  if (a.name.empty()) return list_generators(a);
  bool const is_file = a.name.find('.') != std::string::npos;
  refuse_unused(a, is_file);
  OutputSet outputs({.force = a.force, .inputs = {a.name}});
  std::vector<std::string> files;
  if (!a.output.empty()) {
    for (auto const& path : trajectory_outputs(a.output)) files.push_back(outputs.stage(path));
  }
  std::string const preview = stage_picture(outputs, a.preview);
  std::string const psf_file = stage_picture(outputs, a.psf);
  auto const units = parse_trajectory_units(a.units);

  Context const context = app.context();
  Source source = is_file ? from_file(context, a) : generated(a);
  if (!a.delay.empty()) source.trajectory = delayed(source.trajectory, parse_delay(a.delay));
  Scanner const scanner = a.choice.scanner(source.generator, source.fov_mm);
  // Without a repetition time: 10 ms, or 5 ms more than the readout where that is longer.
  double const readout =
      uniform_dwell_s(source.trajectory) * static_cast<double>(source.trajectory.samples_per_readout);
  double const repetition = a.repetition_ms != 0 ? a.repetition_ms * 1e-3 : std::max(0.01, readout + 0.005);
  TrajectoryFacts const facts = trajectory_facts(source.trajectory, scanner, repetition);
  if (a.choice.limits_given()) require_limits(facts, scanner);

  if (!files.empty()) {
    write_trajectory(
        files, trajectory_format(a.output),
        in_units(source.trajectory, TrajectoryUnits::cycles_per_fov, units, source.matrix, source.fov_mm),
        {source.matrix, source.fov_mm, source.kind});
  }
  if (!preview.empty()) {
    write_png(preview,
              draw_trajectory({fmt::format("{}, {}", source.title,
                                           per_axis_text({double(source.matrix.x), double(source.matrix.y),
                                                          double(source.matrix.z)},
                                                         source.trajectory.dims, "{:.0f}")),
                               source.trajectory, source.matrix, scanner, facts}));
  }
  std::optional<PsfFacts> psf;
  if (!psf_file.empty()) {
    auto const weights = density_of(context, source.trajectory, source.matrix, density_kind(a.density));
    psf = psf_of(context, source.trajectory, source.matrix, weights);
    write_png(psf_file, draw_psf(*psf, source.matrix));
  }
  outputs.commit();
  if (app.options.quiet) return;
  print_facts(source, facts, scanner, repetition);
  if (psf) print_psf(*psf, source.trajectory.dims);
}

}  // namespace

void add_traj(CLI::App& root, App& app) {
  auto a = std::make_shared<TrajArguments>();
  CLI::App* command = root.add_subcommand("traj", "Design, judge, show and write a trajectory");
  auto const option = [&](std::string const& name, auto& value, std::string const& text,
                          std::string const& type, std::string const& group) {
    return command->add_option(name, value, text)->type_name(type)->capture_default_str()->group(group);
  };
  constexpr char const *kScan = "Scan", *kDesign = "Design", *kOutput = "Output";
  command->add_option(
      "NAME", a->name,
      "A generator (without: the list of them) or a file: .h5, .mrd, .cfl, .npy or .txt. Generators: " +
          trajectory_names(", "));
  option("--matrix", a->matrix, "Matrix, x first; without: the file's, 128x128 or 64x64x64", "NxN[xN]",
         kScan);
  option("--fov", a->fov, "Field of view, x first; without: the file's or 220 mm", "MMxMM[xMM]", kScan);
  option("--repetition-time", a->repetition_ms, "Time from shot to shot; 0: 10 ms, or the readout and 5 ms",
         "MS", kScan);
  option("--delay", a->delay, "How late the gradients play: one number, or one per axis", "US[,US,US]",
         kScan);
  option("--input-units", a->input_units, "Unit of a file's positions", "UNIT", kScan)
      ->check(CLI::IsMember({"auto", "cycles_per_fov", "cycles_per_voxel", "radians", "per_m"}));
  a->choice.add_options(*command, kDesign);
  option("-o,--output", a->output, "File to write: .h5, .mrd, .cfl, .npy or .txt", "FILE", kOutput);
  option("--units", a->units, "Unit to write positions in", "UNIT", kOutput)
      ->check(CLI::IsMember({"cycles_per_fov", "cycles_per_voxel", "radians", "per_m"}));
  option("--preview", a->preview, "Picture of k-space and gradients (.png)", "FILE", kOutput);
  option("--psf", a->psf, "Picture of the point-spread function (.png), whose numbers are printed", "FILE",
         kOutput);
  option("--density", a->density,
         "Density weights of the point-spread function; auto: analytic, else Pipe-Menon", "KIND", kOutput)
      ->check(CLI::IsMember({"auto", "none", "analytic", "voronoi", "pipe_menon"}));
  command->add_flag("--force", a->force, "Replace existing output")->group(kOutput);
  command->footer(
      "Example: findrho traj spiral_vd --max-slew 100 --preview spiral.png --psf psf.png -o spiral.h5");
  command->callback([&app, a] { run_traj(app, *a); });
}

}  // namespace findrho
