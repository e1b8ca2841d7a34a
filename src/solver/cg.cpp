// SPDX-License-Identifier: BSD-3-Clause
// Each iteration reads the vectors three times: <p, A p>; x, r and their sums; p; and the kept residuals twice.
#include "findrho/solver/cg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/operator/vector_ops.hpp"

namespace findrho {
namespace {

struct StepSums {
  double rr = 0;  // |r|^2
  double xb = 0;  // Re<x, b>
  double xr = 0;  // Re<x, r>
  StepSums& operator+=(StepSums const& other) {
    rr += other.rr;
    xb += other.xb;
    xr += other.xr;
    return *this;
  }
};

constexpr int kMostKept = 16;

struct Overlaps {
  std::array<std::complex<double>, kMostKept> with{};  // <q_j, r>
  Overlaps& operator+=(Overlaps const& other) {
    for (std::size_t j = 0; j < with.size(); ++j) with[j] += other.with[j];
    return *this;
  }
};

template <class T>
struct Vectors {
  using C = std::complex<T>;
  Context const& context;
  View<C const> b;
  View<C> x;
  Array<C> r, p, Ap;
  Array<C> kept_memory;  // (residual, voxel)
  std::int64_t kept = 0;

  // q_j, j < kept: the first residuals, scaled to length 1
  C* kept_residual(std::int64_t j) { return kept_memory.data() + j * b.size(); }

  // r = b - A x
  void residual(LinearOperator<T> const& A) {
    bool const zero_start = real_dot<T>(context, x, x) == 0;
    if (!zero_start) A.forward(context, x, Ap);
    for_blocks(context, b.size(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) p[i] = r[i] = zero_start ? b[i] : b[i] - Ap[i];
    });
  }

  // x += alpha p, r -= alpha A p, a block at a time while it is in cache
  StepSums step(double alpha) {
    T const a = static_cast<T>(alpha);
    return sum_blocks<StepSums>(context, b.size(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        x[i] += a * p[i];
        r[i] -= a * Ap[i];
      }
      return StepSums{real_dot_range(r.data(), r.data(), begin, end),
                      real_dot_range(x.data, b.data, begin, end),
                      real_dot_range<T>(x.data, r.data(), begin, end)};
    });
  }

  void keep_residual(double rr) {
    C* const q = kept_residual(kept++);
    T const scale = static_cast<T>(1 / std::sqrt(rr));
    for_blocks(context, b.size(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) q[i] = scale * r[i];
    });
  }

  // r -= sum_j q_j <q_j, r>; updates the sums with r in them
  void orthogonalise(StepSums& sums) {
    Overlaps const overlaps =
        sum_blocks<Overlaps>(context, b.size(), [&](std::int64_t begin, std::int64_t end) {
          Overlaps part;
          for (std::int64_t j = 0; j < kept; ++j) {
            part.with[static_cast<std::size_t>(j)] = dot_range(kept_residual(j), r.data(), begin, end);
          }
          return part;
        });
    StepSums const changed =
        sum_blocks<StepSums>(context, b.size(), [&](std::int64_t begin, std::int64_t end) {
          for (std::int64_t j = 0; j < kept; ++j) {
            subtract_multiple_range(C(overlaps.with[static_cast<std::size_t>(j)]), kept_residual(j), begin,
                                    end, r.data());
          }
          return StepSums{real_dot_range(r.data(), r.data(), begin, end), 0,
                          real_dot_range<T>(x.data, r.data(), begin, end)};
        });
    sums.rr = changed.rr;
    sums.xr = changed.xr;
  }

  // p = r + beta p
  void direction(double beta) {
    T const factor = static_cast<T>(beta);
    for_blocks(context, b.size(), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) p[i] = r[i] + factor * p[i];
    });
  }
};

void check(CgOptions const& options) {
  if (options.kept_residuals < 0 || options.kept_residuals > kMostKept) {
    throw Error(ErrorKind::bad_option,
                "cg was asked to keep " + std::to_string(options.kept_residuals) + " residuals",
                "keep 0 to " + std::to_string(kMostKept));
  }
  if (options.max_iterations < 0 || !(options.tolerance >= 0)) {
    throw Error(ErrorKind::bad_option,
                fmt::format("cg was given {} iterations and the tolerance {}", options.max_iterations,
                            options.tolerance),
                "both must be 0 or more");
  }
}

}  // namespace

char const* name(StopReason reason) {
  switch (reason) {
    case StopReason::converged:
      return "converged";
    case StopReason::max_iterations:
      return "max_iterations";
    case StopReason::breakdown:
      return "breakdown";
    case StopReason::cancelled:
      return "cancelled";
  }
  return "?";
}

template <class T>
CgReport cg(Context const& context, LinearOperator<T> const& A, View<std::complex<T> const> b,
            View<std::complex<T>> x, CgOptions const& options) {
  using C = std::complex<T>;
  check(options);
  require_shape(A.range(), A.domain(), "range of the operator of cg");
  require_shape(b.shape, A.domain(), "right-hand side of cg");
  require_shape(x.shape, A.domain(), "start value of cg");

  CgReport report;
  auto stopped = [&](StopReason reason) {
    report.reason = reason;
    return report;
  };
  double const bb = real_dot<T>(context, b, b);
  if (bb == 0) {
    std::fill(x.begin(), x.end(), C{});
    return stopped(StopReason::converged);
  }
  int const most_kept = std::min(options.kept_residuals, options.max_iterations);
  Vectors<T> v{context,
               b,
               x,
               Array<C>(b.shape),
               Array<C>(b.shape),
               Array<C>(b.shape),
               Array<C>({{Axis::other, most_kept}, {Axis::other, b.size()}})};
  report.residual.reserve(static_cast<std::size_t>(options.max_iterations));
  report.objective.reserve(static_cast<std::size_t>(options.max_iterations));
  v.residual(A);
  double rr = real_dot<T>(context, v.r, v.r);
  double const target = options.tolerance * options.tolerance * bb;
  for (int step = 1;; ++step) {
    if (!std::isfinite(rr) || !std::isfinite(bb)) return stopped(StopReason::breakdown);
    if (rr <= target) return stopped(StopReason::converged);
    if (step > options.max_iterations) return stopped(StopReason::max_iterations);
    if (context.cancelled()) return stopped(StopReason::cancelled);

    A.forward(context, v.p, v.Ap);
    double const pAp = real_dot<T>(context, v.p, v.Ap);
    if (!std::isfinite(pAp) || pAp <= 0) return stopped(StopReason::breakdown);
    if (v.kept < most_kept) v.keep_residual(rr);
    StepSums sums = v.step(rr / pAp);
    if (v.kept > 0) v.orthogonalise(sums);
    v.direction(sums.rr / rr);
    rr = sums.rr;

    report.iterations = step;
    report.residual.push_back(std::sqrt(rr / bb));
    // 1/2 <x, A x> - Re<x, b> + constant, with A x = b - r
    report.objective.push_back(options.objective_constant - 0.5 * (sums.xb + sums.xr));
    context.emit({.type = Event::Type::iteration,
                  .text = options.phase,
                  .step = step,
                  .total = options.max_iterations,
                  .residual = report.residual.back(),
                  .objective = report.objective.back()});
  }
}

template CgReport cg(Context const&, LinearOperator<float> const&, View<std::complex<float> const>,
                     View<std::complex<float>>, CgOptions const&);
template CgReport cg(Context const&, LinearOperator<double> const&, View<std::complex<double> const>,
                     View<std::complex<double>>, CgOptions const&);

}  // namespace findrho
