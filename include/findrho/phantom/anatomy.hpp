// SPDX-License-Identifier: BSD-3-Clause
// A head from a T1-weighted image: classes of tissue by thresholds, each with what hydrogen and sodium do in it.
#pragma once
#include <array>
#include <string>

#include "findrho/phantom/voxel_phantom.hpp"

namespace findrho {

enum class Nucleus { hydrogen, sodium };

/// A class of tissue: the values of the T1-weighted image in low <= value < high (1 is the white matter's most frequent value).
struct TissueClass {
  std::string name;
  double low, high;
  double proton_density;  // of water's
  double t1_s, t2star_s;  // of hydrogen at 1.5 T
  double sodium_mM;
  Decay sodium_decay;  // at 7 T
};

/// CSF, grey and white matter. Thresholds are those of the Colin27 average (ch2bet, 8 bits), whose histogram has white matter
/// at 112, grey matter at 87, the valley between them at 101, and a flank of grey matter that has fallen to a sixth at 62.
/// Source  hydrogen: tissue parameters of BrainWeb, Collins et al., IEEE TMI 17:463 (1998), doi:10.1109/42.712135; sodium
///         decay: table 4 of Ridley et al., Sci. Rep. 8 (2018), doi:10.1038/s41598-018-22711-0 (the work of Niesporek et al. for
///         tissue, of Fleysher et al. for CSF), 60 % of the signal in the short time. Sodium densities are round numbers near
///         what Ridley's 140 mM outside cells and 10 to 15 mM inside make with a fifth of the volume outside, 36 to 40 mM;
///         review: Madelin and Regatte, JMRI 38:511 (2013), doi:10.1002/jmri.24168
std::array<TissueClass, 3> const& tissue_classes();

/// A T1-weighted image without skull, its axes running towards the patient's left, back and head (array order shows it
/// upright, the nose at the top).
struct Anatomy {
  Matrix matrix;
  std::array<double, 3> voxel_mm{1, 1, 1};
  Array<float> values;  // (z, y, x), 0 outside the head
};

/// The part of each class in each voxel of `matrix`, times its density: proton density, or sodium in mM. The image is centred in
/// the FOV; in 2D it is averaged over the slice, fov_mm[2] thick, through its middle. The values' unit is found from their
/// histogram: white matter's most frequent value, the highest peak above the mean of all values inside.
/// Errors  bad_shape, bad_option (a FOV that is not positive), bad_file (an image that is 0 everywhere)
VoxelPhantom head_phantom(Context const& context, Anatomy const& anatomy, Matrix const& matrix,
                          std::array<double, 3> const& fov_mm, Nucleus nucleus);

}  // namespace findrho
