// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: complex numbers as CUDA's vectors, and the kernel's polynomials as a parameter of launches.
#pragma once
#include <cuda_runtime.h>

#include "nufft/cuda/nufft_abi.hpp"

namespace findrho::nufft {

template <class T>
struct ComplexOf;
template <>
struct ComplexOf<float> {
  using Type = float2;
};
template <>
struct ComplexOf<double> {
  using Type = double2;
};
template <class T>
using Complex = typename ComplexOf<T>::Type;

/// Two neighbours of a row, read and written in one piece: rows of grids are even.
template <class T>
struct __align__(16) Pair {
  Complex<T> a, b;
};

inline constexpr int kMostWidth = 16, kMostDegree = 20;

/// Weight of patch cell j at fraction s: Horner's rule through coefficients [j][0 .. degree], highest power first.
/// Passed by value, so that they lie in constant memory, where all lanes read the same one.
template <class T>
struct Polynomials {
  int width, degree;
  T coefficient[kMostWidth * (kMostDegree + 1)];

  explicit Polynomials(CudaNufftRecord const& r) : width(r.width), degree(r.degree) {
    for (int i = 0; i < width * (degree + 1); ++i) coefficient[i] = static_cast<T>(r.polynomial[i]);
  }
  /// The weights of cell j on several axes at once: one read of a coefficient serves all.
  template <int Axes>
  __device__ void weights(int j, T const (&s)[Axes], T (&w)[Axes]) const {
    T const* const c = coefficient + j * (degree + 1);
#pragma unroll
    for (int d = 0; d < Axes; ++d) w[d] = c[0];
    for (int power = 1; power <= degree; ++power) {
      T const next = c[power];
#pragma unroll
      for (int d = 0; d < Axes; ++d) w[d] = w[d] * s[d] + next;
    }
  }
};

}  // namespace findrho::nufft
