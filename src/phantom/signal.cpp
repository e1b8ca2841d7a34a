// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/phantom/signal.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "findrho/core/error.hpp"
#include "words.hpp"

namespace findrho {

double decay_at(Decay const& decay, double t_s) {
  auto const one = [t_s](double t2star_s) { return t2star_s == 0 ? 1 : std::exp(-t_s / t2star_s); };
  if (decay.second_part == 0) return one(decay.t2star_s);
  return (1 - decay.second_part) * one(decay.t2star_s) + decay.second_part * one(decay.second_t2star_s);
}

std::complex<double> signal_at(Decay const& decay, double frequency_hz, double t_s) {
  return std::polar(decay_at(decay, t_s), 2 * std::numbers::pi * frequency_hz * t_s);
}

Decay parse_decay(std::string_view text) {
  if (text == "none") return {};
  auto const words = detail::split(text, '/');
  if (words.size() != 1 && words.size() != 3) {
    throw Error(ErrorKind::bad_option, "T2* is '" + std::string(text) + "'",
                "give none, one time in ms, or long/short/part as in 30/3/0.6");
  }
  Decay decay{.t2star_s = 1e-3 * detail::number_of("T2*", "time", words[0])};
  if (words.size() == 3) {
    decay.second_t2star_s = 1e-3 * detail::number_of("T2*", "short time", words[1]);
    decay.second_part = detail::number_of("T2*", "part", words[2]);
  }
  require_decay(decay);
  return decay;
}

void require_decay(Decay const& decay) {
  for (double const time : {decay.t2star_s, decay.second_t2star_s}) {
    if (time >= 0 && std::isfinite(time)) continue;
    throw Error(ErrorKind::bad_option, fmt::format("T2* is {:g} ms", time * 1e3),
                "give a time above 0, or 0 for no decay");
  }
  if (decay.second_part >= 0 && decay.second_part <= 1) return;
  throw Error(ErrorKind::bad_option, fmt::format("the second T2* has a part of {}", decay.second_part),
              "give a number from 0 to 1");
}

}  // namespace findrho
