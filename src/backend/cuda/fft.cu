// SPDX-License-Identifier: BSD-3-Clause
// The topic "fft": complex transforms of any size over cuFFT.
#include "backend/cuda/fft.hpp"

namespace findrho {
namespace {

void check_fft(cufftResult code, char const* call) {
  if (code == CUFFT_SUCCESS) return;
  auto const kind = code == CUFFT_ALLOC_FAILED ? CudaFault::out_of_memory : CudaFault::device_fault;
  throw ModuleFailure(kind, std::string(call) + ": cuFFT error " + std::to_string(static_cast<int>(code)));
}

}  // namespace

CufftPlan::CufftPlan(Session& session, CudaFftRecord const& record)
    : double_precision_(record.double_precision != 0) {
  if (record.rank < 1 || record.rank > 3) {
    throw ModuleFailure(CudaFault::bad_argument, "a transform of rank " + std::to_string(record.rank));
  }
  long long size[3] = {record.size[0], record.size[1], record.size[2]};
  std::size_t work_bytes = 0;
  check_fft(cufftCreate(&plan_), "cufftCreate");
  try {
    check_fft(cufftSetAutoAllocation(plan_, 0), "cufftSetAutoAllocation");
    check_fft(cufftMakePlanMany64(plan_, record.rank, size, nullptr, 1, 0, nullptr, 1, 0,
                                  double_precision_ ? CUFFT_Z2Z : CUFFT_C2C, record.batch, &work_bytes),
              "cufftMakePlanMany64");
    work_.emplace(session, work_bytes);
    check_fft(cufftSetWorkArea(plan_, work_->get()), "cufftSetWorkArea");
    check_fft(cufftSetStream(plan_, session.stream), "cufftSetStream");
  } catch (...) {
    cufftDestroy(plan_);
    throw;
  }
}

CufftPlan::~CufftPlan() {
  cufftDestroy(plan_);
}

void CufftPlan::run(void* data, int direction) {
  if (double_precision_) {
    auto* const d = static_cast<cufftDoubleComplex*>(data);
    check_fft(cufftExecZ2Z(plan_, d, d, direction), "cufftExecZ2Z");
  } else {
    auto* const d = static_cast<cufftComplex*>(data);
    check_fft(cufftExecC2C(plan_, d, d, direction), "cufftExecC2C");
  }
}

namespace {

int open(void* session, CudaFftRecord const* record, void** plan, CudaFault* fault) {
  return guarded(fault, [&] { *plan = new CufftPlan(*static_cast<Session*>(session), *record); });
}
void close(void* plan) {
  delete static_cast<CufftPlan*>(plan);
}
int run(void* plan, void* data, int inverse, CudaFault* fault) {
  return guarded(
      fault, [&] { static_cast<CufftPlan*>(plan)->run(data, inverse != 0 ? CUFFT_INVERSE : CUFFT_FORWARD); });
}
constexpr CudaFftTable kTable{open, close, run};

}  // namespace
}  // namespace findrho

FINDRHO_EXPORT void const* findrho_cuda_topic_fft(int version) {
  return version == findrho::CudaFftTable::kVersion ? &findrho::kTable : nullptr;
}
