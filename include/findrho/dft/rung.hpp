// SPDX-License-Identifier: BSD-3-Clause
// The rungs of the ladder: their names, what each is about, what its source declares, and what can be chosen.
// Plain data: the CUDA module reads this header too.
#pragma once
#include <cstdint>

namespace findrho {

enum class Rung : int {
  sequential,              // the loop nest for one core
  pair,                    // a thread per (sample, voxel)
  scatter,                 // a thread per sample, atomic additions
  mu,                      // Mu alone
  scatter_fissioned,       // scatter with Mu from its own kernel
  gather,                  // a thread per voxel
  gather_registers,        // position and sums in registers
  gather_constant,         // trajectory in constant memory
  gather_constant_aos,     // the same as {kx, ky, kz}
  gather_constant_padded,  // as {kx, ky, kz, -}, Mu beside it
  gather_readonly,         // read-only cache instead
  gather_fast_trig,        // hardware sine and cosine
  gather_coarse,           // several voxels a thread
  tuned,                   // everything chosen by search
  gather_vector,           // CPU: vector registers and all threads
  separable_vector,        // CPU, grids: phases by axis, then a matrix product in vector registers
  separable_fp32,          // GPU, grids: the same product on the float units
  separable_tf32,          // GPU, grids: on the tensor cores, TF32
  separable_fp16,          // GPU, grids: on the tensor cores, FP16
  separable_split          // GPU, grids: on the tensor cores, each number as the sum of two FP16
};

/// Where the tuned rung reads samples from.
enum class SampleMemory : int { constant, global, shared };

struct RungOptions {
  int block_size = 256;  // threads of a block; on the CPU voxels (or samples) of a task
  int chunk = 2048;      // samples of a launch, a shared tile, or a pass of the vector rung
  int unroll = 1;        // samples per turn of the loop
  int per_thread = 1;    // voxels a thread owns; vectors in flight for the vector rung
  SampleMemory memory = SampleMemory::constant;
  int parts = 0;  // of the samples (tuned, shared memory), see parts.hpp; 0: as the device asks
  bool operator==(RungOptions const&) const = default;
};

}  // namespace findrho
