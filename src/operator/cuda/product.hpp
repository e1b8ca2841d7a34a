// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: a product with Q as the two paths implement it.
#pragma once
#include <memory>

#include "backend/cuda/line_transform.hpp"
#include "backend/cuda/session.hpp"
#include "findrho/core/array.hpp"
#include "operator/cuda/toeplitz_abi.hpp"

namespace findrho::device {

template <class T>
class Product {
 public:
  virtual ~Product() = default;
  /// spectrum: real, FFT order, device memory
  virtual void set_spectrum(T const* spectrum) = 0;
  /// form: null, or shift and where the facts' form_parts go
  virtual void apply(Complex<T> const* x, Complex<T> const* maps, Complex<T>* z, CudaForm const* form) = 0;
};

CudaToeplitzFacts describe_fused(Session& session, CudaToeplitzRecord const& record);
CudaToeplitzFacts describe_plain(Session& session, CudaToeplitzRecord const& record);
template <class T>
std::unique_ptr<Product<T>> make_fused(Session& session, CudaToeplitzRecord const& record);
template <class T>
std::unique_ptr<Product<T>> make_plain(Session& session, CudaToeplitzRecord const& record);

}  // namespace findrho::device
