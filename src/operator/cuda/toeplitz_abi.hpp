// SPDX-License-Identifier: BSD-3-Clause
// The module's table "toeplitz": the product with Q on the device.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct CudaToeplitzRecord {
  enum Path : int {
    fastest,  // fused passes where all axes have a length for them, else plain
    plain     // pad, cuFFT, multiply, inverse cuFFT, crop
  };
  int double_precision;
  long long n[3];  // x, y, z
  long long coils;
  long long memory_bytes;  // of the work arrays of the coils that are done together; one coil at least
  int path;
  int slab;      // x frequencies that go through y and z together; 0: planes, or what fits the L2 cache
  int together;  // coils that go through a slab together; 0: chosen
  int lanes;     // slabs side by side; 0: chosen
};

/// z += shift x, and Re <x, z> in parts whose sum it is: what a conjugate-gradient step asks for next.
struct CudaForm {
  double shift;
  double* parts;  // device memory
};

struct CudaToeplitzFacts {
  int fused;
  long long grid[3];
  long long bytes;  // device memory of spectrum and work arrays
  int batch, slab, together;
  int planes = 0;      // 1: y and z in one pass, plane by plane, instead of slabs
  int form_parts = 0;  // 0: the product leaves no form
};

struct CudaToeplitzTable {
  static constexpr char const* kTopic = "toeplitz";
  static constexpr int kVersion = 3;
  int (*describe)(void* session, CudaToeplitzRecord const*, CudaToeplitzFacts*, CudaFault*);
  int (*open)(void* session, CudaToeplitzRecord const*, void** product, CudaFault*);
  void (*close)(void* product);
  /// Real, in FFT order (z, y, x), with the factor that makes up for two transforms without one; device memory.
  int (*set_spectrum)(void* product, void const* spectrum, CudaFault*);
  /// Complex Q at the lags i - N, i = 0..2N-1 along each axis (1 along an axis z of 1); i = 0 is left out; device memory.
  int (*set_lags)(void* product, void const* lags, CudaFault*);
  /// z = sum_c conj(maps_c) crop(Q * pad(maps_c x)); maps may be null: one coil, 1.
  /// form may be null, and is where form_parts is 0.
  int (*apply)(void* product, void const* x, void const* maps, void* z, CudaForm const* form, CudaFault*);
};

}  // namespace findrho
