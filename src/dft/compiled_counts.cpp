// SPDX-License-Identifier: BSD-3-Clause
// Written by bench/loop_counts.py from the machine code of nvcc 13.0 for sm_90a.
#include "findrho/dft/measure.hpp"

namespace findrho {

std::optional<CompiledCount> compiled_count(Rung rung) {
  switch (rung) {
    case Rung::pair:
      return CompiledCount{14, 1, 26, 1, 208};
    case Rung::scatter:
      return CompiledCount{14, 0, 22, 0, 167};
    case Rung::scatter_fissioned:
      return CompiledCount{14, 0, 22, 0, 171};
    case Rung::gather:
      return CompiledCount{14, 0, 24, 0, 180};
    case Rung::gather_registers:
      return CompiledCount{5, 0, 24, 0, 120};
    case Rung::gather_constant:
      return CompiledCount{2, 4, 24, 0, 119};
    case Rung::gather_constant_aos:
      return CompiledCount{2, 3, 24, 0, 115};
    case Rung::gather_constant_padded:
      return CompiledCount{0, 4, 24, 0, 102};
    case Rung::gather_readonly:
      return CompiledCount{5, 0, 24, 0, 120};
    case Rung::gather_fast_trig:
      return CompiledCount{0, 3, 12, 2, 18.5};
    case Rung::gather_coarse:
      return CompiledCount{0, 0.75, 12, 2, 15.38};
    case Rung::tuned:
      return CompiledCount{0, 0.5, 8, 2, 11.38};
    default:
      return {};
  }
}

}  // namespace findrho
