// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: the kernels of CG. solver/cg.hpp has the method. A step is one kernel behind the product, whose blocks
// all run at the same time and wait for each other once, between the sums and what is made of them. Scalars stay in device
// memory. Of a step, the first half goes up the vectors and the second one down, so that it begins with what the L2 cache
// still holds; the new r stays in shared memory in between, as far as it fits.
#pragma once
#include <cooperative_groups.h>
#include <cuda_fp16.h>

#include <type_traits>

#include "backend/cuda/reduce.hpp"
#include "prior/cuda/prior_term.hpp"
#include "solver/cuda/cg_abi.hpp"

namespace findrho::device {

constexpr int kMostKept = 16;

struct CgScalars {
  double bb, target, constant;  // |b|^2, tolerance^2 |b|^2
  int max_iterations, kept_most;
  double rr, curvature, objective;
  CudaCgState state;
  unsigned ticket;
};

struct CgHistories {
  double *residual, *objective;
};

template <class T>
struct CgVectors {
  Complex<T> const* b;
  Complex<T>*x, *r, *p, *Ap;
  unsigned size;
};

/// The first residuals, scaled to the length sqrt(size): half precision has room for such numbers. All values of kRun
/// voxels lie together, so that memory sees one stream and not as many as there are residuals.
template <class Element>
struct KeptResiduals {
  static constexpr unsigned kRun = 32;
  Element* first;  // (run, residual, voxel of the run)
  int most;
  double inverse_length;
  __device__ Element* at(int j, unsigned i) const {
    return first + (static_cast<std::int64_t>(i / kRun) * most + j) * kRun + i % kRun;
  }
};

template <class T>
__device__ Complex<T> loaded(Complex<T> kept) {
  return kept;
}
__device__ inline Complex<float> loaded(__half2 kept) {
  float2 const v = __half22float2(kept);
  return {v.x, v.y};
}
template <class Element, class T>
__device__ Element as_kept(Complex<T> value) {
  if constexpr (std::is_same_v<Element, __half2>) {
    return __floats2half2_rn(value.x, value.y);
  } else {
    return value;
  }
}

template <class T>
__device__ double real_dot(Complex<T> a, Complex<T> b) {
  return static_cast<double>(a.x * b.x + a.y * b.y);
}

#define FINDRHO_EACH(i, size) \
  for (unsigned i = blockIdx.x * kReduceThreads + threadIdx.x; i < (size); i += gridDim.x * kReduceThreads)
/// From the last to the first; below 0 an unsigned number is larger than every size.
#define FINDRHO_EACH_DOWN(i, size)                                                      \
  for (unsigned i = (size)-1 - (blockIdx.x * kReduceThreads + threadIdx.x); i < (size); \
       i -= gridDim.x * kReduceThreads)

/// x = 0, r = p = b, |b|^2
template <class T>
__global__ void __launch_bounds__(kReduceThreads)
    cg_start(CgScalars* s, CgVectors<T> v, double tolerance, double* partial) {
  double sum[1] = {0};
  FINDRHO_EACH(i, v.size) {
    Complex<T> const b = v.b[i];
    v.x[i] = {0, 0};
    v.r[i] = v.p[i] = b;
    sum[0] += real_dot(b, b);
  }
  __shared__ double total[1];
  if (!sum_over_grid(sum, partial, &s->ticket, total) || threadIdx.x != 0) return;
  s->bb = s->rr = total[0];
  s->target = tolerance * tolerance * total[0];
  s->objective = s->constant;
  s->state = {0, CudaCgState::running};
  if (!isfinite(total[0])) {
    s->state.reason = CudaCgState::breakdown;
  } else if (total[0] <= s->target) {
    s->state.reason = CudaCgState::converged;
  } else if (s->max_iterations == 0) {
    s->state.reason = CudaCgState::max_iterations;
  }
}

/// A p = A_data p + lambda W^H W p, <p, A p>
template <class T, PriorTermKind Kind>
__global__ void __launch_bounds__(kReduceThreads)
    cg_curvature(CgScalars* s, CgVectors<T> v, PriorTerm<T> prior, double* partial) {
  if (s->state.reason != CudaCgState::running) return;
  double sum[1] = {0};
  FINDRHO_EACH_DOWN(i, v.size) {
    Complex<T> value = v.Ap[i];
    if constexpr (Kind != PriorTermKind::none) {
      value = value + prior.template at<Kind>(v.p, i);
      v.Ap[i] = value;
    }
    sum[0] += real_dot(v.p[i], value);
  }
  __shared__ double total[1];
  if (!sum_over_grid(sum, partial, &s->ticket, total) || threadIdx.x != 0) return;
  s->curvature = total[0];
}

/// <p, A p> as the product left it.
struct CurvatureParts {
  double const* parts;
  unsigned count;  // 0: cg_curvature has it
};

/// A step behind the product and the prior: keeps r as q_step where there is room; r -= alpha A p, alpha = |r|^2 / <p, A p>;
/// |r|^2 and all <q_j, r>; r -= sum_j q_j <q_j, r>, x += alpha p, p = r + beta p; the histories and whether to stop. held:
/// how many of each thread's elements of r shared memory has room for.
template <class T, int Kept, class Element>
__global__ void __launch_bounds__(kReduceThreads, sizeof(Element) == sizeof(__half2) ? 2 : 1)
    cg_step(CgScalars* s, CgVectors<T> v, KeptResiduals<Element> kept, CurvatureParts form, CgHistories to,
            int held, double* partial) {
  // A block takes part as a whole or not at all: another one may be writing that the solve has ended.
  if (!__syncthreads_and(s->state.reason == CudaCgState::running)) return;
  extern __shared__ __align__(16) unsigned char scratch[];
  Complex<T>* const held_r = reinterpret_cast<Complex<T>*>(scratch) + threadIdx.x;
  int const step = s->state.iterations;
  bool const last = step + 1 == s->max_iterations;  // nothing comes for which r would have to be orthogonal
  int const after = last ? 0 : min(step + 1, s->kept_most), stored = min(step, after);
  bool const keeps = step < after;
  double const rr_before = s->rr,
               curvature = form.count > 0 ? sum_of_parts(form.parts, form.count) : s->curvature;
  if (!isfinite(curvature) || curvature <= 0) {
    // Blocks that come later find a solve that has ended: they would have left here as well.
    if (threadIdx.x == 0) s->state.reason = CudaCgState::breakdown;
    return;
  }
  double const step_length = rr_before / curvature;
  T const alpha = static_cast<T>(step_length),
          scale = static_cast<T>(1 / (kept.inverse_length * sqrt(rr_before)));
  unsigned const first = blockIdx.x * kReduceThreads + threadIdx.x, stride = gridDim.x * kReduceThreads;
  T sum[1 + 2 * Kept] = {};  // of a thread's few elements: in double they would take the registers of a block
  int turns = 0;
  for (unsigned i = first; i < v.size; i += stride, ++turns) {
    Element q[Kept + 1] = {};  // all loads before their use: it is latency that this kernel waits for
#pragma unroll
    for (int j = 0; j < Kept; ++j) {
      if (j < stored) q[j] = *kept.at(j, i);
    }
    Complex<T> const before = v.r[i], r = before - scaled(alpha, v.Ap[i]);
    (turns < held ? held_r[turns * kReduceThreads] : v.r[i]) = r;
    Element const newest = as_kept<Element>(scaled(scale, before));
    if (keeps) *kept.at(step, i) = newest;
    sum[0] += r.x * r.x + r.y * r.y;
#pragma unroll
    for (int j = 0; j < Kept; ++j) {
      Complex<T> const qj = loaded(keeps && j == step ? newest : q[j]);
      sum[1 + 2 * j] += qj.x * r.x + qj.y * r.y;
      sum[2 + 2 * j] += qj.x * r.y - qj.y * r.x;
    }
  }
  __shared__ double total[1 + 2 * Kept];
  sum_over_block(sum, partial);
  cooperative_groups::this_grid().sync();
  sum_over_blocks<1 + 2 * Kept>(partial, total);
  __shared__ Complex<T> overlap[Kept + 1];  // <q_j, r>, for q_j as kept
  // The q_j are orthonormal: taking their parts out of r takes this much out of its square.
  double rr = total[0];
  double const inverse = kept.inverse_length;
#pragma unroll 1
  for (int j = 0; j < Kept; ++j) {
    double const re = inverse * total[1 + 2 * j], im = inverse * total[2 + 2 * j];
    rr -= re * re + im * im;
    if (threadIdx.x == 0) overlap[j] = {static_cast<T>(inverse * re), static_cast<T>(inverse * im)};
  }
  __syncthreads();
  T const beta = static_cast<T>(rr / rr_before);
  while (turns-- > 0) {
    unsigned const i = first + static_cast<unsigned>(turns) * stride;
    Element q[Kept + 1] = {};
#pragma unroll
    for (int j = 0; j < Kept; ++j) {
      if (j < after) q[j] = *kept.at(j, i);
    }
    Complex<T> const p = v.p[i], x = v.x[i];
    Complex<T> r = turns < held ? held_r[turns * kReduceThreads] : v.r[i];
#pragma unroll
    for (int j = 0; j < Kept; ++j) r = r - overlap[j] * loaded(q[j]);
    v.x[i] = x + scaled(alpha, p);
    if (last) continue;
    v.r[i] = r;
    v.p[i] = r + scaled(beta, p);
  }
  if (first != 0) return;
  s->rr = rr;
  // 1/2 <x, A x> - Re<x, b> falls by alpha Re<p, r> - alpha^2 <p, A p> / 2, and Re<p, r> = |r|^2.
  s->objective -= 0.5 * step_length * rr_before;
  to.residual[step] = sqrt(rr / s->bb);
  to.objective[step] = s->objective;
  s->state.iterations = step + 1;
  if (!isfinite(rr)) {
    s->state.reason = CudaCgState::breakdown;
  } else if (rr <= s->target) {
    s->state.reason = CudaCgState::converged;
  } else if (last) {
    s->state.reason = CudaCgState::max_iterations;
  }
}

}  // namespace findrho::device
