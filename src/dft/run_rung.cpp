// SPDX-License-Identifier: BSD-3-Clause
// A rung on the CPU, and the sum in double at single voxels that every rung is held to.
#include <chrono>
#include <cmath>

#include "dft/machine.hpp"
#include "dft/run_separable.hpp"
#include "dft/rungs/all.hpp"
#include "dft/rungs/gather_vector.hpp"
#include "dft/sum_arrays.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

template <class Sum, class T>
bool run_vector(Context const& context, ladder::CpuMachine& machine, ladder::Arrays<T> const& a,
                RungOptions const& o) {
  ladder::run_mu<Sum>(machine, a, o.block_size);
  context.pool().each(ladder::blocks_for(a.voxels, o.block_size), [&](std::int64_t block) {
    if (context.cancelled()) return;
    std::int64_t const first = block * o.block_size;
    ladder::gather_vector_block(ladder::VectorJob<T>{
        a, first, static_cast<int>(std::min<std::int64_t>(o.block_size, a.voxels - first)), o.chunk,
        o.per_thread, std::is_same_v<Sum, ladder::QSum>});
  });
  context.throw_if_cancelled();
  return true;
}

template <class Sum, class T>
bool run_on_cpu(Context const& context, ladder::Arrays<T> const& a, Rung rung, RungOptions const& o) {
  ladder::CpuMachine machine(context);
  return rung == Rung::gather_vector ? run_vector<Sum>(context, machine, a, o)
                                     : ladder::run_any<Sum>(rung, machine, a, o);
}

[[noreturn]] void refuse_options(Rung rung, std::size_t element_bytes, RungOptions const& o) {
  throw Error(ErrorKind::bad_option,
              std::string(facts(rung).name) + " has no " + (element_bytes == 8 ? "double" : "single") +
                  " precision version with unroll " + std::to_string(o.unroll) + " and " +
                  std::to_string(o.per_thread) + " voxels a thread",
              "take 1, 2, 4 or 8 of each, or another rung");
}

}  // namespace

RungOptions fitting_options(Rung rung, RungOptions options, std::size_t element_bytes) {
  RungOptions o = options;
  o.block_size = std::max(1, rung == Rung::gather_vector ? std::min(o.block_size, ladder::kMaxVectorBlock)
                                                         : std::min(o.block_size, 1024));
  o.chunk = std::max(1, o.chunk);
  if (rung == Rung::tuned && o.memory != SampleMemory::constant) return o;
  int const sample_bytes =
      facts(rung).constant_sample_bytes * static_cast<int>(element_bytes / sizeof(float));
  if (sample_bytes > 0) o.chunk = std::min(o.chunk, ladder::kConstantBytes / sample_bytes);
  return o;
}

template <class T>
SumResult<T> run_rung(Context const& context, ExactSum<T> const& sum, Rung rung, RungOptions const& options,
                      SumSlice slice) {
  RungFacts const& rung_facts = facts(rung);
  if (!rung_facts.on_cpu) {
    throw Error(ErrorKind::bad_option, std::string(rung_facts.name) + " runs on a CUDA device only",
                "take separable_vector on the CPU");
  }
  if (rung_facts.needs_grid) return ladder::run_separable(context, sum, slice);
  RungOptions const o = fitting_options(rung, options, sizeof(T));
  SumResult<T> result;
  for (std::int64_t coil = 0; coil < sum.coils(); ++coil) {
    ladder::HostArrays<T> arrays(sum, slice, coil, options.parts);
    auto const start = std::chrono::steady_clock::now();
    bool const known = sum.kind == SumKind::q ? run_on_cpu<ladder::QSum>(context, arrays.view(), rung, o)
                                              : run_on_cpu<ladder::FhdSum>(context, arrays.view(), rung, o);
    if (!known) refuse_options(rung, sizeof(T), o);
    result.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    result.re.insert(result.re.end(), arrays.re.begin(), arrays.re.end());
    result.im.insert(result.im.end(), arrays.im.begin(), arrays.im.end());
  }
  return result;
}

template <class T>
std::vector<std::complex<double>> exact_at(Context const& context, ExactSum<T> const& sum,
                                           std::span<std::int64_t const> voxels, std::int64_t samples,
                                           std::int64_t coil) {
  std::int64_t const count = ladder::part_of(samples, sum.samples());
  std::vector<std::complex<double>> result(voxels.size());
  context.pool().each(static_cast<std::int64_t>(voxels.size()), [&](std::int64_t i) {
    auto const n = static_cast<std::size_t>(voxels[static_cast<std::size_t>(i)]);
    std::complex<double> total = 0;
    for (std::size_t m = 0; m < static_cast<std::size_t>(count); ++m) {
      std::size_t const own = static_cast<std::size_t>(coil * sum.samples()) + m;
      std::complex<double> const phi(sum.phi_re[m], sum.phi_im[m]), d(sum.d_re[own], sum.d_im[own]);
      std::complex<double> const mu = sum.kind == SumKind::q ? d.real() * std::norm(phi) : std::conj(phi) * d;
      double const turns = double(sum.kx[m]) * double(sum.x[n]) + double(sum.ky[m]) * double(sum.y[n]) +
                           double(sum.kz[m]) * double(sum.z[n]);
      total += mu * std::polar(1.0, ladder::kTwoPi<double> * (turns - std::nearbyint(turns)));
    }
    result[static_cast<std::size_t>(i)] = total;
  });
  return result;
}

template <class T>
double probe_error(Context const& context, ExactSum<T> const& sum, SumResult<T> const& result, SumSlice slice,
                   int probes) {
  std::int64_t const coils = sum.coils(), voxels = static_cast<std::int64_t>(result.re.size()) / coils;
  std::int64_t const count = std::clamp<std::int64_t>(probes / coils, 1, voxels);
  std::vector<std::int64_t> at;
  for (std::int64_t i = 0; i < count; ++i) at.push_back((2 * i + 1) * voxels / (2 * count));
  double difference = 0, norm = 0;
  for (std::int64_t coil = 0; coil < coils; ++coil) {
    auto const exact = exact_at(context, sum, at, slice.samples, coil);
    for (std::size_t i = 0; i < at.size(); ++i) {
      auto const n = static_cast<std::size_t>(coil * voxels + at[i]);
      difference += std::norm(std::complex<double>(result.re[n], result.im[n]) - exact[i]);
      norm += std::norm(exact[i]);
    }
  }
  return norm > 0 ? std::sqrt(difference / norm) : std::sqrt(difference);
}

#define FINDRHO_FOR(T)                                                                                    \
  template SumResult<T> run_rung(Context const&, ExactSum<T> const&, Rung, RungOptions const&, SumSlice); \
  template std::vector<std::complex<double>> exact_at(                                                    \
      Context const&, ExactSum<T> const&, std::span<std::int64_t const>, std::int64_t, std::int64_t);     \
  template double probe_error(Context const&, ExactSum<T> const&, SumResult<T> const&, SumSlice, int);
FINDRHO_FOR(float)
FINDRHO_FOR(double)
#undef FINDRHO_FOR

}  // namespace findrho
