// SPDX-License-Identifier: BSD-3-Clause
// Samples are sorted by bin with a stable radix sort, so that their order, and with it every sum, is always the same.
#include "nufft/cuda/sorted.hpp"

#include <algorithm>
#include <bit>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <limits>

#include "nufft/place.hpp"

namespace findrho::nufft {
namespace {

constexpr int kLanes = 256, kScanLanes = 1024;
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

template <class T>
__global__ void __launch_bounds__(kLanes)
    place_sorted(Points const points, unsigned const* sample, Cell* cell, T* fraction) {
  int const i = blockIdx.x * kLanes + threadIdx.x;
  if (i >= points.count) return;
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

/// bin_first[b]: how many samples lie in bins before b.
__global__ void __launch_bounds__(kLanes)
    find_first(unsigned const* bin, int count, int bins, unsigned* bin_first) {
  int const b = blockIdx.x * kLanes + threadIdx.x;
  if (b > bins) return;
  int low = 0, high = count;
  while (low < high) {
    int const middle = low + (high - low) / 2;
    if (bin[middle] < static_cast<unsigned>(b))
      low = middle + 1;
    else
      high = middle;
  }
  bin_first[b] = static_cast<unsigned>(low);
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
  int parts, slots, splits, pieces, filled;
};
struct AddSums {
  __device__ Sums operator()(Sums const& a, Sums const& b) const {
    return {a.parts + b.parts, a.slots + b.slots, a.splits + b.splits, a.pieces + b.pieces,
            a.filled + b.filled};
  }
};

/// How tiles and bins are cut: candidates of a part and samples of a piece, at most.
struct Cut {
  unsigned candidates, samples;
  __device__ Sums operator()(unsigned tile_candidates, unsigned bin_samples) const {
    int const n =
        tile_candidates <= candidates ? 1 : static_cast<int>((tile_candidates + candidates - 1) / candidates);
    return {n, n > 1 ? n : 0, n > 1 ? 1 : 0, static_cast<int>((bin_samples + samples - 1) / samples),
            bin_samples > 0 ? 1 : 0};
  }
};

/// One block: running sums over all tiles, whose numbers are those of the bins.
__global__ void __launch_bounds__(kScanLanes)
    scan_parts(unsigned const* candidates, unsigned const* bin_first, int tiles, Cut const cut, Sums* before,
               unsigned* piece_first, PartTotals* totals) {
  using Scan = cub::BlockScan<Sums, kScanLanes>;
  __shared__ typename Scan::TempStorage scratch;
  Sums const none{0, 0, 0, 0, 0};
  Sums so_far = none;
  for (int base = 0; base < tiles; base += kScanLanes) {
    int const t = base + threadIdx.x;
    Sums const mine = t < tiles ? cut(candidates[t], bin_first[t + 1] - bin_first[t]) : none;
    Sums mine_before, all;
    Scan(scratch).ExclusiveScan(mine, mine_before, none, AddSums{}, all);
    if (t < tiles) {
      before[t] = AddSums{}(so_far, mine_before);
      piece_first[t] = static_cast<unsigned>(before[t].pieces);
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
    totals->filled_bins = so_far.filled;
  }
}

__global__ void __launch_bounds__(kLanes)
    write_parts(unsigned const* candidates, unsigned const* bin_first, int tiles, Cut const cut,
                Sums const* before, Part* parts, SplitTile* split, Piece* pieces) {
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
  if (mine.pieces == 0) return;
  unsigned const piece = (samples + mine.pieces - 1) / mine.pieces;
  for (int i = 0; i < mine.pieces; ++i) {
    unsigned const first = min(samples, i * piece), last = min(samples, first + piece);
    pieces[at.pieces + i] = {t, begin + first, begin + last};
  }
}

/// Candidates of a part: enough parts to fill the device several times over, but not so few samples that a tile's
/// 512 cells outweigh them.
/// A piece is one warp's work: long enough that few slots are to be joined, short enough to fill the device.
Cut choose_cut(Session const& session, TileGrid const& tiles, int samples) {
  int multiprocessors = 0;
  FINDRHO_CHECK(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, session.device));
  double met = samples;  // a sample is a candidate of so many tiles
  for (int d = 0; d < tiles.dims; ++d) met *= 1.0 + (tiles.width - 1.0 + tiles.tile[d] - 1.0) / tiles.tile[d];
  return {static_cast<unsigned>(std::clamp(met / (16.0 * multiprocessors), 512.0, 65536.0)),
          static_cast<unsigned>(std::clamp(samples / (24.0 * multiprocessors), 512.0, 4096.0))};
}

}  // namespace

template <class T>
Sorted<T>::Sorted(Session& session, TileGrid const& tiles, CudaNufftRecord const& r)
    : count_(static_cast<int>(r.samples)),
      cell_(session, static_cast<std::size_t>(count_)),
      fraction_(session, static_cast<std::size_t>(count_) * static_cast<std::size_t>(r.dims)),
      index_(session, static_cast<std::size_t>(count_)),
      bin_first_(session, static_cast<std::size_t>(tiles.count()) + 1),
      piece_first_(session, static_cast<std::size_t>(tiles.count()) + 1) {
  auto const n = static_cast<std::size_t>(count_), bins = static_cast<std::size_t>(tiles.count());
  cudaStream_t const stream = session.stream;
  Points const points{tiles,
                      count_,
                      {r.k[0], r.k[1], r.k[2]},
                      {r.k_factor[0], r.k_factor[1], r.k_factor[2]},
                      {r.matrix[0], r.matrix[1], r.matrix[2]}};
  Buffer<unsigned> bin(session, n), sorted_bin(session, n), sample(session, n), candidates(session, bins);
  Buffer<Sums> before(session, bins);
  Buffer<PartTotals> totals(session, 1);
  totals.fill(0xff);  // bad: none
  if (count_ > 0) {
    find_bins<<<blocks_for(count_), kLanes, 0, stream>>>(points, bin.get(), sample.get(), &totals.get()->bad);
    check_launch("find_bins");
    int const bits = std::max(1, static_cast<int>(std::bit_width(bins - 1)));
    std::size_t bytes = 0;
    auto const sort = [&](void* work) {
      FINDRHO_CHECK(cub::DeviceRadixSort::SortPairs(work, bytes, bin.get(), sorted_bin.get(), sample.get(),
                                                    index_.get(), count_, 0, bits, stream));
    };
    sort(nullptr);
    Buffer<char> work(session, bytes);
    sort(work.get());
    place_sorted<T>
        <<<blocks_for(count_), kLanes, 0, stream>>>(points, index_.get(), cell_.get(), fraction_.get());
    check_launch("place_sorted");
  }
  int const tile_count = tiles.count();
  Cut const cut = choose_cut(session, tiles, count_);
  find_first<<<blocks_for(tile_count + 1), kLanes, 0, stream>>>(sorted_bin.get(), count_, tile_count,
                                                                bin_first_.get());
  count_candidates<<<blocks_for(tile_count), kLanes, 0, stream>>>(tiles, bin_first_.get(), candidates.get());
  scan_parts<<<1, kScanLanes, 0, stream>>>(candidates.get(), bin_first_.get(), tile_count, cut, before.get(),
                                           piece_first_.get(), totals.get());
  check_launch("scan_parts");
  totals_ = totals.download().front();
  if (totals_.bad != kNone) {
    throw ModuleFailure(CudaFault::bad_argument,
                        "trajectory point " + std::to_string(totals_.bad) + " is not finite");
  }
  parts_ = std::make_unique<Buffer<Part>>(session, static_cast<std::size_t>(totals_.parts));
  split_ = std::make_unique<Buffer<SplitTile>>(session, static_cast<std::size_t>(totals_.splits));
  pieces_ = std::make_unique<Buffer<Piece>>(session, static_cast<std::size_t>(totals_.pieces));
  write_parts<<<blocks_for(tile_count), kLanes, 0, stream>>>(candidates.get(), bin_first_.get(), tile_count,
                                                             cut, before.get(), parts_->get(), split_->get(),
                                                             pieces_->get());
  check_launch("write_parts");
}

template <class T>
SortedSamples<T> Sorted<T>::view() const {
  SortedSamples<T> v{count_, cell_.get(), {}, index_.get(), bin_first_.get()};
  auto const axes = count_ > 0 ? static_cast<int>(fraction_.count() / static_cast<std::size_t>(count_)) : 0;
  for (int d = 0; d < axes; ++d) v.fraction[d] = fraction_.get() + static_cast<std::int64_t>(d) * count_;
  return v;
}

template <class T>
std::size_t Sorted<T>::bytes() const {
  return cell_.bytes() + fraction_.bytes() + index_.bytes() + bin_first_.bytes() + piece_first_.bytes() +
         pieces_->bytes() + parts_->bytes() + split_->bytes();
}

template class Sorted<float>;
template class Sorted<double>;

}  // namespace findrho::nufft
