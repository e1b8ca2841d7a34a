// SPDX-License-Identifier: BSD-3-Clause
// Objects made of voxels: a density per tissue, each tissue with a signal of its own.
#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/phantom/phantom.hpp"

namespace findrho {

/// What the numbers stand for.
enum class VoxelMeaning : std::uint8_t {
  boxes,  // the object is boxes of even density: its k-space is the sum over voxels times sinc(k_d / n_d) along each axis
  averages  // of a smooth or sharp object over boxes: its k-space is the sum divided by the sincs, up to aliasing
};

/// Voxels that fill the FOV; voxel n of N sits at (n - floor(N/2)) / N.
struct VoxelPhantom {
  struct Tissue {
    std::string name;
    Array<float> density;  // (z, y, x), averaged over each voxel
    Decay decay{};
    double frequency_hz = 0;
  };
  Matrix matrix;
  std::vector<Tissue> tissues;
  VoxelMeaning meaning = VoxelMeaning::boxes;
};

/// The voxel averages of solids, those of equal signal as one tissue.
VoxelPhantom voxelise(Context const& context, Phantom const& phantom, Matrix const& matrix);

/// The sum of all tissues.
Array<std::complex<double>> voxel_image(VoxelPhantom const& phantom);

/// Mean |image| where any tissue is: the signal in our definition of SNR.
double mean_inside(VoxelPhantom const& phantom);

}  // namespace findrho
