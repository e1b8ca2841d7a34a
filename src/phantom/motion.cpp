// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/motion.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>

#include "findrho/core/error.hpp"
#include "random.hpp"
#include "words.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using Rows = std::array<std::array<double, 3>, 3>;

constexpr std::array<std::pair<char const*, MotionKind>, 5> kKinds{{{"none", MotionKind::none},
                                                                    {"drift", MotionKind::drift},
                                                                    {"step", MotionKind::step},
                                                                    {"breathing", MotionKind::breathing},
                                                                    {"random", MotionKind::random}}};

[[noreturn]] void refuse(std::string const& what, std::string const& hint) {
  throw Error(ErrorKind::bad_option, what, hint);
}

Pose part_of(Pose const& most, double part) {
  Pose pose;
  for (std::size_t d = 0; d < 3; ++d) {
    pose.turn_rad[d] = part * most.turn_rad[d];
    pose.shift_mm[d] = part * most.shift_mm[d];
  }
  return pose;
}

/// How much of `most` has happened at a readout, for the kinds that move along one path.
double part_at(Motion const& motion, std::int64_t readout, std::int64_t readouts, double time_s) {
  double const position = static_cast<double>(readout);
  switch (motion.kind) {
    case MotionKind::drift:
      return readouts > 1 ? position / static_cast<double>(readouts - 1) : 0;
    case MotionKind::step:
      return position >= motion.step_at * static_cast<double>(readouts) ? 1 : 0;
    case MotionKind::breathing:
      return std::pow(std::sin(pi * time_s / motion.period_s), 4);
    default:
      return 0;
  }
}

/// Independent walks along the six coordinates: steps of deviation most / sqrt(readouts - 1).
std::vector<Pose> random_walk(Motion const& motion, std::int64_t readouts) {
  constexpr std::uint64_t kStream = 0x6d6f74696f6e;  // apart from the noise's streams
  detail::RandomNumbers const random(motion.seed, kStream);
  std::vector<Pose> walk(static_cast<std::size_t>(readouts));
  for (std::size_t i = 1; i < walk.size(); ++i) {
    double const scale = 1 / std::sqrt(static_cast<double>(readouts - 1));
    for (std::size_t d = 0; d < 3; ++d) {
      auto const step = scale * random.gaussian_pair(3 * i + d);
      walk[i].turn_rad[d] = walk[i - 1].turn_rad[d] + motion.most.turn_rad[d] * step.real();
      walk[i].shift_mm[d] = walk[i - 1].shift_mm[d] + motion.most.shift_mm[d] * step.imag();
    }
  }
  return walk;
}

Rows product(Rows const& a, Rows const& b) {
  Rows c{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) {
      for (std::size_t k = 0; k < 3; ++k) c[i][j] += a[i][k] * b[k][j];
    }
  }
  return c;
}

/// A turn about one axis: from the next axis (x, y, z, x, ...) towards the one after it.
Rows turn_about(std::size_t axis, double angle) {
  std::size_t const from = (axis + 1) % 3, towards = (axis + 2) % 3;
  Rows turn{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  turn[from][from] = turn[towards][towards] = std::cos(angle);
  turn[towards][from] = std::sin(angle);
  turn[from][towards] = -std::sin(angle);
  return turn;
}

MotionKind kind_of(std::string_view word) {
  for (auto const& [name, kind] : kKinds) {
    if (word == name) return kind;
  }
  refuse("there is no motion '" + std::string(word) + "'", "one of none, drift, step, breathing, random");
}

/// Whether the key is one of a pose.
bool set_pose(Pose& pose, std::string_view key, double value) {
  constexpr std::array<std::string_view, 3> kTurns{"turn_x", "turn_y", "turn_z"},
      kShifts{"shift_x", "shift_y", "shift_z"};
  for (std::size_t d = 0; d < 3; ++d) {
    if (key == kTurns[d] || (d == 2 && key == "turn")) {
      pose.turn_rad[d] = value * pi / 180;
      return true;
    }
    if (key == kShifts[d]) {
      pose.shift_mm[d] = value;
      return true;
    }
  }
  return false;
}

void check(Motion const& motion) {
  if (!(motion.step_at >= 0 && motion.step_at <= 1)) {
    refuse(fmt::format("the motion's step is at {} of the scan", motion.step_at),
           "give a number from 0 to 1");
  }
  if (!(motion.period_s > 0) || !std::isfinite(motion.period_s)) {
    refuse(fmt::format("the motion's period is {} s", motion.period_s), "give a time above 0");
  }
}

}  // namespace

std::vector<Pose> poses(Motion const& motion, std::int64_t readouts, double repetition_time_s) {
  check(motion);
  if (motion.kind == MotionKind::random) return random_walk(motion, readouts);
  std::vector<Pose> result;
  for (std::int64_t i = 0; i < readouts; ++i) {
    result.push_back(
        part_of(motion.most, part_at(motion, i, readouts, static_cast<double>(i) * repetition_time_s)));
  }
  return result;
}

Motion parse_motion(std::string_view text) {
  std::size_t const colon = text.find(':');
  Motion motion;
  motion.kind = kind_of(text.substr(0, colon));
  std::string_view const rest = colon == std::string_view::npos ? "" : text.substr(colon + 1);
  if (motion.kind == MotionKind::none && colon != std::string_view::npos) {
    refuse("the motion none takes nothing, not '" + std::string(rest) + "'",
           "say how it moves: drift, step, breathing or random");
  }
  for (auto const& [key, word] : detail::key_values(rest)) {
    double const value = detail::number_of("motion", key, word);
    if (key == "at" && motion.kind == MotionKind::step) {
      motion.step_at = value;
    } else if (key == "period" && motion.kind == MotionKind::breathing) {
      motion.period_s = value;
    } else if (!set_pose(motion.most, key, value)) {
      refuse("the motion " + std::string(text.substr(0, colon)) + " takes no '" + std::string(key) + "'",
             "it takes turn, turn_x, turn_y, turn_z in degrees and shift_x, shift_y, shift_z in mm; step "
             "also at, "
             "breathing also period");
    }
  }
  check(motion);
  return motion;
}

Placement placement(Pose const& pose, std::array<double, 3> const& fov_mm, int dims) {
  if (dims == 2 && (pose.turn_rad[0] != 0 || pose.turn_rad[1] != 0 || pose.shift_mm[2] != 0)) {
    refuse("a 2D object cannot leave its plane", "turn it about z and shift it along x and y");
  }
  Placement result;
  Rows const turn = product(turn_about(2, pose.turn_rad[2]),
                            product(turn_about(1, pose.turn_rad[1]), turn_about(0, pose.turn_rad[0])));
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t e = 0; e < 3; ++e) result.turn[d][e] = turn[d][e] * fov_mm[e] / fov_mm[d];
    result.shift[d] = pose.shift_mm[d] / fov_mm[d];
  }
  return result;
}

}  // namespace findrho
