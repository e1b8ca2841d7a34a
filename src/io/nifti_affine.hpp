// SPDX-License-Identifier: BSD-3-Clause
// Where a NIfTI header says that the voxels lie: sform (an affine) and qform (a rotation as quaternion).
#pragma once

#include "findrho/io/nifti.hpp"
#include "io/nifti_header.hpp"

namespace findrho {

/// Fills qform, sform, voxel sizes and units. The qform is left out where the directions are not orthogonal.
void set_geometry(NiftiHeader& header, Geometry const& geometry, Matrix const& matrix);

/// Reads them back: sform if there is one, else qform, else voxel sizes alone.
Geometry get_geometry(NiftiHeader const& header, Matrix const& matrix);

}  // namespace findrho
