// SPDX-License-Identifier: BSD-3-Clause
// The steps of prepare(): choose readouts, settle matrix and FOV, say where samples lie, check, gather
// frames.
#pragma once
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "findrho/recipe/prepare.hpp"

namespace findrho::prepare_parts {

using Readouts = std::vector<std::int64_t>;  // indices into RawScan::readouts
using Triple = std::array<double, 3>;

inline RawReadout const& readout(RawScan const& scan, std::int64_t i) {
  return scan.readouts[static_cast<std::size_t>(i)];
}

/// Names that select and merge know, with the readout's value.
int index_value(RawReadout const& readout, std::string const& name);

struct Chosen {
  std::map<FrameIndex, Readouts> frames;
  Readouts imaging;  // of all frames, in file order
  Readouts noise;
};

/// Flags, selection, merging and the header's limits.
Chosen choose_readouts(Context const& context, RawScan const& scan, PrepareOptions const& options);

/// Matrix and FOV of the image and of the encoding.
struct Spaces {
  Matrix image, encoded;
  Triple image_fov_mm{}, encoded_fov_mm{};  // 0: unknown
  Triple encoded_to_image{1, 1, 1};         // encoded FOV / image FOV
  int dims = 2;
};
Spaces settle_spaces(Context const& context, RawScan const& scan, RawEncoding const& encoding,
                     PrepareOptions const& options);

/// Where the samples of an encoding lie, in cycles per encoded FOV.
struct Positions {
  bool cartesian = false;  // every sample on the integer grid of the encoded matrix
  std::function<Triple(RawReadout const&, std::int64_t sample)> k;
  std::function<std::int64_t(RawReadout const&)> echo;  // the sample at time 0
  std::function<float(RawReadout const&, std::int64_t sample)>
      weight;  // empty: the file has no density weights
};

/// From the trajectory where the readouts have one, else from line numbers and samples of a Cartesian
/// encoding.
Positions locate_samples(Context const& context, RawScan const& scan, Readouts const& readouts,
                         Spaces const& space, PrepareOptions const& options);
Positions trajectory_positions(Context const& context, RawScan const& scan, Readouts const& readouts,
                               Spaces const& space, PrepareOptions const& options);
Positions cartesian_positions(Context const& context, RawScan const& scan, Readouts const& readouts,
                              Spaces const& space);

/// Errors  bad_file, when k is not one of an axis' n encoded positions
void check_on_grid(RawScan const& scan, std::int64_t readout, std::int64_t k, std::int64_t n,
                   char const* what);

/// The line number at k = 0 of an axis with n encoded positions, where the header leaves it open the middle.
int line_center(Context const& context, RawLimit const& limit, std::int64_t n, char const* name);

/// Samples that remain of a readout.
inline std::int64_t first_sample(RawReadout const& r) {
  return r.discard_pre;
}
inline std::int64_t end_sample(RawReadout const& r) {
  return r.samples - r.discard_post;
}
inline bool has_dwell(RawReadout const& r) {
  return r.dwell_us > 0 && std::isfinite(r.dwell_us);
}

/// Coil counts and discards agree with each other.
void check_readouts(RawScan const& scan, Chosen const& chosen);
/// No more than 64 voxels per sample in any frame.
void check_voxels_per_sample(RawScan const& scan, Chosen const& chosen, Spaces const& space);
/// No NaN or infinity in what will be used.
void check_finite(Context const& context, RawScan const& scan, Chosen const& chosen);

/// All frames with samples gathered; `positions` by encoding, `coils` the channels to take.
void gather_frames(Context const& context, RawScan const& scan, Chosen const& chosen, Spaces const& space,
                   std::map<int, Positions> const& positions, std::vector<int> const& coils,
                   Dataset& dataset);
void gather_noise(Context const& context, RawScan const& scan, Chosen const& chosen,
                  std::vector<int> const& coils, Dataset& dataset);

/// Errors  out_of_memory, when samples, trajectories and an index over `grid` positions are not available
void require_memory(RawScan const& scan, Chosen const& chosen, std::int64_t grid, std::size_t coils);

}  // namespace findrho::prepare_parts
