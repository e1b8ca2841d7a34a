// SPDX-License-Identifier: BSD-3-Clause
// Phantoms to measure images with, and phantoms from text files.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "findrho/phantom/phantom.hpp"

namespace findrho {

/// Widths of the bars and rods of resolution_phantom, in FOV: a bar of 1/128 is one voxel of a matrix of 128.
inline constexpr std::array<double, 6> kBarWidths{1.0 / 48,  1.0 / 64,  1.0 / 96,
                                                  1.0 / 128, 1.0 / 192, 1.0 / 256};

/// Three rows on a disc (3D: a cylinder) of density 0.3: upright bars, level bars, rods, each of density 1. A group is four
/// bars of one of kBarWidths and as far apart, or nine rods of that diameter, two diameters from middle to middle. Widths
/// fall from left to right.
/// Errors  bad_option
Phantom resolution_phantom(int dims);

/// Diameters (FOV) and contrasts (added density over the body's) of contrast_phantom.
inline constexpr std::array<double, 5> kDiscDiameters{1.0 / 10, 1.0 / 16, 1.0 / 24, 1.0 / 40, 1.0 / 64};
inline constexpr std::array<double, 5> kDiscContrasts{0.64, 0.32, 0.16, 0.08, 0.04};

/// Discs (3D: balls) on a disc (3D: a cylinder) of density 1: diameters fall from left to right, contrasts from top to
/// bottom.
/// Errors  bad_option
Phantom contrast_phantom(int dims);

/// Solids from text, one a line, lengths in FOV units (-0.5..0.5), the angle in degrees from x towards y:
///   shape density x y z a b c angle [t2star_ms=T] [second_t2star_ms=T] [second_part=P] [frequency_hz=F]
/// shape: ellipsoid, box or cylinder; x y z: centre; a b c: half lengths. `#` begins a comment. z and c count in 3D only.
///   name   of the text, for messages
/// Errors  bad_file, with the line
Phantom parse_phantom(std::string_view text, int dims, std::string const& name);
/// parse_phantom of a file.
Phantom read_phantom(std::string const& path, int dims);

/// "shepp-logan", "shepp-logan-original", "resolution", "contrast", or a text file's path (ending in .txt).
/// Errors  bad_option, bad_file
Phantom named_phantom(std::string const& name, int dims);

}  // namespace findrho
