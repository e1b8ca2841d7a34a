// SPDX-License-Identifier: BSD-3-Clause
// Two vectors by eight rows make sixteen sums in registers: enough for two multiply-adds a clock at four clocks each. An odd
// last vector has eight, which hide one a clock. Instruction sets with sixteen registers take the rows in two halves.
#include "dft/separable_kernel.hpp"

#include "backend/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dft/separable_kernel.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace findrho::ladder::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kRun = kSeparableRun, kRows = kSeparableRows;
template <class T>
using Tag = hn::ScalableTag<T>;
template <class T>
constexpr int kLanes = static_cast<int>(hn::MaxLanes(Tag<T>()));
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSE2
constexpr int kRowsAtOnce = 4;  // sixteen registers
#else
constexpr int kRowsAtOnce = 8;
#endif

/// A matrix of two vectors a row, or of one: row k of vector v begins at data + k step + v apart.
template <class T>
struct Right {
  T const* data;
  int step, apart;
};

/// sum[v][r] = sum_k left[r][k] right[k][v], R rows `stride` numbers apart, V vectors wide.
template <int V, int R, class T>
HWY_INLINE void product(T const* left, std::int64_t stride, Right<T> const& right, int count,
                        hn::Vec<Tag<T>> (&sum)[V][R]) {
  Tag<T> const d;
  for (int v = 0; v < V; ++v) {
    for (int r = 0; r < R; ++r) sum[v][r] = hn::Zero(d);
  }
  for (int k = 0; k < count; ++k) {
    hn::Vec<Tag<T>> b[V];
    for (int v = 0; v < V; ++v) b[v] = hn::Load(d, right.data + k * right.step + v * right.apart);
    HWY_UNROLL(8)
    for (int r = 0; r < R; ++r) {
      auto const l = hn::Set(d, left[r * stride + k]);
      for (int v = 0; v < V; ++v) sum[v][r] = hn::MulAdd(l, b[v], sum[v][r]);
    }
  }
}

/// The left factor of a run of samples: rows mu x (cos a, sin a) x (cos b, sin b).
template <class T>
HWY_INLINE void left_rows(GatherJob<T> const& job, T const* b, T* HWY_RESTRICT rows) {
  Tag<T> const d;
  for (int k = 0; k < kRun; k += kLanes<T>) {
    auto const ca = hn::Load(d, job.a + k), sa = hn::Load(d, job.a + kRun + k);
    auto const cb = hn::Load(d, b + k), sb = hn::Load(d, b + kRun + k);
    hn::Vec<Tag<T>> const ab[4] = {hn::Mul(ca, cb), hn::Mul(ca, sb), hn::Mul(sa, cb), hn::Mul(sa, sb)};
    auto const re = hn::Load(d, job.mu_re + k), im = hn::Load(d, job.mu_im + k);
    for (int i = 0; i < 4; ++i) {
      hn::Store(hn::Mul(re, ab[i]), d, rows + i * kRun + k);
      hn::Store(hn::Mul(im, ab[i]), d, rows + (4 + i) * kRun + k);
    }
  }
}

/// to[..] += sums, in double: what the number of samples does to the error ends here.
HWY_INLINE void add_to(double* to, hn::Vec<Tag<double>> sums) {
  Tag<double> const d;
  hn::Store(hn::Add(hn::Load(d, to), sums), d, to);
}
HWY_INLINE void add_to(double* to, hn::Vec<Tag<float>> sums) {
#if HWY_TARGET == HWY_SCALAR
  *to += static_cast<double>(hn::GetLane(sums));
#else
  Tag<double> const d;
  hn::Half<Tag<float>> const half;
  add_to(to, hn::PromoteTo(d, hn::LowerHalf(half, sums)));
  add_to(to + hn::MaxLanes(d), hn::PromoteTo(d, hn::UpperHalf(half, sums)));
#endif
}

/// Adds one slot's products with V vectors of columns.
template <int V, class T>
HWY_INLINE void gather_vectors(T const* rows, T const* right, double* sums, std::int64_t columns) {
  for (int r = 0; r < kRows; r += kRowsAtOnce) {
    hn::Vec<Tag<T>> sum[V][kRowsAtOnce];
    product(rows + r * kRun, kRun, Right<T>{right, kLanes<T>, kRun * kLanes<T>}, kRun, sum);
    for (int i = 0; i < kRowsAtOnce; ++i) {
      for (int v = 0; v < V; ++v) add_to(sums + (r + i) * columns + v * kLanes<T>, sum[v][i]);
    }
  }
}

template <class T>
void gather(GatherJob<T> const& job) {
  HWY_ALIGN T rows[kSeparableGroup][kRows * kRun];
  std::int64_t const columns = static_cast<std::int64_t>(job.vectors) * kLanes<T>;
  for (int s = 0; s < job.slots; ++s) left_rows(job, job.b + s * 2 * kRun, rows[s]);
  for (int v = 0; v < job.vectors; v += 2) {
    T const* const right = job.c + static_cast<std::int64_t>(v) * kRun * kLanes<T>;
    for (int s = 0; s < job.slots; ++s) {
      double* const sums = job.sums + s * kRows * columns + v * kLanes<T>;
      v + 1 < job.vectors ? gather_vectors<2>(rows[s], right, sums, columns)
                          : gather_vectors<1>(rows[s], right, sums, columns);
    }
  }
}

/// The four rows of mu's one part, times the left factor, added up.
template <class T>
HWY_INLINE hn::Vec<Tag<T>> weighted(hn::Vec<Tag<T>> const* g, hn::Vec<Tag<T>> const (&ab)[4]) {
  auto const first = hn::MulAdd(g[1], ab[1], hn::Mul(g[0], ab[0]));
  return hn::MulAdd(g[3], ab[3], hn::MulAdd(g[2], ab[2], first));
}

template <class T>
void forward(ForwardJob<T> const& job) {
  Tag<T> const d;
  constexpr int kTimes = kRows / kRowsAtOnce, kWide = 2 * kLanes<T>;
  for (int first = 0; first < kRun; first += kWide) {
    T const* const right = job.c + static_cast<std::int64_t>(first) * job.columns;
    hn::Vec<Tag<T>> re[2] = {hn::Zero(d), hn::Zero(d)}, im[2] = {hn::Zero(d), hn::Zero(d)};
    for (int s = 0; s < job.slots; ++s) {
      hn::Vec<Tag<T>> g[2][kRows];
      for (int t = 0; t < kTimes; ++t) {
        hn::Vec<Tag<T>> sum[2][kRowsAtOnce];
        T const* const left = job.sums + static_cast<std::int64_t>(s * kRows + t * kRowsAtOnce) * job.columns;
        product(left, job.columns, Right<T>{right, kWide, kLanes<T>}, job.columns, sum);
        for (int i = 0; i < kRowsAtOnce; ++i) {
          g[0][t * kRowsAtOnce + i] = sum[0][i];
          g[1][t * kRowsAtOnce + i] = sum[1][i];
        }
      }
      T const *const a = job.a + first, *const b = job.b + s * 2 * kRun + first;
      for (int half = 0; half < 2; ++half) {
        int const k = half * kLanes<T>;
        auto const ca = hn::Load(d, a + k), sa = hn::Load(d, a + kRun + k);
        auto const cb = hn::Load(d, b + k), sb = hn::Load(d, b + kRun + k);
        hn::Vec<Tag<T>> const ab[4] = {hn::Mul(ca, cb), hn::Mul(ca, sb), hn::Mul(sa, cb), hn::Mul(sa, sb)};
        re[half] = hn::Add(re[half], weighted<T>(g[half], ab));
        im[half] = hn::Add(im[half], weighted<T>(g[half] + 4, ab));
      }
    }
    for (int half = 0; half < 2; ++half) {
      add_to(job.re + first + half * kLanes<T>, re[half]);
      add_to(job.im + first + half * kLanes<T>, im[half]);
    }
  }
}

int lanes_f32() {
  return kLanes<float>;
}
int lanes_f64() {
  return kLanes<double>;
}
void gather_f32(GatherJob<float> const& job) {
  gather(job);
}
void gather_f64(GatherJob<double> const& job) {
  gather(job);
}
void forward_f32(ForwardJob<float> const& job) {
  forward(job);
}
void forward_f64(ForwardJob<double> const& job) {
  forward(job);
}

}  // namespace findrho::ladder::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace findrho::ladder {

HWY_EXPORT(lanes_f32);
HWY_EXPORT(lanes_f64);
HWY_EXPORT(gather_f32);
HWY_EXPORT(gather_f64);
HWY_EXPORT(forward_f32);
HWY_EXPORT(forward_f64);

template <>
int separable_lanes<float>() {
  return HWY_DYNAMIC_DISPATCH(lanes_f32)();
}
template <>
int separable_lanes<double>() {
  return HWY_DYNAMIC_DISPATCH(lanes_f64)();
}
void separable_gather(GatherJob<float> const& job) {
  HWY_DYNAMIC_DISPATCH(gather_f32)(job);
}
void separable_gather(GatherJob<double> const& job) {
  HWY_DYNAMIC_DISPATCH(gather_f64)(job);
}
void separable_forward(ForwardJob<float> const& job) {
  HWY_DYNAMIC_DISPATCH(forward_f32)(job);
}
void separable_forward(ForwardJob<double> const& job) {
  HWY_DYNAMIC_DISPATCH(forward_f64)(job);
}

}  // namespace findrho::ladder
#endif
