// SPDX-License-Identifier: BSD-3-Clause
// The fastest way along a given curve through k-space under limits on the gradient and its slew rate.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "findrho/core/scan.hpp"
#include "findrho/trajectory/scanner.hpp"

namespace findrho::detail {

using Point = std::array<double, 3>;  // cycles per FOV

/// k at a parameter; called only within the range of the nodes.
using Curve = std::function<Point(double)>;

enum class Start { at_rest, moving };

struct Pace {
  Scanner scanner;
  double dwell_s = 5e-6;
  double cycles_per_sample = 1;  // largest distance between samples, in cycles per FOV of the longest FOV
  Start start = Start::at_rest;
  std::int64_t samples = 0;  // play it slower, so that it has so many; 0: as fast as the limits allow
};

/// Nodes of a curve's parameter from begin to end, so dense that between two of them the curve turns by at most `turn` and
/// the parameter advances by at most `largest`; turn_rate is the angle per parameter.
std::vector<double> curve_nodes(double begin, double end, double largest, double turn,
                                std::function<double(double)> const& turn_rate);

/// Parameters of the samples, the first at the first node and the last at the last one; played one dwell time apart.
/// The speed is as high everywhere as gradient, slew rate and distance between samples allow: forward and backward
/// integration of its square over the arc length. Limits hold for the first and second differences of the samples.
/// Errors  bad_option (limits that are not positive)
/// Source  Lustig, Kim and Pauly, IEEE TMI 27:866 (2008), doi:10.1109/TMI.2008.922699
std::vector<double> time_optimal(Curve const& curve, std::vector<double> const& nodes, Pace const& pace);

/// The fewest interleaves, at most `most`, that fit; more of them are shorter.
/// Errors  bad_option, where even the most do not keep the readout below its limit
std::int64_t fewest_interleaves(std::int64_t most, double longest_readout_s,
                                std::function<bool(std::int64_t)> const& fits);

/// What a radius in units of `edge` is multiplied with per axis so that a curve designed on the circle or sphere needs, turned in
/// any way, at least what its picture on the matrix's ellipse needs: the axis with the largest gradient per edge sets all.
Point widest_scale(Matrix const& matrix, Scanner const& scanner, double edge);

/// Errors  bad_option
void require_scanner(Scanner const& scanner);

}  // namespace findrho::detail
