// SPDX-License-Identifier: BSD-3-Clause
// Where exact sums on a grid meet the NUFFT on a CUDA device: F^H d of random samples by the separable rungs, one coil and
// eight, beside the NUFFT at an accuracy of the same class (plan not included). One line a size, medians by CUDA events,
// milliseconds a coil.
//   gpu_exact [VOXELS]    matrices of up to so many voxels (default 128^3)
#include <algorithm>
#include <complex>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/dft/choose_rung.hpp"
#include "findrho/dft/cuda_ladder.hpp"
#include "findrho/nufft/cuda_nufft.hpp"

namespace {

using namespace findrho;
using C = std::complex<float>;

Trajectory random_trajectory(Matrix const& matrix, std::int64_t samples) {
  Trajectory t;
  t.dims = matrix.dims();
  std::mt19937_64 random(7);
  for (int d = 0; d < t.dims; ++d) {
    std::uniform_real_distribution<double> position(-0.5 * static_cast<double>(matrix[d]),
                                                    0.5 * static_cast<double>(matrix[d]));
    for (std::int64_t m = 0; m < samples; ++m) t[d].push_back(position(random));
  }
  return t;
}

double median_seconds(CudaSession const& session, std::function<void()> const& work) {
  work();
  std::vector<double> times;
  for (int i = 0; i < 7; ++i) {
    CudaEvent const before(session);
    work();
    times.push_back(CudaEvent(session).seconds_since(before));
  }
  std::nth_element(times.begin(), times.begin() + 3, times.end());
  return times[3];
}

double nufft_ms(CudaSession const& session, Trajectory const& t, Matrix const& matrix, std::int64_t coils,
                double accuracy) {
  CudaNufft<float> const plan(session, t, matrix, {.nufft = {.accuracy = accuracy}});
  CudaVector<C> const d(session, coils * t.size()), image(session, coils * matrix.voxels());
  d.clear();
  return 1e3 / static_cast<double>(coils) *
         median_seconds(session, [&] { plan.adjoint(d.data(), image.data(), coils); });
}

void row(CudaSession const& session, Matrix const& matrix, std::int64_t samples, std::int64_t coils) {
  Trajectory const t = random_trajectory(matrix, samples);
  std::vector<std::complex<double>> const d(static_cast<std::size_t>(coils * samples), {0.5, -0.25});
  CudaSum<float> sum(session, fhd_sum<float>(t, matrix, d));
  auto const exact_ms = [&](Rung rung) {
    RungOptions const options = default_options(rung, SumDevice::cuda_tensor);
    sum.run(rung, options);
    return 1e3 / static_cast<double>(coils) * sum.run(rung, options, {}, 7).seconds;
  };
  std::printf("%3lld x %3lld x %3lld  %8lld  %lld  ", static_cast<long long>(matrix.x),
              static_cast<long long>(matrix.y), static_cast<long long>(matrix.z),
              static_cast<long long>(samples), static_cast<long long>(coils));
  bool const tensor = has_tensor_rungs(session);
  double const coarse = exact_ms(tensor ? Rung::separable_fp16 : Rung::separable_fp32),
               fine = exact_ms(tensor ? Rung::separable_split : Rung::separable_fp32);
  double const nufft = nufft_ms(session, t, matrix, coils, 1e-3),
               nufft_fine = nufft_ms(session, t, matrix, coils, 1e-5);
  std::printf("%9.4f %9.4f %6.2f   %9.4f %9.4f %6.2f\n", coarse, nufft, coarse / nufft, fine, nufft_fine,
              fine / nufft_fine);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    std::int64_t const most = argc > 1 ? std::atoll(argv[1]) : 128 * 128 * 128;
    CudaSession const session = CudaSession::open(load_cuda_module(), 0);
    std::printf(
        "%s\nmatrix            samples  coils   fp16   NUFFT 1e-3  ratio      split  NUFFT 1e-5  ratio\n",
        session.device().name.c_str());
    for (Matrix const& m : {Matrix{16, 16, 16}, Matrix{32, 32, 32}, Matrix{64, 64, 64}, Matrix{128, 128, 128},
                            Matrix{64, 64, 1}, Matrix{128, 128, 1}, Matrix{256, 256, 1}}) {
      if (m.voxels() > most) continue;
      for (std::int64_t samples : {1000, 10000, 100000, 1000000}) {
        for (std::int64_t coils : {1, 8}) row(session, m, samples, coils);
      }
    }
  } catch (Error const& error) {
    std::fprintf(stderr, "gpu_exact: %s\n", error.what());
    return 1;
  }
}
