// SPDX-License-Identifier: BSD-3-Clause
#include "ladder_amdahl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "findrho/operator/largest_eigenvalue.hpp"
#include "findrho/operator/regularized_normal.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/prior/identity.hpp"
#include "findrho/recipe/recon.hpp"
#include "findrho/solver/cg.hpp"
#include "ladder_table.hpp"
#include "progress.hpp"

namespace findrho {

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
  // Only the time counts: any samples will do, and a Q by NUFFT is as large as an exact one.
  Nufft<T> const nufft(context, trajectory, matrix, {});
  Array<C> d(sample_shape(1, trajectory.size())), b(matrix.shape(1)), rho(matrix.shape());
  for (std::int64_t m = 0; m < d.size(); ++m) d[m] = C(m % 7 == 0 ? T(1) : T(-0.25), T(0.5));
  nufft.adjoint(context, d, b);
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

template double time_solve<float>(Context const&, Trajectory const&, Matrix const&);
template double time_solve<double>(Context const&, Trajectory const&, Matrix const&);

namespace {
char const* largest_part(LadderReport const& report, Amdahl::Row const& r) {
  double const fhd = report.rows[r.row].seconds, solve = report.amdahl->solve_s;
  return fhd >= std::max(r.q_s, solve) ? "F^H d" : r.q_s >= solve ? "Q" : "the solve";
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
    double const whole = row.seconds + r.q_s + a.solve_s;
    if (first == 0) first = whole;
    auto const share = [&](double seconds) { return fmt::format("{:.1f}%", 100 * seconds / whole); };
    auto const time = [](double seconds, bool extrapolated) {
      return duration_text(seconds) + (extrapolated ? "*" : " ");
    };
    text += fmt::format("{:<5}{:<23} {:>10} {:>10} {:>10} {:>10} {:>8.4g} {:>7} {:>5} {:>6}\n",
                        row.cuda ? "GPU" : "CPU", facts(row.rung).name, time(row.seconds, row.extrapolated),
                        time(r.q_s, r.q_extrapolated), time(a.solve_s, false), time(whole, false),
                        first / whole, share(row.seconds), share(r.q_s), share(a.solve_s));
  }
  return text + fmt::format(
                    "\nThe textbook: the sums take nearly all of the time and the solve under 1 % before, "
                    "F^H d and the "
                    "solve about\nhalf each after. Here {} is the largest part in the first row and {} in "
                    "the last.\n",
                    largest_part(report, a.rows.front()), largest_part(report, a.rows.back()));
}

}  // namespace findrho
