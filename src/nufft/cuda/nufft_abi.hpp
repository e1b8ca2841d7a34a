// SPDX-License-Identifier: BSD-3-Clause
// The module's table "nufft": plans of non-uniform FFTs in device memory, and what is computed from them.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct CudaNufftRecord {
  enum Spreading : int { chosen, by_tiles, by_samples };
  int double_precision;
  int dims;
  long long matrix[3], grid[3];  // x, y, z
  long long samples;
  double const* k[3];  // device memory, cycles per FOV
  double k_factor[3];  // k is multiplied by it
  int width, degree;
  double const* polynomial;        // host memory, [width][degree + 1], highest power first
  double const* deapodisation[3];  // host memory, matrix[d] factors an axis
  long long grid_bytes;            // what the work grids of one pass may take
  int spreading;
};

struct CudaNufftTable {
  static constexpr char const* kTopic = "nufft";
  static constexpr int kVersion = 3;
  int (*open)(void* session, CudaNufftRecord const*, void** plan, CudaFault*);
  void (*close)(void* plan);
  int (*reserve)(void* plan, long long coils, CudaFault*);
  /// All pointers are device memory; maps may be null; add: 0 replaces, 1 adds.
  int (*forward)(void* plan, void const* image, void const* maps, void* samples, long long coils, int add,
                 CudaFault*);
  int (*adjoint)(void* plan, void const* samples, void const* maps, void* image, long long coils, int add,
                 CudaFault*);
  int (*bytes)(void* plan, long long coils, long long* bytes, CudaFault*);
  /// The plan is of the matrix 2N and of k_factor 2, but N and 1 along the slowest axis, whose k is given; grid as in
  /// cuda_nufft.hpp.
  int (*spectrum)(void* plan, void const* weights, double const* slowest_k, long long const* grid,
                  double scale, void* spectrum, CudaFault*);
  /// What spectrum takes beside its operands, the plan with it.
  int (*spectrum_bytes)(void* plan, long long const* grid, long long* bytes, CudaFault*);
  /// weights <- weights / (C weights), `iterations` times from 1. Single precision.
  int (*pipe_menon)(void* plan, float* weights, int iterations, CudaFault*);
  /// Scales the weights so that their sum is the sampled area over the voxels (pipe_menon.hpp).
  int (*normalise)(void* plan, double const* const k[3], float* weights, CudaFault*);
};

}  // namespace findrho
