// SPDX-License-Identifier: BSD-3-Clause
// The GPU experiments of the lab, one file each. The order is that of a lesson.
#pragma once
#include "lab/gpu.hpp"

namespace findrho {

void gpu_access(Gpu const& gpu);
void gpu_layout(Gpu const& gpu);
void gpu_transpose(Gpu const& gpu);
void gpu_banks(Gpu const& gpu);
void gpu_matmul(Gpu const& gpu);
void gpu_filter(Gpu const& gpu);
void gpu_constant(Gpu const& gpu);
void gpu_texture(Gpu const& gpu);
void gpu_latency(Gpu const& gpu);
void gpu_cache_sweep(Gpu const& gpu);
void gpu_reuse(Gpu const& gpu);
void gpu_carveout(Gpu const& gpu);
void gpu_unified(Gpu const& gpu);
void gpu_histogram(Gpu const& gpu);
void gpu_persistent(Gpu const& gpu);
void gpu_registers(Gpu const& gpu);
void gpu_arithmetic(Gpu const& gpu);
void gpu_roofline(Gpu const& gpu);

// Ceilings that the roofline shares with their experiments, per second: verified, then timed.
double measure_l2_rate(Gpu const& gpu);
double measure_shared_rate(Gpu const& gpu);
struct ArithmeticCeilings {
  double fp32_flops = 0, sfu_operations = 0, tf32_flops = 0, fp16_flops = 0;
};
ArithmeticCeilings measure_arithmetic(Gpu const& gpu);

}  // namespace findrho
