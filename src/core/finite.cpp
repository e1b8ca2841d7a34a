// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/finite.hpp"

#include <cmath>

namespace findrho {
namespace {

template <class T>
bool finite(T value) {
  return std::isfinite(value);
}

template <class T>
bool finite(std::complex<T> value) {
  return std::isfinite(value.real()) && std::isfinite(value.imag());
}

template <class T>
std::optional<std::int64_t> first_of(View<T const> values) {
  for (std::int64_t i = 0; i < values.size(); ++i) {
    if (!finite(values[i])) return i;
  }
  return {};
}

}  // namespace

std::optional<std::int64_t> first_non_finite(View<float const> values) {
  return first_of(values);
}
std::optional<std::int64_t> first_non_finite(View<double const> values) {
  return first_of(values);
}
std::optional<std::int64_t> first_non_finite(View<std::complex<float> const> values) {
  return first_of(values);
}
std::optional<std::int64_t> first_non_finite(View<std::complex<double> const> values) {
  return first_of(values);
}

}  // namespace findrho
