// SPDX-License-Identifier: BSD-3-Clause
// The program's side of the module's topic "ladder".
#include "findrho/dft/cuda_ladder.hpp"

#include "backend/cuda/call.hpp"
#include "dft/cuda/ladder_abi.hpp"
#include "dft/run_separable.hpp"
#include "dft/sum_arrays.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

void set_grid(CudaSumRecord& record, ladder::Grid const& grid, SumKind kind) {
  record.grid_side = static_cast<int>(kind == SumKind::forward ? GridSide::samples : GridSide::voxels);
  int d = 0;
  for (ladder::GridAxis const& axis : {grid.x, grid.y, grid.z}) {
    record.grid_size[d] = axis.size;
    record.grid_origin[d] = axis.origin;
    record.grid_step[d++] = axis.step;
  }
}

}  // namespace

bool has_tensor_rungs(CudaSession const& session) {
  int there = 0;
  call(session, session.table<CudaLadderTable>().tensor_rungs, session.handle(), &there);
  return there != 0;
}

template <class T>
CudaSum<T>::CudaSum(CudaSession const& session, ExactSum<T> const& sum)
    : session_(session),
      samples_(sum.samples()),
      voxels_(sum.voxels()),
      coils_(sum.coils()),
      on_grid_(false) {
  std::int64_t const free = session.memory_use().device_free;
  if (sum.bytes() > free) {
    throw Error(ErrorKind::out_of_memory,
                "the sum takes " + std::to_string(sum.bytes() >> 20) + " MiB on " + session.device().name +
                    ", " + std::to_string(free >> 20) + " MiB are free",
                "take a smaller size or fewer samples");
  }
  CudaSumRecord record{.double_precision = sizeof(T) == sizeof(double) ? 1 : 0,
                       .real_mu = sum.kind == SumKind::q ? 1 : 0,
                       .samples = samples_,
                       .voxels = voxels_,
                       .coils = coils_,
                       .kx = sum.kx.data(),
                       .ky = sum.ky.data(),
                       .kz = sum.kz.data(),
                       .phi_re = sum.phi_re.data(),
                       .phi_im = sum.phi_im.data(),
                       .d_re = sum.d_re.data(),
                       .d_im = sum.d_im.data(),
                       .x = sum.x.data(),
                       .y = sum.y.data(),
                       .z = sum.z.data(),
                       .grid_side = static_cast<int>(GridSide::none),
                       .grid_size = {},
                       .grid_origin = {},
                       .grid_step = {}};
  if (auto const grid = ladder::grid_of(sum)) {
    set_grid(record, *grid, sum.kind);
    on_grid_ = true;
  }
  call(session_, session_.table<CudaLadderTable>().open, session_.handle(), &record, &sum_);
}

template <class T>
CudaSum<T>::~CudaSum() {
  if (sum_ != nullptr) session_.table<CudaLadderTable>().close(sum_);
}

template <class T>
CudaRungRun CudaSum<T>::run(Rung rung, RungOptions const& options, SumSlice slice, int repeats) {
  if (facts(rung).needs_grid && !on_grid_) ladder::refuse_without_grid(rung);
  RungOptions const o = fitting_options(rung, options, sizeof(T));
  CudaRungRecord const record{.rung = static_cast<int>(rung),
                              .block_size = o.block_size,
                              .chunk = o.chunk,
                              .unroll = o.unroll,
                              .per_thread = o.per_thread,
                              .memory = static_cast<int>(o.memory),
                              .parts = o.parts,
                              .samples = ladder::part_of(slice.samples, samples_),
                              .voxels = ladder::part_of(slice.voxels, voxels_),
                              .repeats = repeats};
  CudaRungFigures f{};
  call(session_, session_.table<CudaLadderTable>().run, sum_, &record, &f);
  return {f.seconds,
          {.registers = f.registers,
           .local_bytes = f.local_bytes,
           .shared_bytes = f.shared_bytes,
           .blocks_per_multiprocessor = f.blocks_per_multiprocessor,
           .warps_per_multiprocessor = f.warps_per_multiprocessor,
           .most_warps = f.most_warps,
           .blocks = f.blocks,
           .launches = f.launches}};
}

template <class T>
SumResult<T> CudaSum<T>::result(SumSlice slice) const {
  auto const voxels = static_cast<std::size_t>(ladder::part_of(slice.voxels, voxels_));
  std::size_t const count = voxels * static_cast<std::size_t>(coils_);
  SumResult<T> result{.re = std::vector<T>(count), .im = std::vector<T>(count)};
  call(session_, session_.table<CudaLadderTable>().download, sum_, static_cast<void*>(result.re.data()),
       static_cast<void*>(result.im.data()), static_cast<long long>(voxels));
  return result;
}

template class CudaSum<float>;
template class CudaSum<double>;

}  // namespace findrho
