// SPDX-License-Identifier: BSD-3-Clause
// The topic "ladder": exact sums in device memory, and the rungs on them.
#include <algorithm>
#include <vector>

#include "dft/cuda/rung_launch.hpp"
#include "dft/rungs/pack.hpp"
#include "dft/rungs/parts.hpp"

namespace findrho::ladder {
namespace {

class DeviceSum {
 public:
  virtual ~DeviceSum() = default;
  virtual void run(CudaRungRecord const& record, CudaRungFigures& figures) = 0;
  virtual void download(void* re, void* im, long long voxels) = 0;
};

struct GridPlan {
  GridSide side = GridSide::none;
  SeparablePlan plan;
};

GridPlan plan_of(CudaSumRecord const& r) {
  auto const axis = [&](int d) { return GridAxis{r.grid_size[d], r.grid_origin[d], r.grid_step[d]}; };
  auto const side = static_cast<GridSide>(r.grid_side);
  if (side == GridSide::none) return {};
  return {side, plan_for({axis(0), axis(1), axis(2)})};
}

bool launch_one(Launch const& l, Arrays<float> const& a) {
  if (l.rung == Rung::tuned) return l.real_mu ? launch_tuned_q(l, a) : launch_tuned_fhd(l, a);
  if (l.rung == Rung::gather_fast_trig || l.rung == Rung::gather_coarse) return launch_coarse(l, a);
  return launch_plain(l, a);
}
bool launch_one(Launch const& l, Arrays<double> const& a) {
  return launch_plain(l, a);
}
/// The general rungs take one coil after the other.
template <class T>
bool launch_each(Launch const& l, Arrays<T> a, CoilRows const& rows) {
  for (std::int64_t coil = 0; coil < rows.coils; ++coil) {
    if (!launch_one(l, a)) return false;
    a.d_re += rows.samples, a.d_im += rows.samples;
    a.out_re += rows.voxels, a.out_im += rows.voxels;
  }
  return true;
}

bool launch(Launch const& l, Arrays<float> const& a, CoilRows const& rows, GridPlan const& grid) {
  if (l.rung < Rung::separable_fp32) return launch_each(l, a, rows);
  return grid.side != GridSide::none && launch_separable(l, a, rows, grid.plan, grid.side);
}
bool launch(Launch const& l, Arrays<double> const& a, CoilRows const& rows, GridPlan const&) {
  return launch_each(l, a, rows);
}

template <class T>
class DeviceSumOf final : public DeviceSum {
 public:
  DeviceSumOf(Session& session, CudaSumRecord const& r)
      : session_(session),
        real_mu_(r.real_mu != 0),
        rows_{r.coils, r.samples, r.voxels},
        grid_(plan_of(r)),
        samples_(session, static_cast<std::size_t>(r.samples * (5 + 4 * r.coils + kPackedK + kPackedMu))),
        voxels_(session, static_cast<std::size_t>(r.voxels * (3 + 2 * r.coils))),
        outputs_(session, static_cast<std::size_t>(r.voxels * 2 * spare_outputs(r.voxels) + 1)) {
    auto const m = static_cast<std::size_t>(r.samples), n = static_cast<std::size_t>(r.voxels),
               coils = static_cast<std::size_t>(r.coils);
    a_.samples = r.samples;
    a_.voxels = r.voxels;
    // The packed rows first: they want the allocation's alignment.
    T* at = samples_.get();
    a_.packed_k = at;
    a_.packed = at += kPackedK * m;
    at += kPackedMu * m;
    auto const upload = [&](T const*& to, void const* from, std::size_t count) {
      FINDRHO_CHECK(cudaMemcpyAsync(at, from, count * sizeof(T), cudaMemcpyHostToDevice, session_.stream));
      to = at;
      at += count;
    };
    upload(a_.kx, r.kx, m);
    upload(a_.ky, r.ky, m);
    upload(a_.kz, r.kz, m);
    upload(a_.phi_re, r.phi_re, m);
    upload(a_.phi_im, r.phi_im, m);
    upload(a_.d_re, r.d_re, coils * m);
    upload(a_.d_im, r.d_im, coils * m);
    a_.mu_re = at;
    a_.mu_im = at + coils * m;
    at = voxels_.get();
    upload(a_.x, r.x, n);
    upload(a_.y, r.y, n);
    upload(a_.z, r.z, n);
    a_.out_re = at;
    a_.out_im = at + coils * n;
    a_.most_parts = spare_outputs(r.voxels);
    a_.parts_re = outputs_.get();
    a_.parts_im = a_.parts_re + static_cast<std::size_t>(a_.most_parts) * n;
    session_.stream.synchronize();
  }

  void run(CudaRungRecord const& r, CudaRungFigures& figures) override {
    Arrays<T> a = a_;
    a.samples = std::min<std::int64_t>(r.samples, a.samples);
    a.voxels = std::min<std::int64_t>(r.voxels, a.voxels);
    Launch const l{
        session_,
        static_cast<Rung>(r.rung),
        {r.block_size, r.chunk, r.unroll, r.per_thread, static_cast<SampleMemory>(r.memory), r.parts},
        real_mu_,
        figures};
    std::vector<double> seconds;
    Event before, after;
    for (int i = 0; i < std::max(1, r.repeats); ++i) {
      clear(a);
      before.record(session_.stream);
      if (!launch(l, a, rows_, grid_))
        throw ModuleFailure(CudaFault::not_supported, "the module has no such rung or option");
      after.record(session_.stream);
      seconds.push_back(after.seconds_since(before));
    }
    std::nth_element(seconds.begin(), seconds.begin() + seconds.size() / 2, seconds.end());
    figures.seconds = seconds[seconds.size() / 2];
  }

  void download(void* re, void* im, long long voxels) override {
    auto const width = static_cast<std::size_t>(std::min<std::int64_t>(voxels, a_.voxels)) * sizeof(T);
    auto const pitch = static_cast<std::size_t>(a_.voxels) * sizeof(T);
    auto const fetch = [&](void* to, T const* from) {
      FINDRHO_CHECK(cudaMemcpy2DAsync(to, width, from, pitch, width, static_cast<std::size_t>(rows_.coils),
                                      cudaMemcpyDeviceToHost, session_.stream));
    };
    fetch(re, a_.out_re);
    fetch(im, a_.out_im);
    session_.stream.synchronize();
  }

 private:
  /// All of it, so that what a slice leaves out reads as zero.
  void clear(Arrays<T> const& a) {
    auto const bytes = static_cast<std::size_t>(rows_.coils * a_.voxels) * 2 * sizeof(T);
    FINDRHO_CHECK(cudaMemsetAsync(a.out_re, 0, bytes, session_.stream));
  }

  Session& session_;
  bool real_mu_;
  CoilRows rows_;
  GridPlan grid_;
  Buffer<T> samples_, voxels_, outputs_;
  Arrays<T> a_;
};

int open(void* session, CudaSumRecord const* record, void** sum, CudaFault* fault) {
  return guarded(fault, [&] {
    Session& s = *static_cast<Session*>(session);
    *sum = record->double_precision != 0 ? static_cast<DeviceSum*>(new DeviceSumOf<double>(s, *record))
                                         : static_cast<DeviceSum*>(new DeviceSumOf<float>(s, *record));
  });
}
void close(void* sum) {
  delete static_cast<DeviceSum*>(sum);
}
int run(void* sum, CudaRungRecord const* record, CudaRungFigures* figures, CudaFault* fault) {
  return guarded(fault, [&] { static_cast<DeviceSum*>(sum)->run(*record, *figures); });
}
int download(void* sum, void* re, void* im, long long voxels, CudaFault* fault) {
  return guarded(fault, [&] { static_cast<DeviceSum*>(sum)->download(re, im, voxels); });
}
int tensor_rungs(void* session, int* there, CudaFault* fault) {
  return guarded(
      fault, [&] { *there = separable_tensor_supported(static_cast<Session*>(session)->device) ? 1 : 0; });
}
constexpr CudaLadderTable kTable{open, close, run, download, tensor_rungs};

}  // namespace
}  // namespace findrho::ladder

FINDRHO_EXPORT void const* findrho_cuda_topic_ladder(int version) {
  return version == findrho::CudaLadderTable::kVersion ? &findrho::ladder::kTable : nullptr;
}
