// SPDX-License-Identifier: BSD-3-Clause
// gather_fast_trig and gather_coarse.
#include "dft/cuda/gpu_machine.hpp"
#include "dft/cuda/rung_launch.hpp"
#include "dft/rungs/all.hpp"

namespace findrho::ladder {

namespace {
template <class Sum>
bool run(Launch const& l, Arrays<float> const& a) {
  GpuMachine machine(l.session, l.figures);
  if (l.rung == Rung::gather_coarse) return run_coarse<Sum>(machine, a, l.options);
  run_gather_fast_trig<Sum>(machine, a, l.options.block_size, l.options.chunk);
  return true;
}
}  // namespace

bool launch_coarse(Launch const& l, Arrays<float> const& a) {
  return l.real_mu ? run<QSum>(l, a) : run<FhdSum>(l, a);
}

}  // namespace findrho::ladder
