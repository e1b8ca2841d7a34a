// SPDX-License-Identifier: BSD-3-Clause
// From a raw scan to a Dataset: readouts chosen and sorted into frames, trajectory in cycles per FOV, all
// checked.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/io/raw_scan.hpp"
#include "findrho/trajectory/units.hpp"

namespace findrho {

struct IndexRange {
  int first = 0, last = 0;  // both included
};

/// Index name (encoding, slice, contrast, phase, repetition, set, average) -> the values that are taken.
using Selection = std::map<std::string, std::vector<IndexRange>>;

/// "slice=3,contrast=0..1,slice=5" added to a selection.
/// Errors  bad_option, naming the indices there are
void parse_selection(std::string_view text, Selection& selection);

/// "slice,set" as names of indices.    Errors  bad_option
std::set<std::string> parse_index_names(std::string_view text);

/// What the trajectory's columns are.
enum class TrajectoryLayout {
  automatic,  // xy or xyz by the matrix; a third column of a 2D scan: nothing if zero, weights if never
              // negative
  xy,         // columns past the second are ignored
  xyz,
  xyw  // the third column holds density weights
};

/// "auto", "xy", "xyz", "xyw".    Errors  bad_option
TrajectoryLayout parse_trajectory_layout(std::string_view text);

enum class Averages {
  merged,  // Cartesian: lines acquired several times are averaged; otherwise all samples go into one frame
  apart    // one frame for each
};

struct PrepareOptions {
  Selection select{};             // indices not named are taken whole
  std::set<std::string> merge{};  // indices that are ignored: their readouts are pooled
  Averages averages = Averages::merged;
  TrajectoryUnits units = TrajectoryUnits::automatic;
  TrajectoryLayout layout = TrajectoryLayout::automatic;
  std::array<std::int64_t, 3> matrix{0, 0, 0};  // of the image; 0: the header's
  std::array<double, 3> fov_mm{0, 0, 0};        // of the image; 0: the header's
  std::vector<int> coils{};                     // to keep, in this order; empty: all
};

/// Check a raw scan and sort it into frames.
/// Space    Image matrix and FOV are reconSpace's (or the options'), the trajectory's are encodedSpace's, and
///          k_image = k_encoded x FOV_image / FOV_encoded. Samples beyond the image's N/2 are left out, with
///          a note.
/// Samples  Noise readouts go to Dataset::noise, scaled to the imaging readouts' bandwidth. Calibration-only,
///          navigation, phase correction, surface coil, dummy and feedback readouts are dropped, with a note.
///          Samples keep the order of acquisition. A Cartesian readout flagged reverse runs towards -kx;
///          where the file has a trajectory, that says where each sample is.
/// Time     (sample - center_sample) x dwell
/// Errors   bad_file (NaN, all zero, contradictions), bad_option (selection, units, layout), out_of_memory
Dataset prepare(Context const& context, RawScan const& scan, PrepareOptions const& options = {});

/// Samples and trajectory without a header, as BART keeps them: first dimension fastest.
///   samples     (1, readout, spokes, coils, ...), trajectory (3, readout, spokes, 1, ...); further
///   dimensions are
///               frames, which share the trajectory where that has only one. Dimensions listed slowest first
///               are recognised by the trajectory's 3.
struct HeaderlessScan {
  std::string source;
  std::vector<std::int64_t> sample_dims, trajectory_dims;
  View<std::complex<float> const> samples, trajectory;
};

/// Errors  as prepare(); bad_option, when options.matrix is not given
Dataset prepare_headerless(Context const& context, HeaderlessScan const& scan, PrepareOptions const& options);

}  // namespace findrho
