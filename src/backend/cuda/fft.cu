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

std::shared_ptr<CufftHandle> make_handle(Session& session, CudaFftRecord const& record) {
  if (record.rank < 1 || record.rank > 3) {
    throw ModuleFailure(CudaFault::bad_argument, "a transform of rank " + std::to_string(record.rank));
  }
  long long size[3] = {record.size[0], record.size[1], record.size[2]};
  auto handle = std::make_shared<CufftHandle>();
  check_fft(cufftCreate(&handle->plan), "cufftCreate");
  check_fft(cufftSetAutoAllocation(handle->plan, 0), "cufftSetAutoAllocation");
  check_fft(cufftMakePlanMany64(handle->plan, record.rank, size, nullptr, 1, 0, nullptr, 1, 0,
                                record.double_precision != 0 ? CUFFT_Z2Z : CUFFT_C2C, record.batch,
                                &handle->work_bytes),
            "cufftMakePlanMany64");
  check_fft(cufftSetStream(handle->plan, session.stream), "cufftSetStream");
  return handle;
}

std::shared_ptr<CufftHandle> kept_handle(Session& session, CudaFftRecord const& record) {
  std::string key = "fft";
  for (long long const part :
       {static_cast<long long>(record.rank), record.size[0], record.size[1], record.size[2], record.batch,
        static_cast<long long>(record.double_precision)}) {
    key += ' ' + std::to_string(part);
  }
  return session.keep<CufftHandle>(key, [&] { return make_handle(session, record); });
}

}  // namespace

CufftHandle::~CufftHandle() {
  cufftDestroy(plan);
}

CufftPlan::CufftPlan(Session& session, CudaFftRecord const& record)
    : handle_(kept_handle(session, record)),
      double_precision_(record.double_precision != 0),
      work_(session, handle_->work_bytes) {}

std::size_t CufftPlan::work_bytes(Session& session, CudaFftRecord const& record) {
  return kept_handle(session, record)->work_bytes;
}

void CufftPlan::run(void* data, int direction) {
  if (handle_->work != work_.get()) {
    check_fft(cufftSetWorkArea(handle_->plan, work_.get()), "cufftSetWorkArea");
    handle_->work = work_.get();
  }
  if (double_precision_) {
    auto* const d = static_cast<cufftDoubleComplex*>(data);
    check_fft(cufftExecZ2Z(handle_->plan, d, d, direction), "cufftExecZ2Z");
  } else {
    auto* const d = static_cast<cufftComplex*>(data);
    check_fft(cufftExecC2C(handle_->plan, d, d, direction), "cufftExecC2C");
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
