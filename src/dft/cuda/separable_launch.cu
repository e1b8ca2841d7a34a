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
// What a block costs beside its share of the sum (its pipeline, its results), as so much more of the sum.
constexpr int kBlockInSamples = 512, kBlockInRowTiles = 2;

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

/// Parts of the work (up to 64) whose rounds of blocks end soonest, where a block costs `fixed` beside its share of the
/// work; fewer parts where more would gain less than a twentieth.
int best_splits(std::int64_t blocks, int at_once, int work, int fixed) {
  auto const time = [&](int splits) {
    std::int64_t const rounds = (blocks * splits + at_once - 1) / at_once;
    return static_cast<double>(rounds * ((work + splits - 1) / splits + fixed));
  };
  int best = 1;
  for (int splits = 2; splits <= 64; ++splits)
    if (time(splits) < 0.95 * time(best)) best = splits;
  return best;
}

DevicePlan device_plan(SeparablePlan const& p) {
  return {p.a.axis, p.b.axis, p.c.axis, p.a.stride, p.b.stride, p.c.stride, p.row};
}

/// Coils whose sums share a launch: as many as keep them below 2 GiB. Their tables are made once for all of them.
std::int64_t coils_at_once(std::int64_t coils, std::int64_t bytes_a_coil) {
  return std::clamp((std::int64_t{1} << 31) / std::max<std::int64_t>(1, bytes_a_coil), std::int64_t{1},
                    coils);
}

/// The coils of a launch: the first one's arrays, and how many.
struct CoilGroup {
  Arrays<float> a;
  CoilRows rows;
  float const* mu_re(std::int64_t coil) const { return a.mu_re + coil * rows.samples; }
  float const* mu_im(std::int64_t coil) const { return a.mu_im + coil * rows.samples; }
  float* out_re(std::int64_t coil) const { return a.out_re + coil * rows.voxels; }
  float* out_im(std::int64_t coil) const { return a.out_im + coil * rows.voxels; }
};

class Gather {
 public:
  Gather(Launch const& l, CoilGroup const& group, SeparablePlan const& plan)
      : l_(l),
        group_(group),
        plan_(plan),
        kind_(kind_of(l.rung)),
        shape_(shape_of(l, plan, static_cast<int>(group.rows.coils))),
        largest_(l.session, static_cast<std::size_t>(group.rows.coils)) {
    std::int64_t const blocks = std::int64_t{shape_.coils} * shape_.row_tiles() * shape_.tiles_c;
    bool const fp32 = kind_ == RightKind::fp32;
    int const multiprocessors = l.session.attribute(cudaDevAttrMultiProcessorCount);
    int const chunks = tiles(std::min(kBatch, group.a.samples), shape_.chunk);
    splits_ = best_splits(fp32 ? 2 * blocks : blocks, fp32 ? 2 * multiprocessors : multiprocessors, chunks,
                          kBlockInSamples / shape_.chunk);
  }

  /// Of one part of the samples, in double.
  static std::int64_t sum_bytes(Launch const& l, SeparablePlan const& plan) {
    SeparableShape const one = shape_of(l, plan, 1);
    return one.rows() * one.columns() * std::int64_t{sizeof(double)};
  }

  template <class Sum>
  void run() {
    Arrays<float> const& a = group_.a;
    for (int coil = 0; coil < shape_.coils; ++coil)
      find_largest(l_.session, group_.mu_re(coil), group_.mu_im(coil), a.samples, largest_.get() + coil);
    Buffer<Sum> sums(l_.session, static_cast<std::size_t>(splits_ * shape_.rows() * shape_.columns()));
    sums.fill(0);
    for (std::int64_t first = 0; first < a.samples; first += kBatch)
      add(first, std::min(kBatch, a.samples - first), sums.get());
    DevicePlan const plan = device_plan(plan_);
    float const right_scale = kind_ == RightKind::split ? kRightScale : 1;
    for (int coil = 0; coil < shape_.coils; ++coil) {
      write_voxels(l_.session, plan, shape_, splits_,
                   sums.get() + coil * shape_.coil_rows() * shape_.columns(), largest_.get() + coil,
                   right_scale, a.voxels, group_.out_re(coil), group_.out_im(coil));
    }
  }

 private:
  static SeparableShape shape_of(Launch const& l, SeparablePlan const& plan, int coils) {
    return {.chunk = chunk_samples(kind_of(l.rung)),
            .chunks = 0,
            .tiles_a = tiles(plan.a.axis.slots(), kTileA),
            .tiles_b = tiles(plan.b.axis.slots(), kTileB),
            .tiles_c = tiles(plan.c.axis.slots(), kTileColumns / 2),
            .coils = coils};
  }

  template <class Sum>
  void add(std::int64_t first, std::int64_t count, Sum* sums) {
    SeparableShape shape = shape_;
    shape.chunks = static_cast<int>((count + shape.chunk - 1) / shape.chunk);
    auto const chunks = static_cast<std::size_t>(shape.chunks);
    auto const left = [&](int tile_count, int slots) {
      return chunks * static_cast<std::size_t>(tile_count * left_floats(slots, shape.chunk));
    };
    std::size_t const mu_floats = chunks * 2 * static_cast<std::size_t>(shape.chunk);
    Buffer<unsigned char> right(l_.session,
                                chunks * static_cast<std::size_t>(shape.tiles_c * right_bytes(kind_)));
    Buffer<float> a(l_.session, left(shape.tiles_a, kTileA)), b(l_.session, left(shape.tiles_b, kTileB)),
        mu(l_.session, static_cast<std::size_t>(shape.coils) * mu_floats);
    float const* const k[3] = {group_.a.kx + first, group_.a.ky + first, group_.a.kz + first};
    auto const factor = [&](Factor const& f, int tile_count) {
      return DeviceFactor{f.axis.step, f.axis.first_offset(), k[f.k], static_cast<int>(f.axis.slots()),
                          tile_count};
    };
    make_tables(l_.session, kind_, shape, factor(plan_.a, shape.tiles_a), factor(plan_.b, shape.tiles_b),
                factor(plan_.c, shape.tiles_c), count, right.get(), a.get(), b.get());
    for (int coil = 0; coil < shape.coils; ++coil) {
      centre_mu(l_.session,
                {.k = {k[0], k[1], k[2]},
                 .re = group_.mu_re(coil) + first,
                 .im = group_.mu_im(coil) + first,
                 .centre = {plan_.centre[0], plan_.centre[1], plan_.centre[2]},
                 .samples = count},
                largest_.get() + coil, shape, mu.get() + static_cast<std::size_t>(coil) * mu_floats);
    }
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
  CoilGroup const& group_;
  SeparablePlan const& plan_;
  RightKind kind_;
  SeparableShape shape_;
  int splits_ = 1;
  Buffer<unsigned> largest_;
};

class Forward {
 public:
  Forward(Launch const& l, CoilGroup const& group, SeparablePlan const& plan)
      : l_(l),
        group_(group),
        plan_(plan),
        kind_(kind_of(l.rung)),
        shape_(shape_of(plan, static_cast<int>(group.rows.coils))) {}

  /// Of the folded image.
  static std::int64_t row_bytes(Launch const& l, SeparablePlan const& plan) {
    return static_cast<std::int64_t>(shape_of(plan, 1).row_bytes(kind_of(l.rung)));
  }

  void run() {
    Arrays<float> const& a = group_.a;
    Buffer<unsigned> largest(l_.session, static_cast<std::size_t>(shape_.coils));
    std::size_t const of_coil = shape_.row_bytes(kind_);
    Buffer<unsigned char> rows(l_.session, static_cast<std::size_t>(shape_.coils) * of_coil);
    DevicePlan const plan = device_plan(plan_);
    for (int coil = 0; coil < shape_.coils; ++coil) {
      GridValues const values{group_.mu_re(coil), group_.mu_im(coil), a.samples};
      find_largest(l_.session, values.re, values.im, a.samples, largest.get() + coil);
      fold_voxels(l_.session, kind_, plan, shape_, values, largest.get() + coil,
                  rows.get() + static_cast<std::size_t>(coil) * of_coil);
    }
    for (std::int64_t first = 0; first < a.voxels; first += kBatch)
      add(first, std::min(kBatch, a.voxels - first), rows.get(), largest.get());
  }

 private:
  static ForwardShape shape_of(SeparablePlan const& plan, int coils) {
    return {.sample_blocks = 0,
            .tiles_a = tiles(plan.a.axis.slots(), kForwardA),
            .tiles_b = tiles(plan.b.axis.slots(), kTileB),
            .tiles_c = tiles(plan.c.axis.slots(), kTileColumns / 2),
            .coils = coils,
            .splits = 1,
            .padded = 0};
  }

  void add(std::int64_t first, std::int64_t count, unsigned char const* rows, unsigned const* largest) {
    ForwardShape shape = shape_;
    int const samples = forward_samples(kind_);
    shape.sample_blocks = tiles(count, samples);
    shape.padded = shape.sample_blocks * samples;
    shape.splits = best_splits(std::int64_t{shape.coils} * shape.sample_blocks * shape.tiles_c,
                               l_.session.attribute(cudaDevAttrMultiProcessorCount), shape.row_tiles(),
                               kBlockInRowTiles);
    auto const padded = static_cast<std::size_t>(shape.padded);
    std::size_t const partial_of_coil = padded * static_cast<std::size_t>(shape.parts());
    Buffer<unsigned char> phases(l_.session, static_cast<std::size_t>(shape.sample_blocks) * shape.tiles_c *
                                                 forward_bytes(kind_, samples));
    Buffer<float> a(l_.session, padded * 2 * kForwardA * shape.tiles_a),
        b(l_.session, padded * 2 * kTileB * shape.tiles_b);
    Buffer<double2> partial(l_.session, static_cast<std::size_t>(shape.coils) * partial_of_coil);
    float const* const k[3] = {group_.a.x + first, group_.a.y + first, group_.a.z + first};
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
    for (int coil = 0; coil < shape.coils; ++coil) {
      finish_forward(l_.session,
                     {.k = {k[0], k[1], k[2]},
                      .centre = {plan_.centre[0], plan_.centre[1], plan_.centre[2]},
                      .samples = count,
                      .right_scale = kind_ == RightKind::split ? kRightScale : 1,
                      .re = group_.out_re(coil) + first,
                      .im = group_.out_im(coil) + first},
                     shape, largest + coil, partial.get() + static_cast<std::size_t>(coil) * partial_of_coil);
    }
  }

  Launch const& l_;
  CoilGroup const& group_;
  SeparablePlan const& plan_;
  RightKind kind_;
  ForwardShape shape_;
};

void run_group(Launch const& l, CoilGroup const& group, SeparablePlan const& plan, GridSide side) {
  if (side == GridSide::samples) return Forward(l, group, plan).run();
  Gather gather(l, group, plan);
  if (l.rung == Rung::separable_tf32 || l.rung == Rung::separable_fp16) {
    gather.run<float>();
  } else {
    gather.run<double>();
  }
}

/// Mu of every coil, each in its own place.
void make_mu(Launch const& l, Arrays<float> a, CoilRows const& rows) {
  GpuMachine machine(l.session, l.figures);
  for (std::int64_t coil = 0; coil < rows.coils; ++coil) {
    l.real_mu ? run_mu<QSum>(machine, a, 256) : run_mu<FhdSum>(machine, a, 256);
    a.d_re += rows.samples, a.d_im += rows.samples;
    a.mu_re += rows.samples, a.mu_im += rows.samples;
  }
}

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

bool launch_separable(Launch const& l, Arrays<float> const& a, CoilRows const& rows,
                      SeparablePlan const& plan, GridSide side) {
  if (l.rung != Rung::separable_fp32 && !separable_tensor_supported(l.session.device)) {
    throw ModuleFailure(CudaFault::not_supported,
                        "this rung's instructions are Hopper's; separable_fp32 runs on any device");
  }
  make_mu(l, a, rows);
  std::int64_t const bytes =
      side == GridSide::samples ? Forward::row_bytes(l, plan) : Gather::sum_bytes(l, plan);
  std::int64_t const together = coils_at_once(rows.coils, bytes);
  for (std::int64_t first = 0; first < rows.coils; first += together) {
    CoilGroup group{a, rows};
    group.rows.coils = std::min(together, rows.coils - first);
    group.a.mu_re += first * rows.samples, group.a.mu_im += first * rows.samples;
    group.a.out_re += first * rows.voxels, group.a.out_im += first * rows.voxels;
    run_group(l, group, plan, side);
  }
  return true;
}

}  // namespace findrho::ladder
