// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

constexpr double kOnCentre = 1e-6;  // cycles per FOV: far above rounding, far below what moves an image

/// Largest length of the n-th difference (n 1 or 2) of k within the readouts, each axis in T/m per (cycle/FOV)/s.
double largest_difference(Trajectory const& t, Scanner const& scanner, int order) {
  double largest_sq = 0;
  std::int64_t const n = t.samples_per_readout;
  for (std::int64_t first = 0; first < t.size(); first += n) {
    for (std::int64_t j = first; j + order < first + n; ++j) {
      auto const m = static_cast<std::size_t>(j);
      double sum = 0;
      for (int d = 0; d < t.dims; ++d) {
        auto const& k = t[d];
        double const difference = order == 1 ? k[m + 1] - k[m] : k[m + 2] - 2 * k[m + 1] + k[m];
        double const g = difference * gradient_of_cycles_per_s(scanner, d);
        sum += g * g;
      }
      largest_sq = std::max(largest_sq, sum);
    }
  }
  return std::sqrt(largest_sq);
}

void find_dc(Trajectory const& t, TrajectoryFacts& facts) {
  double nearest_sq = INFINITY;
  for (std::size_t m = 0; m < t.kx.size(); ++m) {
    double sum = 0;
    for (int d = 0; d < t.dims; ++d) {
      auto& largest = facts.largest_k[static_cast<std::size_t>(d)];
      largest = std::max(largest, std::abs(t[d][m]));
      sum += t[d][m] * t[d][m];
    }
    nearest_sq = std::min(nearest_sq, sum);
  }
  facts.dc_distance = std::sqrt(nearest_sq);
  facts.dc_on_sample = facts.dc_distance <= kOnCentre;
  facts.dc_sample = dc_sample(t);
  for (std::int64_t j = 0; j < t.samples_per_readout;
       ++j) {  // files may say no time, or one from the first sample on
    auto const m = static_cast<std::size_t>(j);
    double const distance = std::hypot(t.kx[m], t.ky[m], t.dims == 3 ? t.kz[m] : 0);
    if (distance > kOnCentre) continue;
    facts.dc_sample = j;
    break;
  }
}

/// The two numbers with as many digits, 4 or more, as tell them apart.
void refuse_limit(char const* what, double used, double limit, char const* unit, char const* hint) {
  int digits = 4;
  while (digits < 17 && fmt::format("{:.{}g}", used, digits) == fmt::format("{:.{}g}", limit, digits))
    ++digits;
  throw Error(ErrorKind::bad_option,
              fmt::format("the trajectory needs a {} of {:.{}g} {}, the limit is {:.{}g} {}", what, used,
                          digits, unit, limit, digits, unit),
              hint);
}

}  // namespace

std::int64_t dc_sample(Trajectory const& t) {
  if (t.time_s.empty() || t.samples_per_readout < 1) return 0;
  auto const end = t.time_s.begin() + static_cast<std::ptrdiff_t>(t.samples_per_readout);
  auto const nearer = [](float a, float b) { return std::abs(a) < std::abs(b); };
  return std::min_element(t.time_s.begin(), end, nearer) - t.time_s.begin();
}

double uniform_dwell_s(Trajectory const& t) {
  std::int64_t const n = t.samples_per_readout;
  if (t.time_s.empty() || n < 2) return 0;
  double const first = t.time_s[0],
               dwell = (t.time_s[static_cast<std::size_t>(n - 1)] - first) / double(n - 1);
  for (std::int64_t j = 0; j < n; ++j) {
    double const time = t.time_s[static_cast<std::size_t>(j)];
    // A float's rounding of the time itself, 6e-8, and of the two that the dwell is made from.
    double const rounding = 4 * 6e-8 * std::max(std::abs(first), std::abs(first + dwell * double(n - 1)));
    if (std::abs(first + dwell * static_cast<double>(j) - time) > rounding) {
      throw Error(
          ErrorKind::bad_option,
          fmt::format("sample {} of a readout comes {:.4g} s after the first, not {} dwell times of {:.4g} s",
                      j, time - first, j, dwell),
          "give samples at equal steps of time");
    }
  }
  return dwell;
}

TrajectoryFacts trajectory_facts(Trajectory const& t, Scanner const& scanner, double repetition_time_s) {
  std::int64_t const n = t.samples_per_readout;
  if (t.size() < 1 || n < 1 || t.size() % n != 0) {
    throw Error(ErrorKind::bad_option,
                fmt::format("{} samples in readouts of {} are no trajectory", t.size(), n),
                "give readouts of equal length");
  }
  TrajectoryFacts facts;
  facts.samples_per_shot = n;
  facts.shots = t.size() / n;
  find_dc(t, facts);
  facts.dwell_s = uniform_dwell_s(t);
  if (facts.dwell_s > 0) {
    facts.gradient_mT_m = 1e3 * largest_difference(t, scanner, 1) / facts.dwell_s;
    facts.slew_T_m_s = largest_difference(t, scanner, 2) / (facts.dwell_s * facts.dwell_s);
    facts.readout_s = static_cast<double>(n) * facts.dwell_s;
  }
  if (!(repetition_time_s > 0)) {
    throw Error(ErrorKind::bad_option,
                fmt::format("the repetition time is {:.4g} ms", repetition_time_s * 1e3),
                "give a time above 0");
  }
  if (repetition_time_s < facts.readout_s) {
    throw Error(ErrorKind::bad_option,
                fmt::format("the repetition time of {:.4g} ms is shorter than a readout, {:.4g} ms",
                            repetition_time_s * 1e3, facts.readout_s * 1e3),
                "give a longer repetition time or more shots of fewer samples");
  }
  facts.scan_time_s = static_cast<double>(facts.shots) * repetition_time_s;
  return facts;
}

void require_limits(TrajectoryFacts const& facts, Scanner const& scanner) {
  // Limits are met to rounding. A float time is off by at most 2^-24 of itself, and so is the dwell time that the first and
  // the last one around the echo give; the gradient goes with its inverse, the slew rate with the square of that. And k of
  // 1000 cycles per FOV rounds to 1e-13, its second difference to 4 of these: 1e-8 of what 20 T/m/s make of it in 1 us (23Na).
  constexpr double kTimes = 0x1p-24, kPositions = 1e-8;
  if (facts.gradient_mT_m > scanner.gradient_mT_m * (1 + kTimes + kPositions)) {
    refuse_limit("gradient", facts.gradient_mT_m, scanner.gradient_mT_m, "mT/m",
                 "give a longer dwell time, a larger field of view or a smaller matrix");
  }
  if (facts.slew_T_m_s > scanner.slew_T_m_s * (1 + 2 * kTimes + kPositions)) {
    refuse_limit("slew rate", facts.slew_T_m_s, scanner.slew_T_m_s, "T/m/s",
                 "give a longer dwell time, or a generator that is designed under limits");
  }
}

}  // namespace findrho
