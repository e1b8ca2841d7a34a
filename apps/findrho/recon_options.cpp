// SPDX-License-Identifier: BSD-3-Clause
#include "recon_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>

#include "app.hpp"
#include "axis_numbers.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

constexpr char const* kInput = "Input";
constexpr char const* kMethod = "Reconstruction";
constexpr char const* kTransform = "Transforms";
constexpr char const* kOutput = "Output";

template <class E>
E choice(std::map<std::string, E> const& words, std::string const& word) {
  return words.at(word);  // CLI11 has checked the word
}

void add_choice(CLI::App& command, std::string const& name, std::string& value,
                std::vector<std::string> const& words, std::string const& description,
                std::string const& group) {
  command.add_option(name, value, description)
      ->check(CLI::IsMember(words))
      ->type_name("WORD")
      ->capture_default_str()
      ->group(group);
}

void define_input(CLI::App& command, ReconArguments& a) {
  command.add_option("scan", a.scan, "Raw scan: MRD (.h5, .mrd) or a BART pair (.cfl)")
      ->type_name("SCAN")
      ->required();
  auto const option = [&](std::string const& name, auto& value, std::string const& text,
                          std::string const& type) {
    return command.add_option(name, value, text)->type_name(type)->group(kInput);
  };
  option("--traj", a.trajectory, "Trajectory of a cfl scan, (3, samples, readouts)", "FILE");
  option("--group", a.group, "HDF5 group of the scan, where a file has several", "NAME");
  option("--select", a.select, "Parts to take: slice=3,contrast=0..1,repetition=5", "LIST");
  option("--merge", a.merge, "Indices whose readouts are pooled into one image: slice,set", "LIST");
  add_choice(command, "--averages", a.averages, {"merge", "apart"},
             "Averages in one image, or one image each", kInput);
  add_choice(command, "--traj-units", a.trajectory_units,
             {"auto", "cycles_per_fov", "cycles_per_voxel", "radians", "per_m"},
             "Unit of the file's trajectory", kInput);
  add_choice(command, "--traj-layout", a.trajectory_layout, {"auto", "xy", "xyz", "xyw"},
             "Columns of the trajectory; w: density weights", kInput);
  option("--matrix", a.matrix, "Image matrix, x first: 256x256 or 64x64x16 (default: the header's)",
         "NxN[xN]");
  option("--fov", a.fov, "Image field of view in mm, x first (default: the header's)", "MMxMM[xMM]");
  option("--coil-list", a.coil_list, "Coils to use, from 0: 0,1,5 (default: all)", "LIST");
  option("--maps", a.maps, "Sensitivity maps: cfl or complex NIfTI, (x, y, z, coil)", "FILE");
  option("--reference", a.reference, "Reference image of the edges prior", "FILE");
}

void define_method(CLI::App& command, ReconArguments& a) {
  add_choice(command, "--method", a.method, {"auto", "ifft", "gridding", "adjoint", "cg"},
             "auto: ifft for Cartesian scans, cg for all others", kMethod);
  add_choice(command, "--coils", a.coils, {"auto", "sense", "rss"},
             "auto: sense for cg and adjoint, rss for ifft and gridding", kMethod);
  auto const number = [&](std::string const& name, auto& value, std::string const& text,
                          std::string const& unit) {
    return command.add_option(name, value, text)->type_name(unit)->capture_default_str()->group(kMethod);
  };
  add_choice(command, "--prior", a.prior, {"identity", "differences", "edges"}, "W of the objective, for cg",
             kMethod);
  number("--lambda", a.lambda, "Weight of the prior, relative to the largest eigenvalue of F^H F", "NUMBER");
  number("--edge-scale", a.edge_scale,
         "Step that halves the edges prior, relative to the reference's maximum", "NUMBER");
  number("--iterations", a.iterations, "Most iterations of cg", "N");
  number("--tolerance", a.tolerance, "Relative residual at which cg stops", "NUMBER");
  add_choice(command, "--density", a.density, {"auto", "none", "file", "analytic", "voronoi", "pipe_menon"},
             "Density weights; auto: for gridding the file's, else analytic, else Pipe-Menon; for cg and "
             "adjoint none",
             kMethod);
  add_choice(command, "--window", a.window, {"none", "hann", "hamming", "gauss"},
             "Apodisation of ifft and gridding", kMethod);
  add_choice(command, "--whiten", a.whiten, {"auto", "on", "off"},
             "Make the coils' noise white by the noise readouts; auto: where the scan has enough of them",
             kMethod);
  number("--calibration-radius", a.calibration_radius,
         "Centre of k-space that sensitivity maps are estimated from", "CYCLES/FOV");
  number("--shift", a.shift, "Moves the image content along x, y, z", "MM,MM,MM");
  number("--seed", a.seed, "Start of the eigenvalue search", "N")->check(refuse_negative);
}

void define_transforms(CLI::App& command, ReconArguments& a) {
  auto const number = [&](std::string const& name, auto& value, std::string const& text,
                          std::string const& unit) {
    return command.add_option(name, value, text)->type_name(unit)->capture_default_str()->group(kTransform);
  };
  number("--accuracy", a.accuracy, "Relative error of the NUFFT, or of the rung, against the exact sums",
         "NUMBER");
  add_choice(command, "--precision", a.precision, {"single", "double"}, "Floating-point precision",
             kTransform);
  add_choice(command, "--normal", a.normal, {"toeplitz", "nufft"}, "How F^H F is applied in cg", kTransform);
  add_choice(command, "--fhd", a.fhd, {"nufft", "exact"},
             "How F^H d is computed (with --normal nufft F, too); exact: by the sum itself", kTransform);
  add_choice(command, "--q", a.q, {"nufft", "exact"},
             "How Q of the Toeplitz product is computed; exact: by the sum itself", kTransform);
  add_choice(command, "--kernel", a.kernel, {"kaiser_bessel", "bilinear"}, "Gridding kernel", kTransform);
  number("--width", a.width, "Kernel width; 0: from the accuracy", "CELLS");
  number("--oversampling", a.oversampling, "Grid over matrix, 1.25 to 2; 0: chosen", "NUMBER");
  command
      .add_option("--cache", a.cache,
                  "Folder of Toeplitz kernels; auto: the user's cache folder; none: no cache")
      ->type_name("FOLDER")
      ->capture_default_str()
      ->group(kTransform);
}

}  // namespace

void define_recon_options(CLI::App& command, ReconArguments& a) {
  define_input(command, a);
  define_method(command, a);
  define_transforms(command, a);
  command
      .add_option("-o,--output", a.outputs,
                  "Image file: .nii.gz, .nii, .h5 (MRD), .cfl or .png; repeatable. A .json manifest is "
                  "written beside "
                  "the first")
      ->type_name("FILE")
      ->group(kOutput);
  command
      .add_option("--image", a.image,
                  "What is written: magnitude, phase, complex, or several: magnitude,phase")
      ->type_name("LIST")
      ->capture_default_str()
      ->group(kOutput);
  command.add_flag("--force", a.force, "Replace existing output")->group(kOutput);
  command.add_flag("--dry-run", a.dry_run, "Check everything, print memory and time, write nothing")
      ->group(kOutput);
}

LoadRequest load_request(ReconArguments const& a) {
  LoadRequest request{.scan = a.scan, .trajectory = a.trajectory, .group = a.group, .prepare = {}};
  PrepareOptions& p = request.prepare;
  for (std::string const& text : a.select) parse_selection(text, p.select);
  for (std::string const& text : a.merge) p.merge.merge(parse_index_names(text));
  p.averages = a.averages == "apart" ? Averages::apart : Averages::merged;
  p.units = parse_trajectory_units(a.trajectory_units);
  p.layout = parse_trajectory_layout(a.trajectory_layout);
  p.matrix = per_axis<std::int64_t>(a.matrix, "--matrix");
  p.fov_mm = per_axis<double>(a.fov, "--fov");
  if (!a.coil_list.empty()) p.coils = numbers<int>(a.coil_list, ',', "--coil-list");
  return request;
}

ReconOptions recon_options(ReconArguments const& a) {
  ReconOptions o;
  o.method = choice<Method>({{"auto", Method::automatic},
                             {"ifft", Method::ifft},
                             {"gridding", Method::gridding},
                             {"adjoint", Method::adjoint},
                             {"cg", Method::cg}},
                            a.method);
  o.coils = choice<CoilMode>(
      {{"auto", CoilMode::automatic}, {"sense", CoilMode::sense}, {"rss", CoilMode::rss}}, a.coils);
  o.prior = choice<PriorKind>({{"identity", PriorKind::identity},
                               {"differences", PriorKind::differences},
                               {"edges", PriorKind::edges}},
                              a.prior);
  o.density = choice<DensityKind>({{"auto", DensityKind::automatic},
                                   {"none", DensityKind::none},
                                   {"file", DensityKind::file},
                                   {"analytic", DensityKind::analytic},
                                   {"voronoi", DensityKind::voronoi},
                                   {"pipe_menon", DensityKind::pipe_menon}},
                                  a.density);
  o.window = choice<WindowKind>({{"none", WindowKind::none},
                                 {"hann", WindowKind::hann},
                                 {"hamming", WindowKind::hamming},
                                 {"gauss", WindowKind::gauss}},
                                a.window);
  o.whiten = choice<WhitenKind>(
      {{"auto", WhitenKind::automatic}, {"on", WhitenKind::on}, {"off", WhitenKind::off}}, a.whiten);
  o.precision = a.precision == "double" ? Precision::double_precision : Precision::single;
  o.normal = a.normal == "nufft" ? NormalKind::nufft : NormalKind::toeplitz;
  o.fhd = a.fhd == "exact" ? TransformKind::exact : TransformKind::nufft;
  o.q = a.q == "exact" ? TransformKind::exact : TransformKind::nufft;
  o.nufft = {.accuracy = a.accuracy,
             .oversampling = a.oversampling,
             .width = a.width,
             .kernel = a.kernel == "bilinear" ? GriddingKernel::bilinear : GriddingKernel::kaiser_bessel};
  o.lambda = a.lambda;
  o.edge_scale = a.edge_scale;
  o.iterations = a.iterations;
  o.tolerance = a.tolerance;
  o.calibration_radius = a.calibration_radius;
  o.seed = a.seed;
  std::vector<double> const shift = numbers<double>(a.shift, ',', "--shift");
  if (shift.size() > 3)
    throw Error(ErrorKind::bad_option, "--shift is '" + a.shift + "': it takes up to three numbers");
  std::copy(shift.begin(), shift.end(), o.shift_mm.begin());
  if (a.cache == "auto") {
    o.cache_folder = cache_folder();
  } else if (a.cache != "none") {
    o.cache_folder = a.cache;
  }
  return o;
}

std::vector<ImageKind> image_kinds(ReconArguments const& a) {
  std::map<std::string, ImageKind> const words{
      {"magnitude", ImageKind::magnitude}, {"phase", ImageKind::phase}, {"complex", ImageKind::complex}};
  std::vector<ImageKind> kinds;
  for (std::size_t begin = 0; begin <= a.image.size();) {
    std::size_t const end = std::min(a.image.find(',', begin), a.image.size());
    std::string const word = a.image.substr(begin, end - begin);
    if (!words.contains(word)) {
      throw Error(ErrorKind::bad_option, "--image has '" + word + "'",
                  "give magnitude, phase, complex, or several: magnitude,phase");
    }
    if (std::find(kinds.begin(), kinds.end(), words.at(word)) != kinds.end()) {
      throw Error(ErrorKind::bad_option, "--image names '" + word + "' twice",
                  "name each kind of image once");
    }
    kinds.push_back(words.at(word));
    begin = end + 1;
  }
  return kinds;
}

}  // namespace findrho
