// SPDX-License-Identifier: BSD-3-Clause
// The magnitude of an image file, whatever its format, for comparing and showing; names of pictures to write.
#pragma once
#include <string>

#include "findrho/core/array.hpp"
#include "findrho/io/output_set.hpp"

namespace findrho {

bool names_nifti(std::string const& path);
bool names_png(std::string const& path);

/// Shape (frame, z, y, x); a cfl's dimensions beyond the third are frames, a PNG's row 0 is y = 0.
/// Errors  bad_file, bad_option (a name that none of the formats has)
Array<float> read_image_magnitude(std::string const& path);

/// Where to write a picture that was asked for under this name; "" for no name.
/// Errors  bad_option (not named .png), those of OutputSet::stage
std::string stage_picture(OutputSet& outputs, std::string const& path);

}  // namespace findrho
