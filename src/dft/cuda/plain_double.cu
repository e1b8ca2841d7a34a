// SPDX-License-Identifier: BSD-3-Clause
// The rungs up to gather_readonly in double precision.
#include "dft/cuda/gpu_machine.hpp"
#include "dft/cuda/rung_launch.hpp"
#include "dft/rungs/all.hpp"

namespace findrho::ladder {

bool launch_plain(Launch const& l, Arrays<double> const& a) {
  GpuMachine machine(l.session, l.figures);
  return l.real_mu ? run_plain<QSum>(l.rung, machine, a, l.options)
                   : run_plain<FhdSum>(l.rung, machine, a, l.options);
}

}  // namespace findrho::ladder
