// SPDX-License-Identifier: BSD-3-Clause
#include <limits>
#include <utility>

#include "backend/cuda/call.hpp"
#include "findrho/operator/cuda_operator.hpp"
#include "operator/cuda/lanczos_abi.hpp"
#include "operator/lanczos.hpp"

namespace findrho {
namespace {

template <class T>
class DeviceLanczos final : public LanczosVectors {
 public:
  using C = std::complex<T>;
  DeviceLanczos(Context const& context, CudaSession const& session, CudaOperator<T> const& A,
                std::int64_t size, std::uint64_t seed)
      : session_(session),
        A_(A),
        size_(size),
        q_(session, size),
        before_(session, size),
        next_(session, size) {
    Array<C> start({{Axis::other, size}});
    fill_start_vector<T>(context, seed, start);
    q_.upload(start.data());
    before_.clear();
  }

  Step step(double beta_before) override {
    A_.apply(q_.data(), next_.data());
    Step result{};
    call(session_, session_.table<CudaLanczosTable>().step, session_.handle(), kDouble,
         static_cast<long long>(size_), static_cast<void const*>(q_.data()),
         static_cast<void const*>(before_.data()), static_cast<void*>(next_.data()), beta_before,
         &result.alpha, &result.beta);
    return result;
  }
  void advance(double beta) override {
    call(session_, session_.table<CudaLanczosTable>().scale, session_.handle(), kDouble,
         static_cast<long long>(size_), static_cast<void*>(next_.data()), 1 / beta);
    std::swap(before_, q_);
    std::swap(q_, next_);
  }

 private:
  static constexpr int kDouble = sizeof(T) == sizeof(double) ? 1 : 0;
  CudaSession session_;
  CudaOperator<T> const& A_;
  std::int64_t size_;
  CudaVector<C> q_, before_, next_;
};

}  // namespace

template <class T>
double cuda_largest_eigenvalue(Context const& context, CudaSession const& session, CudaOperator<T> const& A,
                               std::int64_t size, PowerOptions const& options) {
  check_power_options(options);
  DeviceLanczos<T> vectors(context, session, A, size, options.seed);
  return largest_eigenvalue(context, vectors, size, std::numeric_limits<T>::epsilon(), options);
}

template double cuda_largest_eigenvalue(Context const&, CudaSession const&, CudaOperator<float> const&,
                                        std::int64_t, PowerOptions const&);
template double cuda_largest_eigenvalue(Context const&, CudaSession const&, CudaOperator<double> const&,
                                        std::int64_t, PowerOptions const&);

}  // namespace findrho
