// SPDX-License-Identifier: BSD-3-Clause
// A trajectory as a picture: k-space with one readout highlighted, and the gradients that play it.
#pragma once
#include <string>

#include "findrho/core/scan.hpp"
#include "findrho/io/png.hpp"
#include "findrho/recipe/psf.hpp"
#include "findrho/trajectory/facts.hpp"

namespace findrho {

struct TrajectoryPicture {
  std::string title;
  Trajectory const& trajectory;
  Matrix matrix;
  Scanner scanner;
  TrajectoryFacts facts;
};

/// 2D: the plane. 3D: seen from above at an angle (axonometric), near lines brighter than far ones.
GreyImage draw_trajectory(TrajectoryPicture const& picture);

/// 0 dB white to -60 dB black; in 3D the three planes through the centre.
GreyImage draw_psf(PsfFacts const& psf, Matrix const& matrix);

}  // namespace findrho
