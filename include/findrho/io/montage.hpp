// SPDX-License-Identifier: BSD-3-Clause
// Volumes as pictures: all slices in a grid (montage), or a few images in rows with captions under them
// (panel). Small images are enlarged by an integer factor, without interpolation.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/io/png.hpp"

namespace findrho {

/// Values up to low are black, from high on white.
struct Window {
  double low = 0, high = 1;
};

/// Black is 0, or the smallest value where there are negative ones; white is the percentile over all finite
/// values (the largest value where the percentile is not above black).
Window percentile_window(std::vector<View<float const>> const& images, double percentile = 99.5);

struct MontageOptions {
  std::optional<Window> window;  // none: percentile_window of all volumes together
  double percentile = 99.5;
  std::int64_t least_width = 256;        // of the picture, in pixels: smaller ones are enlarged
  std::int64_t least_slice_width = 128;  // of each slice in it
};

struct Montage {
  GreyImage image;
  Window window;
  std::string orientation;  // "array order (row 0 at the top, ...)" or "radiological (anterior up, ...)"
};

/// All slices of all frames of all volumes, row by row in array order, with one window.
/// The patient's orientation, where known, decides how a slice is turned; pixels keep the proportions of the
/// FOV as far as integer factors allow.
/// Shapes  volumes (y, x), (z, y, x) or (frame, z, y, x), all alike
/// Errors  bad_shape
Montage make_montage(std::vector<View<float const>> const& volumes, Geometry const& geometry,
                     MontageOptions const& options = {});

struct PanelImage {
  View<float const> image;  // (y, x)
  std::string caption;      // ASCII; a newline starts a new line, long lines are wrapped
};

struct PanelOptions {
  std::optional<Window> window;  // none: percentile_window of all images together
  double percentile = 99.5;
  std::int64_t least_width = 256;  // of each image, in pixels
  std::int64_t columns = 0;        // images in a row; 0: all
};

/// The images side by side in array order, row 0 at the top, captions below, one window for all.
/// Errors  bad_shape
GreyImage make_panel(std::vector<PanelImage> const& images, PanelOptions const& options = {});

}  // namespace findrho
