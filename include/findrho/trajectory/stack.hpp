// SPDX-License-Identifier: BSD-3-Clause
// A 2D trajectory in every plane kz: stack of stars, stack of spirals.
#pragma once
#include <cstdint>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/spiral_vd.hpp"

namespace findrho {

enum class StackTurn {
  aligned,  // every plane alike
  golden  // every plane turned by the golden angle from the one before: undersampling looks like noise along z
};

struct StackOfStarsOptions : Radial2dOptions {
  std::int64_t acceleration_z = 1;  // every n-th plane
  StackTurn turn = StackTurn::aligned;
};

struct StackOfSpiralsOptions : SpiralVdOptions {
  std::int64_t acceleration_z = 1;
  StackTurn turn = StackTurn::aligned;
};

/// Planes kz = -floor(Nz/2) .. Nz - floor(Nz/2) - 1, of which every acceleration_z-th is measured, kz = 0 among them; all
/// shots of a plane, then the next plane. In the plane as make_radial_2d or make_spiral_vd.
/// Units, DC, Time, Errors  as there; DC on a sample of the plane kz = 0
/// Source  Block et al., J Korean Soc Magn Reson Med 18:87 (2014), doi:10.13104/jksmrm.2014.18.2.87;
///         golden turn: Zhou et al., MRM 78:2290 (2017), doi:10.1002/mrm.26625
Trajectory make_stack_of_stars(Matrix const& matrix, StackOfStarsOptions const& options = {});
/// Source  Irarrazabal and Nishimura, MRM 33:656 (1995)
Trajectory make_stack_of_spirals(Matrix const& matrix, StackOfSpiralsOptions const& options = {});

}  // namespace findrho
