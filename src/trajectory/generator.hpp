// SPDX-License-Identifier: BSD-3-Clause
// What every trajectory generator needs: option checks, allocation, sample times.
#pragma once
#include <cstdint>
#include <string>

#include "findrho/core/scan.hpp"

namespace findrho::detail {

/// What a value in SI units is called where its options are given in another unit.
struct Unit {
  double per_si = 1;
  char const* name = "";
};
inline constexpr Unit kMicroseconds{1e6, " us"}, kMilliseconds{1e3, " ms"};

/// Errors  bad_option, saying in plain words what is wrong and its value, in the unit in which it was given
void require_positive(std::int64_t value, std::string const& what);
void require_positive(double value, std::string const& what, Unit const& unit = {});
/// Errors  bad_option, when the matrix is empty or has other dimensions than the trajectory
void require_matrix(Matrix const& matrix, int dims, std::string const& trajectory);

/// A computed count, rounded up, at least 1.
/// Errors  bad_option, for more than any scan has
std::int64_t count_from(double count, std::string const& what);

/// The next step where a trajectory does not fit the memory.
inline constexpr char kTakeFewer[] = "give a smaller matrix, fewer shots or samples";

/// A trajectory of `readouts` x `samples` with all k = 0 and times (j - dc_sample) dwell_s in every readout.
/// Errors  bad_option, for more samples than any scan has; out_of_memory
Trajectory empty_trajectory(int dims, std::int64_t readouts, std::int64_t samples, std::int64_t dc_sample,
                            double dwell_s);

}  // namespace findrho::detail
