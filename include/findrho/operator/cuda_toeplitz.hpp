// SPDX-License-Identifier: BSD-3-Clause
// The product with Q on a CUDA device: ToeplitzNormal with image, maps and spectrum in device memory.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/operator/cuda_operator.hpp"

namespace findrho {

enum class ToeplitzPath {
  fastest,  // transforms that know what is padded and cropped, where all axes have a length for them; else plain
  plain     // pad, FFT, multiply, inverse FFT, crop
};

struct CudaToeplitzOptions {
  ToeplitzPath path = ToeplitzPath::fastest;
  /// Of the work arrays of the coils that are done together; more coils than fit take more turns, not more memory.
  std::int64_t memory_bytes = std::int64_t{8} << 30;
  int slab = 0;      // x frequencies that go through y and z together; 0: planes, or what fits the L2 cache
  int together = 0;  // coils that go through a slab together; 0: chosen
  int lanes = 0;     // slabs side by side; 0: chosen
};

/// How a product would be done, before any memory is taken.
struct CudaToeplitzPlan {
  bool fused = false;
  Matrix grid;             // of Q's spectrum
  std::int64_t bytes = 0;  // device memory, maps and images not counted
  int batch = 1, slab = 0, together = 0;
  bool planes = false;  // y and z in one pass, plane by plane, instead of slabs
  int form_parts = 0;   // of CudaOperator
};
template <class T>
CudaToeplitzPlan plan_cuda_toeplitz(CudaSession const& session, Matrix const& matrix, std::int64_t coils,
                                    CudaToeplitzOptions const& options = {});

/// z = sum_c conj(S_c) crop(Q * pad(S_c x))
/// Errors  bad_option, out_of_memory, device_fault
template <class T>
class CudaToeplitz final : public CudaOperator<T> {
 public:
  using typename CudaOperator<T>::C;
  /// maps: S (coil, z, y, x) in device memory, which must outlive the operator; null: one coil, S = 1
  CudaToeplitz(CudaSession const& session, Matrix const& matrix, std::int64_t coils = 1,
               C const* maps = nullptr, CudaToeplitzOptions const& options = {});
  ~CudaToeplitz() override;
  CudaToeplitz(CudaToeplitz const&) = delete;
  CudaToeplitz& operator=(CudaToeplitz const&) = delete;

  CudaToeplitzPlan const& plan() const { return plan_; }
  /// Real, on plan().grid, frequency 0 first, scaled by 1 / grid.voxels(); device memory.
  void set_spectrum(T const* spectrum);
  /// From Q at its lags, as exact_lags gives them.
  void set_lags(View<C const> lags);
  void apply(C const* x, C* z) const override;
  std::int64_t form_parts() const override { return plan_.form_parts; }
  void apply_with_form(C const* x, C* z, double shift, double* parts) const override;

 private:
  CudaSession session_;
  Matrix matrix_;
  C const* maps_;
  CudaToeplitzPlan plan_;
  void* product_ = nullptr;
};

}  // namespace findrho
