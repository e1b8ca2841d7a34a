// SPDX-License-Identifier: BSD-3-Clause
// Rigid motion of the object from readout to readout; coils and gradients stay where they are.
#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace findrho {

/// Where the object is: turned about the centre of the FOV, first about x, then y, then z, then shifted.
struct Pose {
  std::array<double, 3> turn_rad{0, 0, 0};  // about z: from x towards y
  std::array<double, 3> shift_mm{0, 0, 0};
  bool operator==(Pose const&) const = default;
};

enum class MotionKind : std::uint8_t {
  none,
  drift,      // evenly from rest at the first readout to `most` at the last
  step,       // at rest, then at `most` from the part `step_at` of the readouts on
  breathing,  // between rest and `most`: sin^4(pi t / period), longest near rest
  random      // a random walk from rest whose standard deviation reaches `most` at the last readout
};

struct Motion {
  MotionKind kind = MotionKind::none;
  Pose most{};
  double step_at = 0.5;
  double period_s = 4;
  std::uint64_t seed = 1;  // of the random walk
};

/// The pose at each of `readouts` readouts, repetition_time_s apart. Within a readout the object rests.
/// Errors  bad_option
/// Source  breathing: Lujan et al., Med. Phys. 26:715 (1999)
std::vector<Pose> poses(Motion const& motion, std::int64_t readouts, double repetition_time_s);

/// "drift:turn=10,shift_x=5", "step:at=0.3,shift_y=8", "breathing:period=4,shift_y=10", "random:turn=3", "none".
/// Turns (turn_x, turn_y, turn_z; turn is turn_z) in degrees, shifts in mm, period in s.
/// Errors  bad_option
Motion parse_motion(std::string_view text);

/// r -> turn r + shift, r in FOV units.
struct Placement {
  std::array<std::array<double, 3>, 3> turn{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  std::array<double, 3> shift{0, 0, 0};
  bool operator==(Placement const&) const = default;
};

/// A pose in FOV units. A turn is one in mm: where the FOV is not square it is no turn in FOV units.
/// Errors  bad_option (a 2D object that leaves its plane)
Placement placement(Pose const& pose, std::array<double, 3> const& fov_mm, int dims);

}  // namespace findrho
