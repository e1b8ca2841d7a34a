// SPDX-License-Identifier: BSD-3-Clause
// The options of findrho recon as they are typed, and what they mean.
#pragma once
#include <string>
#include <vector>

#include "findrho/recipe/image_files.hpp"
#include "findrho/recipe/load.hpp"
#include "findrho/recipe/recon.hpp"

namespace CLI {
class App;
}

namespace findrho {

struct ReconArguments {
  std::string scan, trajectory, group, maps, reference;
  std::vector<std::string> select, merge, outputs;
  std::string averages = "merge", trajectory_units = "auto", trajectory_layout = "auto", matrix, fov,
              coil_list;
  std::string method = "auto", coils = "auto", precision = "single", kernel = "kaiser_bessel", fhd = "nufft",
              q = "nufft";
  std::string normal = "toeplitz", density = "auto", window = "none", prior = "identity", whiten = "auto";
  std::string shift = "0,0,0", image = "magnitude", cache = "auto";
  double accuracy = 1e-3, oversampling = 0, lambda = ReconOptions{}.lambda,
         edge_scale = ReconOptions{}.edge_scale;
  double tolerance = ReconOptions{}.tolerance, calibration_radius = ReconOptions{}.calibration_radius;
  int width = 0, iterations = ReconOptions{}.iterations;
  std::uint64_t seed = 1;
  bool force = false, dry_run = false;
};

void define_recon_options(CLI::App& command, ReconArguments& arguments);

/// Errors of the three  bad_option
LoadRequest load_request(ReconArguments const& arguments);
ReconOptions recon_options(ReconArguments const& arguments);
std::vector<ImageKind> image_kinds(ReconArguments const& arguments);

}  // namespace findrho
