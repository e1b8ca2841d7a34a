// SPDX-License-Identifier: BSD-3-Clause
// Times the NUFFT on a CUDA device and prints one JSON object a row: milliseconds a coil, medians by CUDA events, with
// the relative error against exact sums at probe points, and the share of the time that the least bytes would take.
//   gpu_nufft [FOLDER]    with a folder, its problems are written there for cufinufft_rows.py
//   gpu_nufft --once      each work once and without errors, for a profiler
#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/core/lag_boxes.hpp"
#include "findrho/nufft/cuda_nufft.hpp"

namespace {

using namespace findrho;
using C = std::complex<float>;

constexpr int kProbes = 8;
bool once = false;

struct Problem {
  std::string name;
  Matrix matrix;
  std::int64_t samples;
  std::int64_t coils;
  bool random;  // points anywhere in the sampled box; otherwise spokes through the centre
};

Trajectory make_trajectory(Problem const& p) {
  Trajectory t;
  t.dims = p.matrix.dims();
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> uniform(-0.5, 0.5);
  double const n = static_cast<double>(p.matrix.x);
  std::int64_t const per_spoke = p.matrix.x;
  for (std::int64_t s = 0; s < p.samples; ++s) {
    double direction[3] = {1, 0, 0}, radius = n;
    if (p.random) {
      for (double& d : direction) d = uniform(random);
    } else {
      double const spoke = static_cast<double>(s / per_spoke);
      double const cosine = t.dims == 3 ? 1 - std::fmod(spoke * 0.4656, 1) : 0,
                   sine = std::sqrt(1 - cosine * cosine);
      double const angle =
          (t.dims == 3 ? 2 * std::numbers::pi * 0.6823 : std::numbers::pi * 0.61803398875) * spoke;
      direction[0] = sine * std::cos(angle);
      direction[1] = sine * std::sin(angle);
      direction[2] = cosine;
      radius = static_cast<double>(s % per_spoke) - n / 2;
    }
    for (int d = 0; d < t.dims; ++d) t[d].push_back(radius * direction[d]);
  }
  return t;
}

std::vector<C> noise(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<C> values(static_cast<std::size_t>(count));
  for (C& v : values) v = {normal(random), normal(random)};
  return values;
}

/// Median seconds of one call: each measurement spans enough calls to outweigh the events.
double seconds(CudaSession const& session, std::function<void()> const& work) {
  if (once) {
    work();
    return 1;
  }
  auto const measure = [&](int calls) {
    CudaEvent const before(session);
    for (int i = 0; i < calls; ++i) work();
    CudaEvent const after(session);
    return after.seconds_since(before) / calls;
  };
  measure(2);
  int const calls = std::clamp(static_cast<int>(2e-3 / measure(1)), 1, 20);
  std::vector<double> times;
  for (int i = 0; i < 11; ++i) times.push_back(measure(calls));
  std::nth_element(times.begin(), times.begin() + 5, times.end());
  return times[5];
}

/// Copy bandwidth of the device, bytes read and written a second.
double copy_rate(CudaSession const& session) {
  std::int64_t const bytes = std::int64_t{4} << 30;
  CudaMemory const from(session, bytes), to(session, bytes);
  from.clear();
  return 2.0 * static_cast<double>(bytes) / seconds(session, [&] { to.upload(from.data(), bytes); });
}

double phase(Trajectory const& t, Matrix const& m, std::int64_t s, std::int64_t n) {
  std::int64_t const at[3] = {n % m.x, n / m.x % m.y, n / (m.x * m.y)};
  double turns = 0;
  for (int d = 0; d < t.dims; ++d)
    turns +=
        t[d][static_cast<std::size_t>(s)] * static_cast<double>(at[d] - m[d] / 2) / static_cast<double>(m[d]);
  return 2 * std::numbers::pi * (turns - std::floor(turns));
}

struct Data {
  Trajectory trajectory;
  std::vector<C> image, samples;
  std::vector<std::int64_t> probe_samples{}, probe_voxels{};
  std::vector<std::complex<double>> forward{}, adjoint{};
};

/// Exact sums at a few samples and at voxels from corner to corner.
void add_wanted(Problem const& p, Data& d) {
  for (int i = 0; i < kProbes && !once; ++i) {
    std::int64_t const s = p.samples * i / kProbes, voxel = (p.matrix.voxels() - 1) * i / (kProbes - 1);
    std::complex<double> forward = 0, adjoint = 0;
    for (std::int64_t n = 0; n < p.matrix.voxels(); ++n) {
      forward += std::complex<double>(d.image[static_cast<std::size_t>(n)]) *
                 std::polar(1.0, -phase(d.trajectory, p.matrix, s, n));
    }
    for (std::int64_t m = 0; m < p.samples; ++m) {
      adjoint += std::complex<double>(d.samples[static_cast<std::size_t>(m)]) *
                 std::polar(1.0, phase(d.trajectory, p.matrix, m, voxel));
    }
    d.probe_samples.push_back(s);
    d.probe_voxels.push_back(voxel);
    d.forward.push_back(forward);
    d.adjoint.push_back(adjoint);
  }
}

double relative_error(std::vector<std::complex<double>> const& want, std::vector<std::int64_t> const& at,
                      std::vector<C> const& got) {
  double difference = 0, norm = 0;
  for (std::size_t i = 0; i < want.size(); ++i) {
    difference += std::norm(want[i] - std::complex<double>(got[static_cast<std::size_t>(at[i])]));
    norm += std::norm(want[i]);
  }
  return norm > 0 ? std::sqrt(difference / norm) : 0;
}

void row(Problem const& p, std::int64_t coils, std::string const& what, double time, double error,
         double least_bytes, double rate, std::string const& plan) {
  double const floor = least_bytes / rate;
  std::printf(
      "{\"problem\": \"%s\", \"coils\": %lld, \"work\": \"%s\", \"ms_a_coil\": %.4f, \"error\": %.2e, "
      "\"of_copy_limit\": %.3f, \"plan\": \"%s\"}\n",
      p.name.c_str(), static_cast<long long>(coils), what.c_str(), 1e3 * time / static_cast<double>(coils),
      error, floor / time, plan.c_str());
  std::fflush(stdout);
}

template <class V>
void write(std::filesystem::path const& file, V const& values) {
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<char const*>(values.data()),
             static_cast<std::streamsize>(values.size() * sizeof(values[0])));
}

void write_problem(std::filesystem::path const& folder, Problem const& p, Data const& d) {
  std::filesystem::create_directories(folder / p.name);
  char const* const axes[3] = {"kx.bin", "ky.bin", "kz.bin"};
  for (int i = 0; i < d.trajectory.dims; ++i) write(folder / p.name / axes[i], d.trajectory[i]);
  write(folder / p.name / "image.bin", d.image);
  write(folder / p.name / "samples.bin", d.samples);
  std::ofstream(folder / p.name / "shape.txt")
      << p.matrix.x << ' ' << p.matrix.y << ' ' << p.matrix.z << ' ' << p.samples << ' ' << p.coils << '\n';
}

void transforms(CudaSession const& session, Problem const& p, Data const& d, CudaNufft<float> const& plan,
                std::int64_t coils, double rate, std::string const& spreading) {
  std::int64_t const voxels = p.matrix.voxels();
  std::vector<C> images, samples;
  for (std::int64_t c = 0; c < coils; ++c) {
    images.insert(images.end(), d.image.begin(), d.image.end());
    samples.insert(samples.end(), d.samples.begin(), d.samples.end());
  }
  CudaVector<C> const from(session, images), from_samples(session, samples), to(session, coils * voxels),
      to_samples(session, coils * p.samples);
  // Samples and places in, image out, each once.
  double const bytes = static_cast<double>(coils * (p.samples + voxels) * 8 + p.samples * 12);
  double const adjoint = seconds(session, [&] { plan.adjoint(from_samples.data(), to.data(), coils); });
  row(p, coils, "adjoint " + spreading, adjoint, relative_error(d.adjoint, d.probe_voxels, to.download()),
      bytes, rate, plan.description());
  double const forward = seconds(session, [&] { plan.forward(from.data(), to_samples.data(), coils); });
  row(p, coils, "forward " + spreading, forward,
      relative_error(d.forward, d.probe_samples, to_samples.download()), bytes, rate, plan.description());
}

void run(CudaSession const& session, Problem const& p, double rate, std::string const& folder) {
  Data d{make_trajectory(p), noise(p.matrix.voxels(), 11), noise(p.samples, 12)};
  add_wanted(p, d);
  if (!folder.empty()) write_problem(folder, p, d);
  CudaTrajectoryCopy const trajectory(session, d.trajectory);
  for (double const oversampling : {0.0, 1.5}) {
    if (once && oversampling != 0) continue;
    CudaNufftOptions options{.nufft = {.accuracy = 1e-3, .oversampling = oversampling}};
    for (auto const& [spreading, name] :
         {std::pair{CudaSpreading::by_tiles, "by tiles"}, std::pair{CudaSpreading::by_samples, "by samples"},
          std::pair{CudaSpreading::chosen, "as chosen"}}) {
      if (once && spreading != CudaSpreading::chosen) continue;
      if (oversampling != 0 && spreading == CudaSpreading::chosen) continue;
      options.spreading = spreading;
      CudaNufft<float> const plan(session, trajectory.view(), p.matrix, options);
      for (std::int64_t const coils : {std::int64_t{1}, p.coils})
        transforms(session, p, d, plan, coils, rate, name);
    }
    if (oversampling != 0) continue;
    double const time =
        seconds(session, [&] { CudaNufft<float>(session, trajectory.view(), p.matrix, options); });
    row(p, 1, "plan", time, 0, static_cast<double>(p.samples * 36), rate, "trajectory on the device");
  }
  Matrix const wide = doubled(p.matrix);
  CudaVector<float> const spectrum(session, wide.voxels()), weights(session, p.samples);
  double const q = seconds(session, [&] {
    cuda_toeplitz_spectrum<float>(session, trajectory.view(), nullptr, p.matrix, wide,
                                  1 / static_cast<double>(wide.voxels()), spectrum.data(),
                                  {.nufft = {.accuracy = 1e-3}});
  });
  row(p, 1, "Q", q, 0, static_cast<double>(wide.voxels() * 4 + p.samples * 12), rate, "with its plan");
  double const density = seconds(
      session, [&] { cuda_pipe_menon_weights(session, trajectory.view(), p.matrix, weights.data()); });
  row(p, 1, "Pipe-Menon, 10 iterations", density, 0, static_cast<double>(p.samples * 16), rate,
      "with its plan");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::string const argument = argc > 1 ? argv[1] : "";
    once = argument == "--once";
    CudaModule const module = load_cuda_module();
    CudaSession const session = CudaSession::open(module, 0);
    double const rate = copy_rate(session);
    std::printf("{\"device\": \"%s\", \"copy_GB_s\": %.0f}\n", session.device().name.c_str(), rate / 1e9);
    for (Problem const& p : {Problem{"3D 128, 284592 random", {128, 128, 128}, 284592, 8, true},
                             Problem{"3D 128, 284592 radial", {128, 128, 128}, 284592, 8, false},
                             Problem{"3D 128, 3e6 radial", {128, 128, 128}, 3000000, 8, false},
                             Problem{"2D 256, 1e5 radial", {256, 256, 1}, 100000, 32, false}}) {
      run(session, p, rate, once ? "" : argument);
    }
  } catch (Error const& error) {
    std::fprintf(stderr, "gpu_nufft: %s\n", error.what());
    return 1;
  }
}
