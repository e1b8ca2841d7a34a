// SPDX-License-Identifier: BSD-3-Clause
// The separable rungs as a whole: Mu, tables, products, voxels. Samples come in batches, so that the tables of any
// number of samples fit.
#include <algorithm>

#include "dft/cuda/gpu_machine.hpp"
#include "dft/cuda/separable_device.hpp"
#include "dft/rungs/mu.hpp"

namespace findrho::ladder {
namespace {

constexpr std::int64_t kBatch = std::int64_t{1} << 20;  // samples whose tables are there together

RightKind kind_of(Rung rung) {
  switch (rung) {
    case Rung::separable_tf32:
      return RightKind::tf32;
    case Rung::separable_fp16:
      return RightKind::fp16;
    case Rung::separable_split:
      return RightKind::split;
    default:
      return RightKind::fp32;
  }
}

int tiles(std::int64_t slots, int of) {
  return static_cast<int>((slots + of - 1) / of);
}

/// Parts of the samples: few enough, and such that the last wave of blocks is nearly full.
int best_splits(std::int64_t blocks, int at_once, int most) {
  int best = 1;
  double best_share = 0;
  for (int splits = 1; splits <= std::min(most, 64); ++splits) {
    std::int64_t const all = blocks * splits, waves = (all + at_once - 1) / at_once;
    double const share = static_cast<double>(all) / static_cast<double>(waves * at_once);
    if (share > best_share + 0.05) best = splits, best_share = share;
  }
  return best;
}

DevicePlan device_plan(SeparablePlan const& p) {
  return {p.a.axis, p.b.axis, p.c.axis, p.a.stride, p.b.stride, p.c.stride, p.row};
}

class Gather {
 public:
  Gather(Launch const& l, Arrays<float> const& a, SeparablePlan const& plan)
      : l_(l), a_(a), plan_(plan), kind_(kind_of(l.rung)), largest_(l.session, 1) {
    shape_ = {.chunk = chunk_samples(kind_),
              .chunks = 0,
              .tiles_a = tiles(plan.a.axis.slots(), kTileA),
              .tiles_b = tiles(plan.b.axis.slots(), kTileB),
              .tiles_c = tiles(plan.c.axis.slots(), kTileColumns / 2)};
    int multiprocessors = 0;
    FINDRHO_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, l.session.device));
    std::int64_t const blocks = std::int64_t{shape_.tiles_a} * shape_.tiles_b * shape_.tiles_c;
    bool const fp32 = kind_ == RightKind::fp32;
    splits_ = best_splits(fp32 ? 2 * blocks : blocks, fp32 ? 2 * multiprocessors : multiprocessors,
                          static_cast<int>(std::max<std::int64_t>(1, a.samples / 4096)));
  }

  template <class Sum>
  void run() {
    find_largest(l_.session, a_.mu_re, a_.mu_im, a_.samples, largest_.get());
    Buffer<Sum> sums(l_.session, static_cast<std::size_t>(splits_ * shape_.rows() * shape_.columns()));
    sums.fill(0);
    for (std::int64_t first = 0; first < a_.samples; first += kBatch)
      add(first, std::min(kBatch, a_.samples - first), sums.get());
    DevicePlan const plan = device_plan(plan_);
    float const right_scale = kind_ == RightKind::split ? kRightScale : 1;
    write_voxels(l_.session, plan, shape_, splits_, sums.get(), largest_.get(), right_scale, a_.voxels,
                 a_.out_re, a_.out_im);
  }

 private:
  template <class Sum>
  void add(std::int64_t first, std::int64_t count, Sum* sums) {
    SeparableShape shape = shape_;
    shape.chunks = static_cast<int>((count + shape.chunk - 1) / shape.chunk);
    auto const chunks = static_cast<std::size_t>(shape.chunks);
    auto const left = [&](int tile_count, int slots) {
      return chunks * static_cast<std::size_t>(tile_count * left_floats(slots, shape.chunk));
    };
    Buffer<unsigned char> right(l_.session,
                                chunks * static_cast<std::size_t>(shape.tiles_c * right_bytes(kind_)));
    Buffer<float> a(l_.session, left(shape.tiles_a, kTileA)), b(l_.session, left(shape.tiles_b, kTileB)),
        mu(l_.session, chunks * 2 * static_cast<std::size_t>(shape.chunk));
    float const* const k[3] = {a_.kx + first, a_.ky + first, a_.kz + first};
    auto const factor = [&](Factor const& f, int tile_count) {
      return DeviceFactor{f.axis.step, f.axis.first_offset(), k[f.k], static_cast<int>(f.axis.slots()),
                          tile_count};
    };
    make_tables(l_.session, kind_, shape, factor(plan_.a, shape.tiles_a), factor(plan_.b, shape.tiles_b),
                factor(plan_.c, shape.tiles_c), count, right.get(), a.get(), b.get());
    centre_mu(l_.session,
              {.k = {k[0], k[1], k[2]},
               .re = a_.mu_re + first,
               .im = a_.mu_im + first,
               .centre = {plan_.centre[0], plan_.centre[1], plan_.centre[2]},
               .samples = count},
              largest_.get(), shape, mu.get());
    GatherLaunch const launch{.shape = shape,
                              .tables = {right.get(), a.get(), b.get(), mu.get()},
                              .splits = splits_,
                              .chunks_a_flush = std::max(1, flush_samples() / shape.chunk)};
    if constexpr (sizeof(Sum) == sizeof(double)) {
      if (kind_ == RightKind::fp32) return launch_gather_fp32(l_.session, l_.figures, launch, sums);
    }
    launch_gather_tensor(l_.session, l_.figures, kind_, launch, sums);
  }

  /// Samples between two flushes: what the sums in registers cost in accuracy (docs/math/separable.md).
  int flush_samples() const { return l_.options.chunk; }

  Launch const& l_;
  Arrays<float> const& a_;
  SeparablePlan const& plan_;
  RightKind kind_;
  SeparableShape shape_{};
  int splits_ = 1;
  Buffer<unsigned> largest_;
};

class Forward {
 public:
  Forward(Launch const& l, Arrays<float> const& a, SeparablePlan const& plan)
      : l_(l), a_(a), plan_(plan), kind_(kind_of(l.rung)) {}

  void run() {
    Buffer<unsigned> largest(l_.session, 1);
    find_largest(l_.session, a_.mu_re, a_.mu_im, a_.samples, largest.get());
    ForwardShape shape{.sample_blocks = 0,
                       .tiles_a = tiles(plan_.a.axis.slots(), kForwardA),
                       .tiles_b = tiles(plan_.b.axis.slots(), kTileB),
                       .tiles_c = tiles(plan_.c.axis.slots(), kTileColumns / 2),
                       .splits = 1,
                       .padded = 0};
    std::size_t const row_bytes =
        static_cast<std::size_t>(shape.tiles_c) * shape.row_tiles() * forward_bytes(kind_, kForwardRows);
    Buffer<unsigned char> rows(l_.session, row_bytes);
    DevicePlan const plan = device_plan(plan_);
    fold_voxels(l_.session, kind_, plan, shape, {a_.mu_re, a_.mu_im, a_.samples}, largest.get(), rows.get());
    for (std::int64_t first = 0; first < a_.voxels; first += kBatch)
      add(shape, first, std::min(kBatch, a_.voxels - first), rows.get(), largest.get());
  }

 private:
  void add(ForwardShape shape, std::int64_t first, std::int64_t count, unsigned char const* rows,
           unsigned const* largest) {
    int const samples = forward_samples(kind_);
    int multiprocessors = 0;
    FINDRHO_CHECK(
        cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, l_.session.device));
    shape.sample_blocks = tiles(count, samples);
    shape.padded = shape.sample_blocks * samples;
    shape.splits = best_splits(std::int64_t{shape.sample_blocks} * shape.tiles_c, multiprocessors,
                               std::max(1, shape.row_tiles() / 16));
    auto const padded = static_cast<std::size_t>(shape.padded);
    Buffer<unsigned char> phases(l_.session, static_cast<std::size_t>(shape.sample_blocks) * shape.tiles_c *
                                                 forward_bytes(kind_, samples));
    Buffer<float> a(l_.session, padded * 2 * kForwardA * shape.tiles_a),
        b(l_.session, padded * 2 * kTileB * shape.tiles_b);
    Buffer<double2> partial(l_.session, padded * shape.parts());
    float const* const k[3] = {a_.x + first, a_.y + first, a_.z + first};
    auto const factor = [&](Factor const& f, int tile_count) {
      return DeviceFactor{f.axis.step, f.axis.first_offset(), k[f.k], static_cast<int>(f.axis.slots()),
                          tile_count};
    };
    make_forward_tables(l_.session, kind_, shape, factor(plan_.a, shape.tiles_a),
                        factor(plan_.b, shape.tiles_b), factor(plan_.c, shape.tiles_c), count, phases.get(),
                        a.get(), b.get());
    ForwardTables const tables{phases.get(), rows, a.get(), b.get()};
    if (kind_ == RightKind::fp32) {
      launch_forward_fp32(l_.session, l_.figures, shape, tables, partial.get());
    } else {
      launch_forward_tensor(l_.session, l_.figures, kind_, shape, tables, partial.get());
    }
    finish_forward(l_.session,
                   {.k = {k[0], k[1], k[2]},
                    .centre = {plan_.centre[0], plan_.centre[1], plan_.centre[2]},
                    .samples = count,
                    .right_scale = kind_ == RightKind::split ? kRightScale : 1,
                    .re = a_.out_re + first,
                    .im = a_.out_im + first},
                   shape, largest, partial.get());
  }

  Launch const& l_;
  Arrays<float> const& a_;
  SeparablePlan const& plan_;
  RightKind kind_;
};

}  // namespace

void describe_separable(Session& session, CudaRungFigures& figures, void const* kernel, int threads,
                        std::size_t shared, std::int64_t blocks) {
  cudaFuncAttributes attributes{};
  FINDRHO_CHECK(cudaFuncGetAttributes(&attributes, kernel));
  int at_once = 0, most_threads = 0;
  FINDRHO_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, threads, shared));
  FINDRHO_CHECK(
      cudaDeviceGetAttribute(&most_threads, cudaDevAttrMaxThreadsPerMultiProcessor, session.device));
  figures.registers = attributes.numRegs;
  figures.local_bytes = static_cast<int>(attributes.localSizeBytes);
  figures.shared_bytes = static_cast<int>(attributes.sharedSizeBytes + shared);
  figures.constant_bytes = static_cast<int>(attributes.constSizeBytes);
  figures.blocks_per_multiprocessor = at_once;
  figures.warps_per_multiprocessor = at_once * threads / 32;
  figures.most_warps = most_threads / 32;
  figures.blocks = blocks;
  ++figures.launches;
}

bool launch_separable(Launch const& l, Arrays<float> const& a, SeparablePlan const& plan, GridSide side) {
  if (l.rung != Rung::separable_fp32 && !tensor_supported(l.session.device)) {
    throw ModuleFailure(CudaFault::not_supported,
                        "this rung's instructions are Hopper's; separable_fp32 runs on any device");
  }
  GpuMachine machine(l.session, l.figures);
  l.real_mu ? run_mu<QSum>(machine, a, 256) : run_mu<FhdSum>(machine, a, 256);
  if (side == GridSide::samples) return Forward(l, a, plan).run(), true;
  Gather gather(l, a, plan);
  if (l.rung == Rung::separable_tf32 || l.rung == Rung::separable_fp16) {
    gather.run<float>();
  } else {
    gather.run<double>();
  }
  return true;
}

}  // namespace findrho::ladder
