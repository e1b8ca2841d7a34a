// SPDX-License-Identifier: BSD-3-Clause
// The module's table "coil_maps": the estimation of sensitivity maps (recipe/coil_maps.hpp) from coil images.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct CudaCoilMapsRecord {
  long long matrix[3];  // x, y, z
  long long coils;      // kMostCoils at most
  long long step[3];    // to a voxel's neighbours, along x, y, z
  int iterations;       // of the power method
};

/// Images and maps are complex<float> (coil, z, y, x), device memory.
struct CudaCoilMapsTable {
  static constexpr char const* kTopic = "coil_maps";
  static constexpr int kVersion = 1;
  static constexpr long long kMostCoils = 64;  // 1 KiB of shared memory each
  /// image = double_image, complex<double>, one coil
  int (*round)(void* session, void const* double_image, long long voxels, void* image, CudaFault*);
  /// covariance[i,j] = sum_n images[i,n] conj(images[j,n]) for j <= i, complex<double>; host memory
  int (*covariance)(void* session, void const* images, long long voxels, long long coils, void* covariance,
                    CudaFault*);
  /// reference: the virtual coil, complex<double>; host memory
  int (*maps)(void* session, CudaCoilMapsRecord const*, void const* images, void const* reference, void* maps,
              CudaFault*);
};

}  // namespace findrho
