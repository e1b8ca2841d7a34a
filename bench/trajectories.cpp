// SPDX-License-Identifier: BSD-3-Clause
// Times about a million samples of every trajectory and its density weights: generated, closed form where there is one,
// Voronoi cells (2D), Pipe-Menon; then the closed-form k-space of a phantom along one of them.
// Usage: trajectory_bench [THREADS]
#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <optional>

#include "findrho/core/error.hpp"
#include "findrho/nufft/pipe_menon.hpp"
#include "findrho/phantom/coils.hpp"
#include "findrho/phantom/phantom.hpp"
#include "findrho/trajectory/density.hpp"
#include "findrho/trajectory/generate.hpp"
#include "findrho/trajectory/voronoi.hpp"

namespace findrho {
namespace {

template <class Work>
double seconds(Work const& work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

struct Case {
  char const* word;
  Matrix matrix;
};

constexpr Case kCases[] = {{"cartesian", {1000, 1000, 1}},
                           {"radial:readout-oversampling=2", {564, 564, 1}},
                           {"spiral:shots=16,readout-oversampling=5", {512, 512, 1}},
                           {"spiral_vd:readout-oversampling=5", {512, 512, 1}},
                           {"rosette", {570, 570, 1}},
                           {"propeller", {800, 800, 1}},
                           {"radial_3d:shots=7900", {128, 128, 128}},
                           {"stack_of_stars", {72, 72, 128}},
                           {"stack_of_spirals:readout-limit=20", {128, 128, 67}},
                           {"cones", {88, 88, 88}},
                           {"tpi", {23, 23, 23}},
                           {"radial_3d_adapted:shots=1000", {64, 64, 64}}};

void run(Context const& context, Case const& c) {
  Trajectory t;
  std::optional<DensityWeights> density;
  double const making = seconds([&] { t = make_trajectory(c.matrix, parse_trajectory(c.word)); });
  double const analytic = seconds([&] { density = analytic_density_if_known(t, c.matrix); });
  std::string voronoi = "       -";
  if (t.dims == 2) voronoi = fmt::format("{:8.3f}", seconds([&] { voronoi_density(t, c.matrix); }));
  double const pipe_menon = seconds([&] { pipe_menon_weights(context, t, c.matrix); });
  fmt::print("{:<40} {:>8} {:8.3f} {} {} {:8.3f}\n", c.word, t.size(), making,
             density ? fmt::format("{:8.3f}", analytic) : "       -", voronoi, pipe_menon);
}

void run_phantom(Context const& context) {
  constexpr std::int64_t kCoils = 8;
  Matrix const matrix{128, 128, 128};
  Trajectory const t = make_trajectory(matrix, parse_trajectory("radial_3d:shots=7900"));
  CoilSet const coils = make_coils(3, kCoils);
  double const time = seconds([&] { phantom_samples(context, shepp_logan(3), matrix, t, coils); });
  fmt::print("3D Shepp-Logan through {} coils, {} samples in closed form: {:.3f}\n", kCoils, t.size(), time);
}

}  // namespace
}  // namespace findrho

int main(int argc, char** argv) {
  auto const context = findrho::Context::cpu(argc > 1 ? std::atoi(argv[1]) : 0);
  fmt::print("{} threads; seconds\n{:<40} {:>8} {:>8} {:>8} {:>8} {:>8}\n", context.threads(), "trajectory",
             "samples", "made", "analytic", "Voronoi", "P.-Menon");
  for (auto const& c : findrho::kCases) findrho::run(context, c);
  findrho::run_phantom(context);
  return 0;
}
