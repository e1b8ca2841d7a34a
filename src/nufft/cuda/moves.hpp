// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: the moves between samples and grid, and between grid and image. Grids of several coils lie one
// after the other, each (z, y, x).
#pragma once
#include "nufft/cuda/complex.hpp"
#include "nufft/cuda/sorted.hpp"

namespace findrho::nufft {

template <class T>
inline constexpr int kMostCoils = sizeof(T) == 4 ? 8
                                                 : 4;  // that one block sums: more do not fit its registers

inline constexpr std::size_t kCached = std::size_t{40}
                                       << 20;  // what the L2 cache of an H200 (60 MB) is likely to keep

template <class T>
struct SpreadJob {
  TileGrid tiles;
  SortedSamples<T> samples;
  Polynomials<T> kernel;
  Part const* parts;
  SplitTile const* split;
  int part_count, split_count;
  Complex<T> const* values;  // coil c of sample m: values[c * samples.count + m]
  Complex<T>* grid;
  Complex<T>* slots;  // slot_elements(coils) each
};

inline std::size_t slot_elements(int coils) {
  return static_cast<std::size_t>(kTileCells) * static_cast<std::size_t>(coils);
}

/// grid = sum over samples of patch * value. coils: 1, 2, 4 or, in single precision, 8.
template <class T>
void spread(cudaStream_t stream, SpreadJob<T> const& job, int coils);

/// The other way to spread and to interpolate: from bins instead of tiles, by boxes in shared memory (boxes.hpp).
struct BoxesJob {
  TileGrid tiles;
  SortedSamples<float> samples;
  Polynomials<float> kernel;
  Piece const* pieces;
  unsigned const* piece_first;
  int piece_count;
  float2 const* values;  // scatter only
  float2* grid;
  float2* slots;  // scatter only: box_elements for each piece
  int coils;
};

inline constexpr int kWidestBox = 7;
/// Of the boxes that so many coils take for a piece: pairs of coils share theirs.
std::size_t box_elements(TileGrid const& tiles, int coils);
void scatter(cudaStream_t stream, BoxesJob const& job);
void collect(cudaStream_t stream, BoxesJob const& job, float2* values, int add);

template <class T>
struct InterpolateJob {
  TileGrid tiles;
  SortedSamples<T> samples;
  Polynomials<T> kernel;
  Complex<T> const* grid;
  Complex<T>* values;
  int add;
};

/// values = (or +=) sum over the patch of weight * grid
template <class T>
void interpolate(cudaStream_t stream, InterpolateJob<T> const& job, int coils);

/// Image <-> grid: voxel n is cell (n - floor(N/2)) mod G, and carries the factors of its axes.
template <class T>
struct BoxJob {
  int box[3], grid[3];
  T const* factor[3];
  Complex<T>* image;       // (coil, z, y, x), or (z, y, x) with maps
  Complex<T> const* maps;  // (coil, z, y, x) or null
  Complex<T>* cells;
  int coils;
  int add;
};

/// cells = image times factors and maps, zero outside the box
template <class T>
void pad(cudaStream_t stream, BoxJob<T> const& job);
/// image = (or +=) cells times factors; with maps the sum over coils of conj(map) times that
template <class T>
void crop(cudaStream_t stream, BoxJob<T> const& job);

}  // namespace findrho::nufft
