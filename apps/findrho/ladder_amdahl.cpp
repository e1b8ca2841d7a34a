// SPDX-License-Identifier: BSD-3-Clause
#include "ladder_amdahl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "findrho/nufft/cuda_nufft.hpp"
#include "findrho/operator/cuda_toeplitz.hpp"
#include "findrho/operator/largest_eigenvalue.hpp"
#include "findrho/operator/regularized_normal.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/prior/identity.hpp"
#include "findrho/recipe/recon.hpp"
#include "findrho/solver/cg.hpp"
#include "findrho/solver/cuda_cg.hpp"
#include "ladder_table.hpp"
#include "progress.hpp"

namespace findrho {
namespace {

/// Only the time counts: any samples will do.
template <class C>
std::vector<C> some_samples(std::int64_t count) {
  std::vector<C> d(static_cast<std::size_t>(count));
  for (std::size_t m = 0; m < d.size(); ++m) d[m] = {m % 7 == 0 ? 1.0f : -0.25f, 0.5f};
  return d;
}

}  // namespace

template <class T>
double time_solve(Context const& context, Trajectory const& trajectory, Matrix const& matrix) {
  using C = std::complex<T>;
  // Q is made on 2N points an axis: lags, their transform and work arrays, some 7 times the spectrum's elements.
  std::int64_t const needed = 7 * toeplitz_spectrum_size<T>(matrix) * static_cast<std::int64_t>(sizeof(T));
  std::int64_t const there = available_memory_bytes();
  if (needed > there) {
    throw Error(
        ErrorKind::out_of_memory,
        fmt::format("the whole reconstruction takes {} MiB, {} MiB are there", needed >> 20, there >> 20),
        "leave --amdahl out, or take a smaller --size");
  }
  Nufft<T> const nufft(context, trajectory, matrix, {});
  auto const d = some_samples<C>(trajectory.size());
  Array<C> b(matrix.shape(1)), rho(matrix.shape());
  nufft.adjoint(context, View<C const>(d.data(), sample_shape(1, trajectory.size())), b);
  // A Q by NUFFT is as large as an exact one.
  auto const kernel = std::make_shared<ToeplitzKernel<T> const>(context, trajectory, matrix);
  ToeplitzNormal<T> const product(kernel);
  Identity<T> const identity(matrix.shape());
  product.forward(context, rho, Array<C>(matrix.shape()));  // takes its scratch
  auto const start = std::chrono::steady_clock::now();
  double const lambda = ReconOptions{}.lambda * largest_eigenvalue<T>(context, product);
  RegularizedNormal<T> const system(product, identity, lambda);
  cg<T>(context, system, View<C const>(b.data(), matrix.shape()), rho,
        {.max_iterations = kAmdahlIterations, .tolerance = 0});
  double const seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  context.throw_if_cancelled();
  return seconds;
}

template <class T>
double time_solve(Context const& context, CudaSession const& session, Trajectory const& trajectory,
                  Matrix const& matrix) {
  using C = std::complex<T>;
  CudaTrajectoryCopy const k(session, trajectory);
  CudaVector<C> const d(session, some_samples<C>(trajectory.size())), b(session, matrix.voxels()),
      rho(session, matrix.voxels());
  CudaNufft<T>(session, k.view(), matrix).adjoint(d.data(), b.data(), 1);
  CudaToeplitz<T> product(session, matrix);
  Matrix const& grid = product.plan().grid;
  {
    CudaVector<T> const spectrum(session, grid.voxels());
    cuda_toeplitz_spectrum<T>(session, k.view(), nullptr, matrix, grid,
                              1 / static_cast<double>(grid.voxels()), spectrum.data());
    product.set_spectrum(spectrum.data());
  }
  double seconds = 0;
  for (int run = 0; run < 2; ++run) {
    session.synchronize();
    auto const start = std::chrono::steady_clock::now();
    double const lambda =
        ReconOptions{}.lambda * cuda_largest_eigenvalue<T>(context, session, product, matrix.voxels());
    auto const identity = CudaPrior<T>::identity(lambda);
    CudaCg<T> cg(session, matrix, product, identity, {.max_iterations = kAmdahlIterations, .tolerance = 0});
    cg.solve(context, b.data(), rho.data());
    seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    context.throw_if_cancelled();
  }
  return seconds;
}

template double time_solve<float>(Context const&, Trajectory const&, Matrix const&);
template double time_solve<double>(Context const&, Trajectory const&, Matrix const&);
template double time_solve<float>(Context const&, CudaSession const&, Trajectory const&, Matrix const&);
template double time_solve<double>(Context const&, CudaSession const&, Trajectory const&, Matrix const&);

namespace {
char const* largest_part(LadderReport const& report, Amdahl::Row const& r) {
  double const fhd = report.rows[r.row].seconds;
  return fhd >= std::max(r.q_s, r.solve_s) ? "F^H d" : r.q_s >= r.solve_s ? "Q" : "the solve";
}
}  // namespace

std::string amdahl_text(LadderReport const& report) {
  if (!report.amdahl || report.amdahl->rows.empty()) return "";
  Amdahl const& a = *report.amdahl;
  std::string text = fmt::format(
      "\nWhole reconstruction: F^H d and Q by the rung, then {}\n\n{:<28} {:>10} {:>10} {:>10} {:>10} {:>8} "
      "{:>7} {:>5} {:>6}\n",
      a.solver, "rung", "F^H d", "Q", "solve", "whole", "x first", "F^H d", "Q", "solve");
  double first = 0;
  for (Amdahl::Row const& r : a.rows) {
    LadderRow const& row = report.rows[r.row];
    double const whole = row.seconds + r.q_s + r.solve_s;
    if (first == 0) first = whole;
    auto const share = [&](double seconds) { return fmt::format("{:.1f}%", 100 * seconds / whole); };
    auto const time = [](double seconds, bool extrapolated) {
      return duration_text(seconds) + (extrapolated ? "*" : " ");
    };
    text += fmt::format("{:<5}{:<23} {:>10} {:>10} {:>10} {:>10} {:>8.4g} {:>7} {:>5} {:>6}\n",
                        row.cuda ? "GPU" : "CPU", facts(row.rung).name, time(row.seconds, row.extrapolated),
                        time(r.q_s, r.q_extrapolated), time(r.solve_s, false), time(whole, false),
                        first / whole, share(row.seconds), share(r.q_s), share(r.solve_s));
  }
  return text + fmt::format(
                    "\nThe textbook: the sums take nearly all of the time and the solve under 1 % before, "
                    "F^H d and the "
                    "solve about\nhalf each after. Here {} is the largest part in the first row and {} in "
                    "the last.\n",
                    largest_part(report, a.rows.front()), largest_part(report, a.rows.back()));
}

}  // namespace findrho
