// SPDX-License-Identifier: BSD-3-Clause
#include "ladder_problem.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <numbers>
#include <random>

#include "axis_numbers.hpp"
#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "findrho/io/parboil.hpp"
#include "findrho/trajectory/generate.hpp"

namespace findrho {
namespace {

Matrix matrix_of(std::string const& text) {
  bool const cube = text.find('x') == std::string::npos;
  auto const n = per_axis<std::int64_t>(cube ? text + "x" + text + "x" + text : text, "--size");
  Matrix const m{.x = n[0], .y = n[1], .z = std::max<std::int64_t>(n[2], 1)};
  if (m.x < 2 || m.y < 2 || m.x > 4096 || m.y > 4096 || m.z > 4096) {
    throw Error(ErrorKind::bad_option, "--size is " + text, "give 2 to 4096 voxels an axis, as 128x128x128");
  }
  return m;
}

/// Before anything is taken: the sum, one result, and the positions in double that it is made from.
template <class T>
void require_memory(LadderProblemOptions const& o, Matrix const& m) {
  std::int64_t const points = m.voxels() * (o.sum == "q" ? 1 << (m.dims() - 1) : 1);
  constexpr std::int64_t kNumber = sizeof(T);
  std::int64_t const per_point = 24 + 32 + 14 * kNumber + (o.coils - 1) * (16 + 6 * kNumber);
  std::int64_t const needed = (points + o.samples) * per_point, there = available_memory_bytes();
  if (needed <= there) return;
  throw Error(ErrorKind::out_of_memory,
              fmt::format("the sum takes about {} MiB, {} MiB are there", needed >> 20, there >> 20),
              "take a smaller --size or fewer --samples");
}

Trajectory random_in_band(Matrix const& matrix, std::int64_t samples, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  Trajectory t;
  t.dims = matrix.dims();
  for (int d = 0; d < t.dims; ++d) {
    std::uniform_real_distribution<double> position(-0.5 * double(matrix[d]), 0.5 * double(matrix[d]));
    for (std::int64_t m = 0; m < samples; ++m) t[d].push_back(position(random));
  }
  return t;
}

/// The 2D spiral in as many kz planes as the samples fill, from the centre out.
Trajectory spiral_stack(Matrix const& matrix, std::int64_t samples) {
  Trajectory plane = make_spiral_2d({.x = matrix.x, .y = matrix.y});
  if (matrix.dims() == 2) return plane;
  Trajectory t;
  t.dims = 3;
  for (std::int64_t p = 0; p < matrix.z && t.size() < samples; ++p) {
    std::int64_t const kz = p % 2 == 0 ? -p / 2 : (p + 1) / 2;
    t.kx.insert(t.kx.end(), plane.kx.begin(), plane.kx.end());
    t.ky.insert(t.ky.end(), plane.ky.begin(), plane.ky.end());
    t.kz.insert(t.kz.end(), plane.kx.size(), static_cast<double>(kz));
  }
  return t;
}

Trajectory generated(LadderProblemOptions const& o, Matrix const& matrix) {
  if (o.trajectory == "random") return random_in_band(matrix, o.samples, o.seed);
  if (o.trajectory == "spiral") return spiral_stack(matrix, o.samples);
  bool const solid_radial = o.trajectory == "radial" && matrix.dims() == 3;
  return make_trajectory(matrix, trajectory_options(solid_radial ? "radial_3d" : o.trajectory));
}

std::vector<std::complex<double>> random_values(std::int64_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<double> value(-1, 1);
  std::vector<std::complex<double>> values(static_cast<std::size_t>(count));
  for (auto& v : values) v = {value(random), value(random)};
  return values;
}

/// The Fourier transform of a voxel's box: sinc(k/N) along each axis.
std::vector<std::complex<double>> box_phi(Trajectory const& t, Matrix const& matrix) {
  std::vector<std::complex<double>> phi(static_cast<std::size_t>(t.size()), 1.0);
  for (int d = 0; d < t.dims; ++d) {
    for (std::size_t m = 0; m < phi.size(); ++m) {
      double const u = std::numbers::pi * t[d][m] / static_cast<double>(matrix[d]);
      phi[m] *= u == 0 ? 1 : std::sin(u) / u;
    }
  }
  return phi;
}

template <class T>
ExactSum<T> parboil_sum(std::string const& path) {
  ParboilInput const in = read_parboil_input(path);
  auto const as = [](std::vector<float> const& v) { return std::vector<T>(v.begin(), v.end()); };
  ExactSum<T> sum;
  sum.kind = SumKind::q;
  sum.kx = as(in.kx), sum.ky = as(in.ky), sum.kz = as(in.kz);
  sum.x = as(in.x), sum.y = as(in.y), sum.z = as(in.z);
  sum.phi_re = as(in.phi_re), sum.phi_im = as(in.phi_im);
  sum.d_re.assign(sum.kx.size(), 1);
  sum.d_im.assign(sum.kx.size(), 0);
  return sum;
}

}  // namespace

void add_problem_options(CLI::App& command, LadderProblemOptions& o) {
  command.add_option("--size", o.size, "Voxels per axis, as 128x128x128 or 256x256; one number: a cube")
      ->type_name("NxNxN")
      ->capture_default_str();
  command.add_option("--samples", o.samples, "Samples; a trajectory is repeated or cut to so many")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{1} << 31))
      ->type_name("M")
      ->capture_default_str();
  command.add_option("--trajectory", o.trajectory, "Where the samples lie; random: evenly in the full band")
      ->check(CLI::IsMember({"random", "radial", "spiral", "cartesian"}))
      ->type_name("KIND")
      ->capture_default_str();
  command.add_option("--sum", o.sum, "fhd: F^H d; q: Q on half of its lags; forward: F rho")
      ->check(CLI::IsMember({"fhd", "q", "forward"}))
      ->type_name("SUM")
      ->capture_default_str();
  command.add_option("--input", o.input, "Parboil mri-q input file: Q at its positions")->type_name("FILE");
  command.add_option("--seed", o.seed, "Of the random samples and values")
      ->check(refuse_negative)
      ->type_name("N")
      ->capture_default_str();
}

Trajectory ladder_trajectory(LadderProblemOptions const& o, Matrix const& matrix) {
  Trajectory t = generated(o, matrix);
  auto const count = static_cast<std::size_t>(o.samples), own = t.kx.size();
  for (int d = 0; d < t.dims; ++d) {
    t[d].resize(count);
    for (std::size_t m = own; m < count; ++m) t[d][m] = t[d][m - own];
  }
  t.time_s.clear();
  t.samples_per_readout = 0;
  return t;
}

template <class T>
LadderProblem<T> make_problem(LadderProblemOptions const& o) {
  LadderProblem<T> problem;
  if (o.coils > 1 && (o.sum == "q" || !o.input.empty())) {
    throw Error(ErrorKind::bad_option, "Q is the same for all coils", "leave --coils out, or take --sum fhd");
  }
  if (!o.input.empty()) {
    problem.sum = parboil_sum<T>(o.input);
    problem.title =
        fmt::format("Q, {} positions, {} samples, {}", problem.sum.voxels(), problem.sum.samples(), o.input);
    return problem;
  }
  problem.matrix = matrix_of(o.size);
  require_memory<T>(o, problem.matrix);
  Trajectory const t = ladder_trajectory(o, problem.matrix);
  auto const phi = box_phi(t, problem.matrix);
  if (o.sum == "q") {
    problem.sum = q_sum<T>(t, problem.matrix, {}, phi);
  } else if (o.sum == "forward") {
    auto rho = random_values(o.coils * problem.matrix.voxels(), o.seed + 1);
    problem.sum = forward_sum<T>(t, problem.matrix,
                                 View<std::complex<double> const>(rho.data(), problem.matrix.shape(o.coils)));
  } else {
    problem.sum = fhd_sum<T>(t, problem.matrix, random_values(o.coils * t.size(), o.seed + 1), phi);
  }
  problem.title = fmt::format("{}, {} x {} x {} voxels, {} samples, {}", name(problem.sum.kind),
                              problem.matrix.x, problem.matrix.y, problem.matrix.z, t.size(), o.trajectory);
  if (o.coils > 1) problem.title += fmt::format(", {} coils", o.coils);
  return problem;
}

template LadderProblem<float> make_problem(LadderProblemOptions const&);
template LadderProblem<double> make_problem(LadderProblemOptions const&);

}  // namespace findrho
