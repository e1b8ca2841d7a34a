// SPDX-License-Identifier: BSD-3-Clause
// The topic "blas". cuBLAS counts columns first: row-major C = A B is its C^T = B^T A^T, the operands
// swapped.
#include "backend/cuda/blas.hpp"

namespace findrho {
namespace {

void check_blas(cublasStatus_t code, char const* call) {
  if (code == CUBLAS_STATUS_SUCCESS) return;
  auto const kind = code == CUBLAS_STATUS_ALLOC_FAILED ? CudaFault::out_of_memory : CudaFault::device_fault;
  throw ModuleFailure(kind, std::string(call) + ": " + cublasGetStatusString(code));
}

}  // namespace

Cublas::Cublas(Session& session) {
  check_blas(cublasCreate(&handle_), "cublasCreate");
  check_blas(cublasSetStream(handle_, session.stream), "cublasSetStream");
}

Cublas::~Cublas() {
  cublasDestroy(handle_);
}

void Cublas::gemm(CudaGemmRecord const& r) {
  bool const half = r.type == CudaGemmRecord::fp16;
  auto const input = half ? CUDA_R_16F : CUDA_R_32F;
  auto const compute = r.type == CudaGemmRecord::tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F;
  float const one = 1, zero = 0;
  check_blas(cublasGemmEx_64(handle_, CUBLAS_OP_N, CUBLAS_OP_N, r.n, r.m, r.k, &one, r.b, input, r.n, r.a,
                             input, r.k, &zero, r.c, input, r.n, compute, CUBLAS_GEMM_DEFAULT),
             "cublasGemmEx_64");
}

void Cublas::transpose(float const* from, float* to, long long rows, long long columns) {
  float const one = 1, zero = 0;
  check_blas(cublasSgeam_64(handle_, CUBLAS_OP_T, CUBLAS_OP_N, rows, columns, &one, from, columns, &zero, to,
                            rows, to, rows),
             "cublasSgeam_64");
}

namespace {

int open(void* session, void** blas, CudaFault* fault) {
  return guarded(fault, [&] { *blas = new Cublas(*static_cast<Session*>(session)); });
}
void close(void* blas) {
  delete static_cast<Cublas*>(blas);
}
int gemm(void* blas, CudaGemmRecord const* record, CudaFault* fault) {
  return guarded(fault, [&] { static_cast<Cublas*>(blas)->gemm(*record); });
}
int transpose(void* blas, float const* from, float* to, long long rows, long long columns, CudaFault* fault) {
  return guarded(fault, [&] { static_cast<Cublas*>(blas)->transpose(from, to, rows, columns); });
}
constexpr CudaBlasTable kTable{open, close, gemm, transpose};

}  // namespace
}  // namespace findrho

FINDRHO_EXPORT void const* findrho_cuda_topic_blas(int version) {
  return version == findrho::CudaBlasTable::kVersion ? &findrho::kTable : nullptr;
}
