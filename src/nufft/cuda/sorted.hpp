// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: samples sorted by bin, and the work that spreading them is cut into, both in device memory.
#pragma once
#include "backend/cuda/session.hpp"
#include "nufft/cuda/nufft_abi.hpp"
#include "nufft/cuda/tiles.hpp"

namespace findrho::nufft {

struct Cell {
  unsigned short x, y, z, unused;
};

/// Arrays of sorted samples, bin after bin; within a bin in the trajectory's order.
template <class T>
struct SortedSamples {
  int count;
  Cell const* cell;           // first cell of the patch
  T const* fraction[3];       // s of kernel.hpp
  unsigned const* index;      // in the trajectory
  unsigned const* bin_first;  // of each bin, and the end
};

/// A part of the samples that may reach a tile: [first, last) of its ranges put one after the other. A tile with many
/// samples is several parts, each of which sums into a slot of its own, so that no two blocks write to the same cell.
struct Part {
  int tile;
  unsigned first, last;
  int slot;  // -1: the only part of its tile
};

struct SplitTile {
  int tile, slot, slots;
};

/// A part of the samples of one bin, for spreading that is driven by the input: its patches are summed in a slot.
struct Piece {
  int bin;
  unsigned first, last;  // sorted samples
};

struct PartTotals {
  int parts, slots, splits, pieces, filled_bins;
  unsigned bad;  // the first sample that is not finite
};

template <class T>
class Sorted {
 public:
  /// Waits once, to learn how many parts there are.
  Sorted(Session& session, TileGrid const& tiles, CudaNufftRecord const& record);

  SortedSamples<T> view() const;
  Part const* parts() const { return parts_->get(); }
  SplitTile const* split_tiles() const { return split_->get(); }
  Piece const* pieces() const { return pieces_->get(); }
  /// The first piece of each bin, and the end.
  unsigned const* piece_first() const { return piece_first_.get(); }
  int piece_count() const { return totals_.pieces; }
  int filled_bins() const { return totals_.filled_bins; }
  int part_count() const { return totals_.parts; }
  int slot_count() const { return totals_.slots; }
  int split_count() const { return totals_.splits; }
  std::size_t bytes() const;

 private:
  int count_;
  Buffer<Cell> cell_;
  Buffer<T> fraction_;
  Buffer<unsigned> index_, bin_first_, piece_first_;
  std::unique_ptr<Buffer<Part>> parts_;
  std::unique_ptr<Buffer<SplitTile>> split_;
  std::unique_ptr<Buffer<Piece>> pieces_;
  PartTotals totals_{};
};

}  // namespace findrho::nufft
