// SPDX-License-Identifier: BSD-3-Clause
// Writes raw scans and images as MRD (ISMRMRD) HDF5 files that the ISMRMRD library reads.
#pragma once
#include <complex>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/io/raw_scan.hpp"

namespace findrho {

/// Writes a new file with the scan in group scan.group ("dataset" when empty); an existing file is replaced.
/// The XML header is scan.xml verbatim, or made from the scan's fields when that is empty.
/// Errors  bad_shape (a readout that MRD's 16-bit counters or the scan's own arrays cannot hold),
/// cannot_write
void write_mrd(std::string const& path, RawScan const& scan);

enum class ImagePart { magnitude, complex };

struct MrdImageFrame {
  FrameIndex index;
  Geometry geometry;
};

/// Writes images as group dataset/image_0 (header, data, attributes) of a new file, float or complex float.
///   images  (frame, z, y, x);  frames: one entry per image;  xml: the header of the scan they come from, or
///   empty
/// Errors  bad_shape, cannot_write
void write_mrd_images(std::string const& path, View<std::complex<float> const> images,
                      std::vector<MrdImageFrame> const& frames, ImagePart part, std::string const& xml);

}  // namespace findrho
