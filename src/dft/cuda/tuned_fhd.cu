// SPDX-License-Identifier: BSD-3-Clause
// The tuned rung for F^H d and F rho.
#include "dft/cuda/gpu_machine.hpp"
#include "dft/cuda/rung_launch.hpp"
#include "dft/rungs/all.hpp"

namespace findrho::ladder {

bool launch_tuned_fhd(Launch const& l, Arrays<float> const& a) {
  GpuMachine machine(l.session, l.figures);
  return run_tuned<FhdSum>(machine, a, l.options);
}

}  // namespace findrho::ladder
