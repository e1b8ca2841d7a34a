// SPDX-License-Identifier: BSD-3-Clause
// Objects made of ellipsoids, boxes and cylinders, whose voxel averages and k-space are known in closed form.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/phantom/coils.hpp"
#include "findrho/phantom/motion.hpp"
#include "findrho/phantom/signal.hpp"

namespace findrho {

enum class SolidShape : std::uint8_t {
  ellipsoid,  // 2D: ellipse
  box,        // 2D: rectangle
  cylinder    // along z, with an elliptic base; 2D: ellipse
};

/// Lengths in FOV units: the image covers -0.5..0.5 on every axis. In 2D the z entries are ignored.
struct Solid {
  SolidShape shape = SolidShape::ellipsoid;
  double density = 1;  // added to what else lies there
  std::array<double, 3> center{0, 0, 0};
  std::array<double, 3> semi_axis{0.5, 0.5, 0.5};  // half lengths along the rotated x, y and along z
  double rotation_rad = 0;                         // about z, from x towards y
  double frequency_hz = 0;                         // off-resonance
  Decay decay{};
};

struct Phantom {
  int dims = 2;
  std::vector<Solid> solids;
};

enum class SheppLoganContrast {
  original,  // skull 2, brain 1.02, structures 1 to 2 %
  modified   // skull 1, brain 0.2, structures 0.1 to 0.3: visible without windowing
};

/// The Shepp-Logan head, -1..1 of its table on -0.5..0.5 FOV. Upright in array order: shown with row y = 0 on
/// top, the three small ellipses lie at the bottom and the larger of the two dark ventricles on the left (the
/// table's y is up, our y runs down, as in the usual picture). In 3D z rises with the table's z. The phantom
/// stretches with an FOV that is not square.
/// Errors  bad_option
/// Source  Shepp and Logan, IEEE TNS 21:21 (1974), doi:10.1109/TNS.1974.6499235; modified contrast: Toft, The
///         Radon Transform, thesis, TU Denmark (1996); 3D: after Kak and Slaney, Principles of Computerized
///         Tomographic Imaging (1988), p. 102, with the lengths of Schabel's phantom3d; all rotations about z
Phantom shepp_logan(int dims, SheppLoganContrast contrast = SheppLoganContrast::modified);

/// Density averaged over each voxel. (z, y, x)
/// Exact along x; along z exact for boxes and cylinders, along y exact for boxes that are not rotated; else on 8 lines per
/// voxel.
/// Errors  bad_shape, bad_option
Array<std::complex<double>> phantom_image(Context const& context, Phantom const& phantom,
                                          Matrix const& matrix);

/// Mean |image| over the voxels whose centre lies inside any solid: the signal in our definition of SNR.
double mean_inside(Phantom const& phantom, View<std::complex<double> const> image, Matrix const& matrix);

/// What an ideal scanner measures of the continuous object through each coil:
///   d[c,m] = prod N sum_solids g(t_m) int s_c(r) rho(r) exp(-i 2 pi k_m . r) dr,  r in FOV units
/// which is F applied to the voxel averages, up to discretisation (sinc(k/N) along each axis, aliasing).
/// g: the solid's off-resonance and decay at the sample's time from the echo reference (signal_at).
/// placements: where the whole object is during each readout, seen through coils at rest; empty: at rest.
/// Shapes  result (coil, sample)
/// Units   k in cycles per FOV
/// Errors  bad_shape, bad_option (also: a solid with a signal of its own where the samples' times are unknown), cancelled
/// Cost    one sincos pair, a Bessel recurrence and coils x monomials multiply-adds per sample and solid
/// Source  Koay, Sarlls and Ozarslan, MRM 58:430 (2007), doi:10.1002/mrm.21292 (ellipsoid);
///         Guerquin-Kern et al., IEEE TMI 31:626 (2012), doi:10.1109/TMI.2011.2174158 (polynomial maps)
Array<std::complex<double>> phantom_samples(Context const& context, Phantom const& phantom,
                                            Matrix const& matrix, Trajectory const& trajectory,
                                            CoilSet const& coils,
                                            std::vector<Placement> const& placements = {});

/// Without coils: (coil 1, sample).
Array<std::complex<double>> phantom_samples(Context const& context, Phantom const& phantom,
                                            Matrix const& matrix, Trajectory const& trajectory);

}  // namespace findrho
