// SPDX-License-Identifier: BSD-3-Clause
// The topic "lanczos".
#include <algorithm>

#include "backend/cuda/elements.hpp"
#include "backend/cuda/line_transform.hpp"
#include "backend/cuda/reduce.hpp"
#include "backend/cuda/session.hpp"
#include "operator/cuda/lanczos_abi.hpp"

namespace findrho::device {
namespace {

struct Scalars {
  double alpha, beta;
  unsigned ticket;
};

template <class T>
__device__ double real_dot(Complex<T> a, Complex<T> b) {
  return static_cast<double>(a.x * b.x + a.y * b.y);
}

template <class T>
__global__ void __launch_bounds__(kReduceThreads)
    lanczos_alpha(Scalars* s, long long size, Complex<T> const* q, Complex<T> const* next, double* partial) {
  double sum[1] = {0};
  for (long long i = blockIdx.x * kReduceThreads + threadIdx.x; i < size; i += gridDim.x * kReduceThreads) {
    sum[0] += real_dot(q[i], next[i]);
  }
  __shared__ double total[1];
  if (sum_over_grid(sum, partial, &s->ticket, total) && threadIdx.x == 0) s->alpha = total[0];
}

template <class T>
__global__ void __launch_bounds__(kReduceThreads)
    lanczos_rest(Scalars* s, long long size, Complex<T> const* q, Complex<T> const* before, Complex<T>* next,
                 double beta_before, double* partial) {
  T const alpha = static_cast<T>(s->alpha), beta = static_cast<T>(beta_before);
  double sum[1] = {0};
  for (long long i = blockIdx.x * kReduceThreads + threadIdx.x; i < size; i += gridDim.x * kReduceThreads) {
    Complex<T> value = next[i] - scaled(alpha, q[i]);
    if (beta > 0) value = value - scaled(beta, before[i]);
    next[i] = value;
    sum[0] += real_dot(value, value);
  }
  __shared__ double total[1];
  if (sum_over_grid(sum, partial, &s->ticket, total) && threadIdx.x == 0) s->beta = sqrt(total[0]);
}

template <class T>
struct Scale {
  Complex<T>* v;
  T factor;
  __device__ void operator()(std::int64_t i) const { v[i] = scaled(factor, v[i]); }
};

template <class T>
Scalars run_step(Session& session, long long size, void const* q, void const* before, void* next,
                 double beta_before) {
  auto const blocks =
      static_cast<unsigned>(std::min<long long>(kReduceBlocks, (size + kReduceThreads - 1) / kReduceThreads));
  Buffer<double> const partial(session, blocks);
  Buffer<Scalars> scalars(session, 1);
  scalars.fill(0);
  auto const* const at_q = static_cast<Complex<T> const*>(q);
  auto* const at_next = static_cast<Complex<T>*>(next);
  lanczos_alpha<T>
      <<<blocks, kReduceThreads, 0, session.stream>>>(scalars.get(), size, at_q, at_next, partial.get());
  check_launch("lanczos_alpha");
  lanczos_rest<T><<<blocks, kReduceThreads, 0, session.stream>>>(
      scalars.get(), size, at_q, static_cast<Complex<T> const*>(before), at_next, beta_before, partial.get());
  check_launch("lanczos_rest");
  return scalars.download().front();
}

int step(void* session, int double_precision, long long size, void const* q, void const* before, void* next,
         double beta_before, double* alpha, double* beta, CudaFault* fault) {
  return guarded(fault, [&] {
    Session& s = *static_cast<Session*>(session);
    Scalars const result = double_precision != 0 ? run_step<double>(s, size, q, before, next, beta_before)
                                                 : run_step<float>(s, size, q, before, next, beta_before);
    *alpha = result.alpha;
    *beta = result.beta;
  });
}
int scale(void* session, int double_precision, long long size, void* next, double factor, CudaFault* fault) {
  return guarded(fault, [&] {
    cudaStream_t const stream = static_cast<Session*>(session)->stream;
    if (double_precision != 0) {
      launch_elements(stream, size, Scale<double>{static_cast<Complex<double>*>(next), factor});
    } else {
      launch_elements(stream, size,
                      Scale<float>{static_cast<Complex<float>*>(next), static_cast<float>(factor)});
    }
  });
}
constexpr CudaLanczosTable kTable{step, scale};

}  // namespace
}  // namespace findrho::device

FINDRHO_EXPORT void const* findrho_cuda_topic_lanczos(int version) {
  return version == findrho::CudaLanczosTable::kVersion ? &findrho::device::kTable : nullptr;
}
