// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: samples sorted by bin, and the work that spreading them is cut into, both in device memory.
#pragma once
#include <memory>

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

/// A part of the samples of one bin: when spreading is driven by the input its patches are summed in a slot.
struct Piece {
  int bin;
  unsigned first, last;  // sorted samples
};
/// Samples of a piece to read, at most: one coil alone waits for the longest.
inline constexpr unsigned kLongestReading = 128;
/// All samples cut into pieces, in device memory.
struct Pieces {
  Piece const* list;
  unsigned const* first;  // of each bin, and the end; not of pieces to read
  int count;
};

struct PartTotals {
  int parts, slots, splits, pieces, readings, filled_bins;
  unsigned bad;  // the first sample that is not finite
};

/// Several arrays in one allocation: a plan has a dozen, and each call for memory costs a microsecond or two.
class Parcel {
 public:
  /// To be called for each array before the memory is allocated.
  template <class E>
  std::size_t add(std::size_t count) {
    std::size_t const at = bytes_;
    bytes_ += (count * sizeof(E) + kAligned - 1) / kAligned * kAligned;
    return at;
  }
  void allocate(Session& session) { memory_ = std::make_unique<Buffer<unsigned char>>(session, bytes_); }
  template <class E>
  E* array(std::size_t at) const {
    return reinterpret_cast<E*>(memory_->get() + at);
  }
  std::size_t bytes() const { return bytes_; }

 private:
  static constexpr std::size_t kAligned = 256;
  std::size_t bytes_ = 0;
  std::unique_ptr<Buffer<unsigned char>> memory_;
};

template <class T>
class Sorted {
 public:
  /// Waits once, to learn how many parts there are.
  Sorted(Session& session, TileGrid const& tiles, CudaNufftRecord const& record);

  SortedSamples<T> view() const { return samples_; }
  Part const* parts() const { return parts_; }
  SplitTile const* split_tiles() const { return split_; }
  Pieces pieces() const { return {pieces_, piece_first_, totals_.pieces}; }
  /// Shorter ones, for interpolation: nothing is joined afterwards.
  Pieces readings() const { return {readings_, nullptr, totals_.readings}; }
  int filled_bins() const { return totals_.filled_bins; }
  int part_count() const { return totals_.parts; }
  int slot_count() const { return totals_.slots; }
  int split_count() const { return totals_.splits; }
  std::size_t bytes() const { return arrays_.bytes() + cuts_.bytes(); }
  std::size_t most_bytes() const { return most_bytes_; }  // while it was made

 private:
  Parcel arrays_, cuts_;
  SortedSamples<T> samples_{};
  unsigned* piece_first_ = nullptr;
  Part* parts_ = nullptr;
  SplitTile* split_ = nullptr;
  Piece *pieces_ = nullptr, *readings_ = nullptr;
  PartTotals totals_{};
  std::size_t most_bytes_ = 0;
};

}  // namespace findrho::nufft
