// SPDX-License-Identifier: BSD-3-Clause
// Sums over a block of an image in Highway: compiled once per instruction set, the best is called. All of them keep the
// same kSums running sums apart and add those in the same order, and products of single precision are exact in double:
// sums of floats are the same bytes everywhere.
#include "findrho/operator/vector_ops.hpp"

#include "backend/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "operator/vector_ops.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace findrho::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::int64_t kSums = 16;
using Doubles = hn::CappedTag<double, 8>;
using Sum = hn::Vec<Doubles>;
constexpr std::int64_t kWidth = static_cast<std::int64_t>(hn::MaxLanes(Doubles())), kParts = kSums / kWidth;

HWY_INLINE Sum load(double const* at) {
  return hn::LoadU(Doubles(), at);
}
HWY_INLINE Sum load(float const* at) {
  return hn::PromoteTo(Doubles(), hn::LoadU(hn::Rebind<float, Doubles>(), at));
}

double total(double const* sums) {
  double sum = 0;
  for (std::int64_t i = 0; i < kSums; ++i) sum += sums[i];
  return sum;
}

template <class T>
double real_dot(T const* a, T const* b, std::int64_t n) {
  std::int64_t const whole = n / kSums * kSums;
  Sum part[kParts];
  for (Sum& p : part) p = hn::Zero(Doubles());
  for (std::int64_t i = 0; i < whole; i += kSums) {
    for (std::int64_t j = 0; j < kParts; ++j) {
      part[j] = hn::MulAdd(load(a + i + j * kWidth), load(b + i + j * kWidth), part[j]);
    }
  }
  double sums[kSums];
  for (std::int64_t j = 0; j < kParts; ++j) hn::StoreU(part[j], Doubles(), sums + j * kWidth);
  double sum = total(sums);
  for (std::int64_t i = whole; i < n; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// b[i ^ 1] for a vector's worth of i
template <class T>
HWY_INLINE Sum load_swapped(T const* b, std::int64_t i) {
#if HWY_TARGET == HWY_SCALAR
  return load(b + (i ^ 1));
#else
  return hn::Reverse2(Doubles(), load(b + i));
#endif
}

/// The real part as real_dot has it; the imaginary one is the sum of a[i] b[i ^ 1] (-1)^i.
template <class T>
std::complex<double> dot(T const* a, T const* b, std::int64_t n) {
  std::int64_t const whole = n / kSums * kSums;
  Sum real[kParts], crossed[kParts];
  for (Sum& p : real) p = hn::Zero(Doubles());
  for (Sum& p : crossed) p = hn::Zero(Doubles());
  for (std::int64_t i = 0; i < whole; i += kSums) {
    for (std::int64_t j = 0; j < kParts; ++j) {
      std::int64_t const at = i + j * kWidth;
      Sum const factor = load(a + at);
      real[j] = hn::MulAdd(factor, load(b + at), real[j]);
      crossed[j] = hn::MulAdd(factor, load_swapped(b, at), crossed[j]);
    }
  }
  double sums[kSums], cross[kSums];
  for (std::int64_t j = 0; j < kParts; ++j) {
    hn::StoreU(real[j], Doubles(), sums + j * kWidth);
    hn::StoreU(crossed[j], Doubles(), cross + j * kWidth);
  }
  for (std::int64_t s = 1; s < kSums; s += 2) cross[s] = -cross[s];
  double re = total(sums), im = total(cross);
  for (std::int64_t i = whole; i < n; i += 2) {
    double const ar = a[i], ai = a[i + 1], br = b[i], bi = b[i + 1];
    re += ar * br;
    re += ai * bi;
    im += ar * bi - ai * br;
  }
  return {re, im};
}

template <class T>
void subtract_multiple(T re, T im, T const* q, std::int64_t n, T* r) {
  std::int64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  hn::CappedTag<T, 16> const d;
  std::int64_t const lanes = static_cast<std::int64_t>(hn::Lanes(d));
  auto const real = hn::Set(d, re), signed_im = hn::OddEven(hn::Set(d, im), hn::Set(d, -im));
  for (; i + lanes <= n; i += lanes) {
    auto const a = hn::LoadU(d, q + i);
    auto const rest = hn::NegMulAdd(real, a, hn::LoadU(d, r + i));
    hn::StoreU(hn::NegMulAdd(signed_im, hn::Reverse2(d, a), rest), d, r + i);
  }
#endif
  for (; i < n; i += 2) {
    T const a = q[i], b = q[i + 1];
    r[i] -= re * a - im * b;
    r[i + 1] -= re * b + im * a;
  }
}

template <class T>
SumKernels<T> table() {
  return {&real_dot<T>, &dot<T>, &subtract_multiple<T>};
}
SumKernels<float> table_f32() {
  return table<float>();
}
SumKernels<double> table_f64() {
  return table<double>();
}

}  // namespace findrho::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace findrho {

HWY_EXPORT(table_f32);
HWY_EXPORT(table_f64);

template <>
SumKernels<float> sum_kernels() {
  return HWY_DYNAMIC_DISPATCH(table_f32)();
}
template <>
SumKernels<double> sum_kernels() {
  return HWY_DYNAMIC_DISPATCH(table_f64)();
}

}  // namespace findrho
#endif
