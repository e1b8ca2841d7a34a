// SPDX-License-Identifier: BSD-3-Clause
// What a spin's signal does during a readout.
#pragma once
#include <complex>
#include <cstdint>
#include <string_view>

namespace findrho {

/// Transverse decay from the echo reference (t = 0) on, where the density is what the signal is there:
///   (1 - second_part) exp(-t / t2star_s) + second_part exp(-t / second_t2star_s)
/// Before the echo reference the signal was larger. A time of 0 means no decay.
struct Decay {
  double t2star_s = 0, second_t2star_s = 0;
  double second_part = 0;  // sodium in tissue: 0.6 of the short time
  bool none() const { return t2star_s == 0 && (second_part == 0 || second_t2star_s == 0); }
  bool operator==(Decay const&) const = default;
};

/// The decay at t seconds from the echo reference.
double decay_at(Decay const& decay, double t_s);
/// decay_at times exp(+i 2 pi f t), as in docs/conventions.md.
std::complex<double> signal_at(Decay const& decay, double frequency_hz, double t_s);

/// "none", "20" (ms), or "30/3/0.6": long and short time (ms) and the part of the short one.
/// Errors  bad_option
Decay parse_decay(std::string_view text);

/// Errors  bad_option (times below 0 or not finite, a part outside 0..1)
void require_decay(Decay const& decay);

}  // namespace findrho
