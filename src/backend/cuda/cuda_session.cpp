// SPDX-License-Identifier: BSD-3-Clause
// The program's side of the module's topics device, fft and blas.
#include "findrho/backend/cuda_session.hpp"

#include <utility>

#include "backend/cuda/call.hpp"
#include "backend/cuda/device_abi.hpp"
#include "backend/cuda/topic.hpp"
#include "findrho/core/error.hpp"

namespace findrho {

void throw_fault(CudaFault const& fault, std::string const& device) {
  std::string const what = device + ": " + fault.text;
  switch (fault.kind) {
    case CudaFault::out_of_memory:
      throw Error(ErrorKind::out_of_memory, what,
                  "take a smaller problem, or free the device's memory (nvidia-smi)");
    case CudaFault::bad_argument:
      throw Error(ErrorKind::bad_option, what);
    case CudaFault::not_supported:
      throw Error(ErrorKind::not_built, what);
    case CudaFault::cancelled:
      throw Error(ErrorKind::cancelled, what);
    default:
      throw Error(ErrorKind::device_fault, what,
                  "look at nvidia-smi and at the kernel's log, or use --device cpu");
  }
}

struct CudaSession::State {
  std::string path;
  CudaDevice device;
  CudaDeviceTable const* table = nullptr;
  void* session = nullptr;
  ~State() {
    if (session != nullptr) table->close(session);
  }
};

CudaSession CudaSession::open(CudaModule const& module, int index) {
  CudaSession result;
  result.state_ = std::make_shared<State>();
  State& state = *result.state_;
  state.device = require_cuda_device(module, index);
  state.path = module.path;
  state.table = &result.table<CudaDeviceTable>();
  call(result, state.table->open, index, &state.session);
  return result;
}

CudaDevice const& CudaSession::device() const {
  return state_->device;
}
void* CudaSession::handle() const {
  return state_->session;
}
void const* CudaSession::find_table(char const* topic, int version) const {
  return cuda_topic(state_->path, topic, version);
}
void CudaSession::synchronize() const {
  call(*this, state_->table->synchronize, handle());
}
void CudaSession::trim() const {
  call(*this, state_->table->trim, handle());
}
CudaSession::MemoryUse CudaSession::memory_use() const {
  CudaMemoryUse use{};
  call(*this, state_->table->memory_use, handle(), &use);
  return {use.device_free, use.device_total, use.pool_held, use.pool_used, use.pool_most_used};
}

CudaMemory::CudaMemory(CudaSession const& session, std::int64_t bytes, Kind kind)
    : session_(session), bytes_(bytes), kind_(kind) {
  CudaDeviceTable const& table = *session.state_->table;
  call(session, kind == Kind::device ? table.allocate : table.allocate_host, session.handle(),
       static_cast<std::size_t>(bytes), &data_);
}
CudaMemory::~CudaMemory() {
  if (data_ == nullptr) return;
  CudaDeviceTable const& table = *session_.state_->table;
  (kind_ == Kind::device ? table.release : table.release_host)(session_.handle(), data_);
}
CudaMemory::CudaMemory(CudaMemory&& other) noexcept
    : session_(other.session_),
      data_(std::exchange(other.data_, nullptr)),
      bytes_(other.bytes_),
      kind_(other.kind_) {}
CudaMemory& CudaMemory::operator=(CudaMemory&& other) noexcept {
  std::swap(session_, other.session_);
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(kind_, other.kind_);
  return *this;
}
void CudaMemory::upload(void const* from, std::int64_t bytes) const {
  call(session_, session_.state_->table->copy, session_.handle(), data_, from,
       static_cast<std::size_t>(bytes));
  session_.synchronize();
}
void CudaMemory::download(void* to, std::int64_t bytes) const {
  call(session_, session_.state_->table->copy, session_.handle(), to, data_, static_cast<std::size_t>(bytes));
  session_.synchronize();
}
void CudaMemory::clear() const {
  call(session_, session_.state_->table->clear, session_.handle(), data_, static_cast<std::size_t>(bytes_));
}

CudaEvent::CudaEvent(CudaSession const& session) : session_(session) {
  call(session, session.state_->table->record, session.handle(), &event_);
}
CudaEvent::~CudaEvent() {
  session_.state_->table->drop(session_.handle(), event_);
}
double CudaEvent::seconds_since(CudaEvent const& earlier) const {
  double seconds = 0;
  call(session_, session_.state_->table->elapsed, session_.handle(), earlier.event_, event_, &seconds);
  return seconds;
}

template <class T>
CudaFft<T>::CudaFft(CudaSession const& session, std::vector<std::int64_t> const& size, std::int64_t batch)
    : session_(session) {
  CudaFftRecord record{.rank = static_cast<int>(size.size()),
                       .size = {},
                       .batch = batch,
                       .double_precision = sizeof(T) == sizeof(double) ? 1 : 0};
  for (std::size_t d = 0; d < size.size() && d < 3; ++d) record.size[d] = size[d];
  call(session, session.table<CudaFftTable>().open, session.handle(), &record, &plan_);
}
template <class T>
CudaFft<T>::~CudaFft() {
  session_.table<CudaFftTable>().close(plan_);
}
template <class T>
void CudaFft<T>::run(std::complex<T>* data, int inverse) const {
  call(session_, session_.table<CudaFftTable>().run, plan_, data, inverse);
}
template class CudaFft<float>;
template class CudaFft<double>;

CudaBlas::CudaBlas(CudaSession const& session) : session_(session) {
  call(session, session.table<CudaBlasTable>().open, session.handle(), &blas_);
}
CudaBlas::~CudaBlas() {
  session_.table<CudaBlasTable>().close(blas_);
}
void CudaBlas::multiply(std::int64_t m, std::int64_t n, std::int64_t k, float const* a, float const* b,
                        float* c, Precision precision) const {
  CudaGemmRecord const record{
      .type = precision == Precision::tf32 ? CudaGemmRecord::tf32 : CudaGemmRecord::fp32,
      .m = m,
      .n = n,
      .k = k,
      .a = a,
      .b = b,
      .c = c};
  call(session_, session_.table<CudaBlasTable>().gemm, blas_, &record);
}
void CudaBlas::transpose(float const* from, float* to, std::int64_t rows, std::int64_t columns) const {
  call(session_, session_.table<CudaBlasTable>().transpose, blas_, from, to, rows, columns);
}

}  // namespace findrho
