// SPDX-License-Identifier: BSD-3-Clause
// The topic "weigh".
#include "backend/cuda/elements.hpp"
#include "backend/cuda/line_transform.hpp"
#include "backend/cuda/session.hpp"
#include "operator/cuda/weigh_abi.hpp"

namespace findrho::device {
namespace {

template <class T>
struct Weigh {
  Complex<T>* samples;
  T const* weights;
  long long count;
  __device__ void operator()(std::int64_t i) const { samples[i] = scaled(weights[i % count], samples[i]); }
};

int weigh(void* session, int double_precision, void* samples, void const* weights, long long count,
          long long coils, CudaFault* fault) {
  return guarded(fault, [&] {
    cudaStream_t const stream = static_cast<Session*>(session)->stream;
    if (double_precision != 0) {
      launch_elements(
          stream, count * coils,
          Weigh<double>{static_cast<Complex<double>*>(samples), static_cast<double const*>(weights), count});
    } else {
      launch_elements(
          stream, count * coils,
          Weigh<float>{static_cast<Complex<float>*>(samples), static_cast<float const*>(weights), count});
    }
  });
}
constexpr CudaWeighTable kTable{weigh};

}  // namespace
}  // namespace findrho::device

FINDRHO_EXPORT void const* findrho_cuda_topic_weigh(int version) {
  return version == findrho::CudaWeighTable::kVersion ? &findrho::device::kTable : nullptr;
}
