// SPDX-License-Identifier: BSD-3-Clause
// Finds NaN and infinity, so that a message can name the first.
#pragma once
#include <complex>
#include <cstdint>
#include <optional>

#include "findrho/core/array.hpp"

namespace findrho {

/// Index of the first element that is NaN or infinite (in either part); nothing when all are finite.
std::optional<std::int64_t> first_non_finite(View<float const> values);
std::optional<std::int64_t> first_non_finite(View<double const> values);
std::optional<std::int64_t> first_non_finite(View<std::complex<float> const> values);
std::optional<std::int64_t> first_non_finite(View<std::complex<double> const> values);

}  // namespace findrho
