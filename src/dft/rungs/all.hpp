// SPDX-License-Identifier: BSD-3-Clause
// The rungs by number: what the CPU, the tests' threads and the CUDA module call alike.
#pragma once
#include "dft/rungs/gather.hpp"
#include "dft/rungs/gather_coarse.hpp"
#include "dft/rungs/gather_constant.hpp"
#include "dft/rungs/gather_constant_aos.hpp"
#include "dft/rungs/gather_constant_padded.hpp"
#include "dft/rungs/gather_fast_trig.hpp"
#include "dft/rungs/gather_readonly.hpp"
#include "dft/rungs/gather_registers.hpp"
#include "dft/rungs/pair.hpp"
#include "dft/rungs/scatter.hpp"
#include "dft/rungs/scatter_fissioned.hpp"
#include "dft/rungs/sequential.hpp"
#include "dft/rungs/tuned.hpp"
#include "findrho/dft/rung.hpp"

namespace findrho::ladder {

template <class Sum, int R, class Machine>
bool run_tuned_for(Machine& machine, Arrays<float> const& a, RungOptions const& o) {
  auto const with_unroll = [&](auto unroll) {
    constexpr int U = decltype(unroll)::value;
    switch (o.memory) {
      case SampleMemory::constant:
        return run_tuned_constant<R, U, Sum>(machine, a, o.block_size, o.chunk), true;
      case SampleMemory::global:
        return run_tuned_global<R, U, Sum>(machine, a, o.block_size, o.chunk), true;
      case SampleMemory::shared:
        return run_tuned_shared<R, U, Sum>(machine, a, o.block_size, o.chunk, o.parts), true;
    }
    return false;
  };
  switch (o.unroll) {
    case 1:
      return with_unroll(std::integral_constant<int, 1>{});
    case 2:
      return with_unroll(std::integral_constant<int, 2>{});
    case 4:
      return with_unroll(std::integral_constant<int, 4>{});
    case 8:
      return with_unroll(std::integral_constant<int, 8>{});
    default:
      return false;
  }
}

template <class Sum, class Machine>
bool run_tuned(Machine& machine, Arrays<float> const& a, RungOptions const& o) {
  switch (o.per_thread) {
    case 1:
      return run_tuned_for<Sum, 1>(machine, a, o);
    case 2:
      return run_tuned_for<Sum, 2>(machine, a, o);
    case 4:
      return run_tuned_for<Sum, 4>(machine, a, o);
    case 8:
      return run_tuned_for<Sum, 8>(machine, a, o);
    default:
      return false;
  }
}

template <class Sum, class Machine>
bool run_coarse(Machine& machine, Arrays<float> const& a, RungOptions const& o) {
  switch (o.per_thread) {
    case 1:
      return run_gather_coarse<1, Sum>(machine, a, o.block_size, o.chunk), true;
    case 2:
      return run_gather_coarse<2, Sum>(machine, a, o.block_size, o.chunk), true;
    case 4:
      return run_gather_coarse<4, Sum>(machine, a, o.block_size, o.chunk), true;
    case 8:
      return run_gather_coarse<8, Sum>(machine, a, o.block_size, o.chunk), true;
    default:
      return false;
  }
}

/// The rungs of either precision. The output must be zero.
/// Returns false for a rung or option that is not among them.
template <class Sum, class T, class Machine>
bool run_plain(Rung rung, Machine& machine, Arrays<T> const& a, RungOptions const& o) {
  switch (rung) {
    case Rung::sequential:
      return run_sequential<Sum>(machine, a), true;
    case Rung::pair:
      return run_pair<Sum>(machine, a, o.block_size), true;
    case Rung::scatter:
      return run_scatter<Sum>(machine, a, o.block_size), true;
    case Rung::mu:
      return run_mu<Sum>(machine, a, o.block_size), true;
    case Rung::scatter_fissioned:
      return run_scatter_fissioned<Sum>(machine, a, o.block_size), true;
    case Rung::gather:
      return run_gather<Sum>(machine, a, o.block_size), true;
    case Rung::gather_registers:
      return run_gather_registers<Sum>(machine, a, o.block_size), true;
    case Rung::gather_constant:
      return run_gather_constant<Sum>(machine, a, o.block_size, o.chunk), true;
    case Rung::gather_constant_aos:
      return run_gather_constant_aos<Sum>(machine, a, o.block_size, o.chunk), true;
    case Rung::gather_constant_padded:
      return run_gather_constant_padded<Sum>(machine, a, o.block_size, o.chunk), true;
    case Rung::gather_readonly:
      return run_gather_readonly<Sum>(machine, a, o.block_size), true;
    default:
      return false;
  }
}

template <class Sum, class Machine>
bool run_any(Rung rung, Machine& machine, Arrays<float> const& a, RungOptions const& o) {
  switch (rung) {
    case Rung::gather_fast_trig:
      return run_gather_fast_trig<Sum>(machine, a, o.block_size, o.chunk), true;
    case Rung::gather_coarse:
      return run_coarse<Sum>(machine, a, o);
    case Rung::tuned:
      return run_tuned<Sum>(machine, a, o);
    default:
      return run_plain<Sum>(rung, machine, a, o);
  }
}

template <class Sum, class Machine>
bool run_any(Rung rung, Machine& machine, Arrays<double> const& a, RungOptions const& o) {
  return run_plain<Sum>(rung, machine, a, o);
}

}  // namespace findrho::ladder
