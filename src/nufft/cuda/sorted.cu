// SPDX-License-Identifier: BSD-3-Clause
// Samples are sorted by bin with a stable radix sort, so that their order, and with it every sum, is always the same.
#include "nufft/cuda/sorted.hpp"

#include <algorithm>
#include <bit>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <limits>
#include <string>

#include "nufft/place.hpp"

namespace findrho::nufft {
namespace {

constexpr int kLanes = 256, kScanLanes = 512, kTilesOfLane = 4;
constexpr unsigned kNone = std::numeric_limits<unsigned>::max();

struct Points {
  TileGrid tiles;
  int count;
  double const* k[3];
  double factor[3];
  long long matrix[3];

  __device__ Place at(int axis, int s) const {
    Place p = place(k[axis][s] * factor[axis], tiles.grid[axis], matrix[axis], tiles.width);
    long long const g = tiles.grid[axis];
    while (p.cell < 0) p.cell += g;
    return p;
  }
};

int blocks_for(std::int64_t n) {
  return static_cast<int>((n + kLanes - 1) / kLanes);
}

__global__ void __launch_bounds__(kLanes)
    find_bins(Points const points, unsigned* bin, unsigned* sample, unsigned* bad) {
  int const s = blockIdx.x * kLanes + threadIdx.x;
  if (s >= points.count) return;
  int at[3] = {0, 0, 0};
  bool finite = true;
  for (int d = 0; d < points.tiles.dims; ++d) {
    double const k = points.k[d][s];
    finite = finite && isfinite(k);
    if (finite) at[d] = static_cast<int>(points.at(d, s).cell) / points.tiles.tile[d];
  }
  if (!finite) atomicMin(bad, static_cast<unsigned>(s));
  bin[s] = static_cast<unsigned>(points.tiles.index(at[0], at[1], at[2]));
  sample[s] = static_cast<unsigned>(s);
}

/// bin_first[b]: how many samples lie in bins before b. Written by the samples next to which a bin begins.
__device__ void note_first(unsigned const* bin, int i, int count, int bins, unsigned* bin_first) {
  unsigned const next = i == 0 ? 0 : bin[i - 1] + 1, mine = bin[i];
  for (unsigned b = next; b <= mine; ++b) bin_first[b] = static_cast<unsigned>(i);
  if (i < count - 1) return;
  for (unsigned b = mine + 1; b <= static_cast<unsigned>(bins); ++b)
    bin_first[b] = static_cast<unsigned>(count);
}

template <class T>
__global__ void __launch_bounds__(kLanes)
    place_sorted(Points const points, unsigned const* bin, unsigned const* sample, Cell* cell, T* fraction,
                 unsigned* bin_first) {
  int const i = blockIdx.x * kLanes + threadIdx.x;
  if (i >= points.count) return;
  note_first(bin, i, points.count, points.tiles.count(), bin_first);
  int const s = static_cast<int>(sample[i]);
  unsigned short first[3] = {0, 0, 0};
  for (int d = 0; d < points.tiles.dims; ++d) {
    if (!isfinite(points.k[d][s])) return;
    Place const p = points.at(d, s);
    first[d] = static_cast<unsigned short>(p.cell);
    fraction[static_cast<std::int64_t>(d) * points.count + i] = static_cast<T>(p.fraction);
  }
  cell[i] = {first[0], first[1], first[2], 0};
}

__global__ void __launch_bounds__(kLanes)
    count_candidates(TileGrid const tiles, unsigned const* bin_first, unsigned* candidates) {
  int const t = blockIdx.x * kLanes + threadIdx.x;
  if (t >= tiles.count()) return;
  TileRanges const ranges(tiles, t);
  unsigned sum = 0;
  for (int i = 0; i < ranges.count(); ++i) {
    BinRange const r = ranges(tiles, i);
    sum += bin_first[r.last] - bin_first[r.first];
  }
  candidates[t] = sum;
}

struct Sums {
  int parts, slots, splits, pieces, readings, filled;
};
struct AddSums {
  __device__ Sums operator()(Sums const& a, Sums const& b) const {
    return {a.parts + b.parts,   a.slots + b.slots,       a.splits + b.splits,
            a.pieces + b.pieces, a.readings + b.readings, a.filled + b.filled};
  }
};

/// How tiles and bins are cut: candidates of a part and samples of a piece, at most.
struct Cut {
  unsigned candidates, samples;
  __device__ Sums operator()(unsigned tile_candidates, unsigned bin_samples) const {
    int const n =
        tile_candidates <= candidates ? 1 : static_cast<int>((tile_candidates + candidates - 1) / candidates);
    return {n,
            n > 1 ? n : 0,
            n > 1 ? 1 : 0,
            static_cast<int>((bin_samples + samples - 1) / samples),
            static_cast<int>((bin_samples + kLongestReading - 1) / kLongestReading),
            bin_samples > 0 ? 1 : 0};
  }
};

/// One block: running sums over all tiles, whose numbers are those of the bins.
__global__ void __launch_bounds__(kScanLanes)
    scan_parts(unsigned const* candidates, unsigned const* bin_first, int tiles, Cut const cut, Sums* before,
               unsigned* piece_first, PartTotals* totals) {
  using Scan = cub::BlockScan<Sums, kScanLanes>;
  __shared__ typename Scan::TempStorage scratch;
  Sums const none{0, 0, 0, 0, 0, 0};
  Sums so_far = none;
  for (int base = 0; base < tiles; base += kScanLanes * kTilesOfLane) {
    int const first = base + static_cast<int>(threadIdx.x) * kTilesOfLane;
    Sums mine[kTilesOfLane], before_mine, all;
#pragma unroll
    for (int i = 0; i < kTilesOfLane; ++i) {
      int const t = first + i;
      mine[i] = t < tiles ? cut(candidates[t], bin_first[t + 1] - bin_first[t]) : none;
      before_mine = i == 0 ? mine[0] : AddSums{}(before_mine, mine[i]);
    }
    Scan(scratch).ExclusiveScan(before_mine, before_mine, none, AddSums{}, all);
    before_mine = AddSums{}(so_far, before_mine);
#pragma unroll
    for (int i = 0; i < kTilesOfLane; ++i) {
      if (int const t = first + i; t < tiles) {
        before[t] = before_mine;
        piece_first[t] = static_cast<unsigned>(before_mine.pieces);
      }
      before_mine = AddSums{}(before_mine, mine[i]);
    }
    so_far = AddSums{}(so_far, all);
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    piece_first[tiles] = static_cast<unsigned>(so_far.pieces);
    totals->parts = so_far.parts;
    totals->slots = so_far.slots;
    totals->splits = so_far.splits;
    totals->pieces = so_far.pieces;
    totals->readings = so_far.readings;
    totals->filled_bins = so_far.filled;
  }
}

/// Equal shares of a bin's samples.
__device__ void cut_bin(int bin, unsigned begin, unsigned samples, int pieces, Piece* to) {
  for (int i = 0; i < pieces; ++i) {
    unsigned const share = (samples + pieces - 1) / pieces;
    unsigned const first = min(samples, i * share), last = min(samples, first + share);
    to[i] = {bin, begin + first, begin + last};
  }
}

__global__ void __launch_bounds__(kLanes)
    write_parts(unsigned const* candidates, unsigned const* bin_first, int tiles, Cut const cut,
                Sums const* before, Part* parts, SplitTile* split, Piece* pieces, Piece* readings) {
  int const t = blockIdx.x * kLanes + threadIdx.x;
  if (t >= tiles) return;
  unsigned const n = candidates[t], begin = bin_first[t], samples = bin_first[t + 1] - begin;
  Sums const mine = cut(n, samples), at = before[t];
  if (mine.splits > 0) split[at.splits] = {t, at.slots, mine.slots};
  // Equal shares: a last one of a few samples would cost a block for little.
  unsigned const share = (n + mine.parts - 1) / mine.parts;
  for (int i = 0; i < mine.parts; ++i) {
    unsigned const first = min(n, i * share), last = min(n, first + share);
    parts[at.parts + i] = {t, first, last, mine.splits > 0 ? at.slots + i : -1};
  }
  cut_bin(t, begin, samples, mine.pieces, pieces + at.pieces);
  cut_bin(t, begin, samples, mine.readings, readings + at.readings);
}

/// Candidates of a part: enough parts to fill the device several times over, but not so few samples that a tile's
/// 512 cells outweigh them. A piece is one warp's work: long enough that few slots are to be joined, short enough to fill the device.
Cut choose_cut(Session const& session, TileGrid const& tiles, int samples) {
  int const multiprocessors = session.attribute(cudaDevAttrMultiProcessorCount);
  double met = samples;  // a sample is a candidate of so many tiles
  for (int d = 0; d < tiles.dims; ++d) met *= 1.0 + (tiles.width - 1.0 + tiles.tile[d] - 1.0) / tiles.tile[d];
  return {static_cast<unsigned>(std::clamp(met / (16.0 * multiprocessors), 512.0, 65536.0)),
          static_cast<unsigned>(std::clamp(samples / (24.0 * multiprocessors), 512.0, 4096.0))};
}

/// What sorting and cutting need and the plan does not.
struct Work {
  Parcel parcel;
  unsigned *bin = nullptr, *sorted_bin, *sample, *candidates;
  Sums* before;
  PartTotals* totals;
  void* sort;
  std::size_t sort_bytes = 0;
  int bits;  // of a bin's number

  Work(Session& session, int samples, int bins)
      : bits(std::max(1, static_cast<int>(std::bit_width(static_cast<unsigned>(bins - 1))))) {
    FINDRHO_CHECK(cub::DeviceRadixSort::SortPairs(nullptr, sort_bytes, bin, bin, bin, bin, samples, 0, bits));
    auto const n = static_cast<std::size_t>(samples), b = static_cast<std::size_t>(bins);
    std::size_t const at[7] = {parcel.add<unsigned>(n),     parcel.add<unsigned>(n),
                               parcel.add<unsigned>(n),     parcel.add<unsigned>(b),
                               parcel.add<Sums>(b),         parcel.add<PartTotals>(1),
                               parcel.add<char>(sort_bytes)};
    parcel.allocate(session);
    bin = parcel.array<unsigned>(at[0]);
    sorted_bin = parcel.array<unsigned>(at[1]);
    sample = parcel.array<unsigned>(at[2]);
    candidates = parcel.array<unsigned>(at[3]);
    before = parcel.array<Sums>(at[4]);
    totals = parcel.array<PartTotals>(at[5]);
    sort = parcel.array<char>(at[6]);
  }
};

/// From pinned memory: the copy then needs no further one, nor a wait of its own.
PartTotals fetch(Session& session, PartTotals const* from) {
  auto const to = session.keep<Pinned<PartTotals>>("totals of parts",
                                                   [] { return std::make_shared<Pinned<PartTotals>>(1); });
  FINDRHO_CHECK(cudaMemcpyAsync(to->get(), from, sizeof(PartTotals), cudaMemcpyDeviceToHost, session.stream));
  session.stream.synchronize();
  return *to->get();
}

}  // namespace

template <class T>
Sorted<T>::Sorted(Session& session, TileGrid const& tiles, CudaNufftRecord const& r) {
  int const count = static_cast<int>(r.samples), bins = tiles.count();
  auto const n = static_cast<std::size_t>(count), b = static_cast<std::size_t>(bins);
  std::size_t const at[5] = {arrays_.add<Cell>(n), arrays_.add<T>(n * static_cast<std::size_t>(r.dims)),
                             arrays_.add<unsigned>(n), arrays_.add<unsigned>(b + 1),
                             arrays_.add<unsigned>(b + 1)};
  arrays_.allocate(session);
  Cell* const cell = arrays_.array<Cell>(at[0]);
  T* const fraction = arrays_.array<T>(at[1]);
  unsigned *const index = arrays_.array<unsigned>(at[2]), *const bin_first = arrays_.array<unsigned>(at[3]);
  piece_first_ = arrays_.array<unsigned>(at[4]);
  samples_ = {count, cell, {}, index, bin_first};
  for (int d = 0; d < r.dims; ++d) samples_.fraction[d] = fraction + d * r.samples;

  cudaStream_t const stream = session.stream;
  Points const points{tiles,
                      count,
                      {r.k[0], r.k[1], r.k[2]},
                      {r.k_factor[0], r.k_factor[1], r.k_factor[2]},
                      {r.matrix[0], r.matrix[1], r.matrix[2]}};
  Work work(session, count, bins);
  FINDRHO_CHECK(cudaMemsetAsync(work.totals, 0xff, sizeof(PartTotals), stream));  // bad: none
  if (count > 0) {
    find_bins<<<blocks_for(count), kLanes, 0, stream>>>(points, work.bin, work.sample, &work.totals->bad);
    check_launch("find_bins");
    FINDRHO_CHECK(cub::DeviceRadixSort::SortPairs(work.sort, work.sort_bytes, work.bin, work.sorted_bin,
                                                  work.sample, index, count, 0, work.bits, stream));
    place_sorted<T>
        <<<blocks_for(count), kLanes, 0, stream>>>(points, work.sorted_bin, index, cell, fraction, bin_first);
    check_launch("place_sorted");
  } else {
    FINDRHO_CHECK(cudaMemsetAsync(bin_first, 0, (b + 1) * sizeof(unsigned), stream));
  }
  Cut const cut = choose_cut(session, tiles, count);
  count_candidates<<<blocks_for(bins), kLanes, 0, stream>>>(tiles, bin_first, work.candidates);
  scan_parts<<<1, kScanLanes, 0, stream>>>(work.candidates, bin_first, bins, cut, work.before, piece_first_,
                                           work.totals);
  check_launch("scan_parts");
  totals_ = fetch(session, work.totals);
  if (totals_.bad != kNone) {
    throw ModuleFailure(CudaFault::bad_argument,
                        "trajectory point " + std::to_string(totals_.bad) + " is not finite");
  }
  auto const all = [](int parts) { return static_cast<std::size_t>(parts); };
  std::size_t const cut_at[4] = {
      cuts_.add<Part>(all(totals_.parts)), cuts_.add<SplitTile>(all(totals_.splits)),
      cuts_.add<Piece>(all(totals_.pieces)), cuts_.add<Piece>(all(totals_.readings))};
  cuts_.allocate(session);
  most_bytes_ = bytes() + work.parcel.bytes();
  parts_ = cuts_.array<Part>(cut_at[0]);
  split_ = cuts_.array<SplitTile>(cut_at[1]);
  pieces_ = cuts_.array<Piece>(cut_at[2]);
  readings_ = cuts_.array<Piece>(cut_at[3]);
  write_parts<<<blocks_for(bins), kLanes, 0, stream>>>(work.candidates, bin_first, bins, cut, work.before,
                                                       parts_, split_, pieces_, readings_);
  check_launch("write_parts");
}

template class Sorted<float>;
template class Sorted<double>;

}  // namespace findrho::nufft
