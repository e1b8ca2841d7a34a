// SPDX-License-Identifier: BSD-3-Clause
// The module's table "ladder": an exact sum kept on the device, and rungs run on it.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

/// Which of a sum's positions form a regular grid.
enum class GridSide : int { none, voxels, samples };

/// Host pointers, copied by open. Elements are float or double.
struct CudaSumRecord {
  int double_precision;
  int real_mu;  // Q
  long long samples, voxels, coils;
  void const *kx, *ky, *kz, *phi_re, *phi_im;
  void const *d_re, *d_im;  // (coil, sample)
  void const *x, *y, *z;
  int grid_side;           // a GridSide
  long long grid_size[3];  // along x, y, z
  double grid_origin[3], grid_step[3];
};

struct CudaRungRecord {
  int rung, block_size, chunk, unroll, per_thread, memory, parts;  // as Rung and RungOptions
  long long samples, voxels;                                       // the slice
  int repeats;                                                     // the median of so many runs is told
};

/// Of the launch that does the sums, the last one of a run.
struct CudaRungFigures {
  double seconds;  // one run, Mu and packing included
  int registers, local_bytes, shared_bytes, constant_bytes;
  int blocks_per_multiprocessor, warps_per_multiprocessor, most_warps;
  long long blocks;  // of one launch
  long long launches;
};

struct CudaLadderTable {
  static constexpr char const* kTopic = "ladder";
  static constexpr int kVersion = 4;
  int (*open)(void* session, CudaSumRecord const*, void** sum, CudaFault*);
  void (*close)(void* sum);
  int (*run)(void* sum, CudaRungRecord const*, CudaRungFigures*, CudaFault*);
  /// The result of the last run, (coil, voxel), the first `voxels` of every coil.
  int (*download)(void* sum, void* re, void* im, long long voxels, CudaFault*);
  /// Whether this device and this build have the rungs on tensor cores.
  int (*tensor_rungs)(void* session, int* there, CudaFault*);
};

}  // namespace findrho
