// SPDX-License-Identifier: BSD-3-Clause
// The program's side of the module's topic "toeplitz".
#include "findrho/operator/cuda_toeplitz.hpp"

#include "backend/cuda/call.hpp"
#include "findrho/core/error.hpp"
#include "operator/cuda/toeplitz_abi.hpp"

namespace findrho {
namespace {

template <class T>
CudaToeplitzRecord record_of(Matrix const& matrix, std::int64_t coils, CudaToeplitzOptions const& options) {
  return {
      .double_precision = sizeof(T) == sizeof(double) ? 1 : 0,
      .n = {matrix.x, matrix.y, matrix.z},
      .coils = coils,
      .memory_bytes = options.memory_bytes,
      .path = options.path == ToeplitzPath::plain ? CudaToeplitzRecord::plain : CudaToeplitzRecord::fastest,
      .slab = options.slab,
      .together = options.together,
      .lanes = options.lanes};
}

}  // namespace

template <class T>
CudaToeplitzPlan plan_cuda_toeplitz(CudaSession const& session, Matrix const& matrix, std::int64_t coils,
                                    CudaToeplitzOptions const& options) {
  CudaToeplitzRecord const record = record_of<T>(matrix, coils, options);
  CudaToeplitzFacts f{};
  call(session, session.table<CudaToeplitzTable>().describe, session.handle(), &record, &f);
  return {
      f.fused != 0, {f.grid[0], f.grid[1], f.grid[2]}, f.bytes, f.batch, f.slab, f.together, f.planes != 0,
      f.form_parts};
}

template <class T>
CudaToeplitz<T>::CudaToeplitz(CudaSession const& session, Matrix const& matrix, std::int64_t coils,
                              C const* maps, CudaToeplitzOptions const& options)
    : session_(session),
      matrix_(matrix),
      maps_(maps),
      plan_(plan_cuda_toeplitz<T>(session, matrix, coils, options)) {
  CudaToeplitzRecord const record = record_of<T>(matrix, coils, options);
  call(session, session.table<CudaToeplitzTable>().open, session.handle(), &record, &product_);
}

template <class T>
CudaToeplitz<T>::~CudaToeplitz() {
  if (product_ != nullptr) session_.table<CudaToeplitzTable>().close(product_);
}

template <class T>
void CudaToeplitz<T>::set_spectrum(T const* spectrum) {
  call(session_, session_.table<CudaToeplitzTable>().set_spectrum, product_,
       static_cast<void const*>(spectrum));
}

template <class T>
void CudaToeplitz<T>::set_lags(View<C const> lags) {
  std::int64_t const expected = 4 * matrix_.x * matrix_.y * (matrix_.z > 1 ? 2 * matrix_.z : 1);
  if (lags.size() != expected) {
    throw Error(ErrorKind::bad_shape, "Q has " + std::to_string(lags.size()) +
                                          " lags, the image's matrix asks for " + std::to_string(expected));
  }
  CudaVector<C> const there(session_, lags.size());
  there.upload(lags.data);
  call(session_, session_.table<CudaToeplitzTable>().set_lags, product_,
       static_cast<void const*>(there.data()));
}

template <class T>
void CudaToeplitz<T>::apply(C const* x, C* z) const {
  call(session_, session_.table<CudaToeplitzTable>().apply, product_, static_cast<void const*>(x),
       static_cast<void const*>(maps_), static_cast<void*>(z), static_cast<CudaForm const*>(nullptr));
}

template <class T>
void CudaToeplitz<T>::apply_with_form(C const* x, C* z, double shift, double* parts) const {
  CudaForm const form{shift, parts};
  call(session_, session_.table<CudaToeplitzTable>().apply, product_, static_cast<void const*>(x),
       static_cast<void const*>(maps_), static_cast<void*>(z), &form);
}

template class CudaToeplitz<float>;
template class CudaToeplitz<double>;
template CudaToeplitzPlan plan_cuda_toeplitz<float>(CudaSession const&, Matrix const&, std::int64_t,
                                                    CudaToeplitzOptions const&);
template CudaToeplitzPlan plan_cuda_toeplitz<double>(CudaSession const&, Matrix const&, std::int64_t,
                                                     CudaToeplitzOptions const&);

}  // namespace findrho
