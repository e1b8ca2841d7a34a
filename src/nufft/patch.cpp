// SPDX-License-Identifier: BSD-3-Clause
// Spreading and interpolation in Highway: this file is compiled once per instruction set, the best one is
// called. A row of a patch is width x coils complex numbers that lie side by side, taken as one run of
// scalars in vectors.
#include "nufft/patch.hpp"

#include "backend/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "nufft/patch.cpp"
#include <hwy/cache_control.h>
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace findrho::nufft::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr int kMaxVectors = 8;  // accumulators that stay in registers
template <class D>
constexpr int kLanes = static_cast<int>(hn::MaxLanes(D()));

/// Weights of a batch of samples: [axis][cell of the patch][sample].
template <class T>
struct Weights {
  alignas(64) T at[3][16][kBatch];
};

/// Horner's scheme with one sample per lane.
template <class T>
HWY_INLINE void batch_weights(PatchJob<T> const& job, std::int64_t first, int from_axis,
                              Weights<T>& weights) {
  hn::CappedTag<T, kBatch> const d;
  int const lanes = static_cast<int>(hn::Lanes(d));
  for (int v = 0; v < kBatch; v += lanes) {
    T const* const from = job.fraction + (first + v) * job.dims;
    hn::Vec<decltype(d)> fraction[3];
    if (job.dims == 2) {
      hn::LoadInterleaved2(d, from, fraction[0], fraction[1]);
    } else {
      hn::LoadInterleaved3(d, from, fraction[0], fraction[1], fraction[2]);
    }
    for (int axis = from_axis; axis < job.dims; ++axis) {
      auto const s = fraction[axis];
      T const* c = job.cell_polynomial;
      for (int cell = 0; cell < job.width; ++cell) {
        auto value = hn::Set(d, *c++);
        for (int power = 0; power < job.degree; ++power) value = hn::MulAdd(value, s, hn::Set(d, *c++));
        hn::Store(value, d, &weights.at[axis][cell][v]);
      }
    }
  }
}

/// N scalars at p, repeated to fill a vector.
template <int N, class D>
HWY_INLINE hn::Vec<D> repeat(D d, hn::TFromD<D> const* p) {
  if constexpr (N >= kLanes<D>) {
    return hn::LoadU(d, p);
  }
#if HWY_TARGET != HWY_SCALAR  // whose vectors of one lane have no halves
  else {
    auto const half = repeat<N>(hn::Half<D>(), p);
    return hn::Combine(d, half, half);
  }
#endif
}

/// The reverse: adds up the parts of N lanes and stores one.
template <int N, class D>
HWY_INLINE void fold(D d, hn::Vec<D> v, hn::TFromD<D>* p) {
  if constexpr (N >= kLanes<D>) {
    hn::StoreU(v, d, p);
  }
#if HWY_TARGET != HWY_SCALAR
  else {
    hn::Half<D> const half;
    fold<N>(half, hn::Add(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), p);
  }
#endif
}

/// One sample's patch: where it starts and the weights of its rows.
template <class T>
struct Patch {
  T* start;
  std::int64_t row, plane;  // in scalars
  T const *wy, *wz;         // weights, kBatch apart
  int rows, planes;
};

template <class T>
HWY_INLINE Patch<T> patch_of(PatchJob<T> const& job, Weights<T> const& weights, std::int64_t s, int b) {
  static constexpr T kOne[1] = {1};
  std::int64_t const cell = 2 * job.coils;
  return {reinterpret_cast<T*>(job.grid) + static_cast<std::int64_t>(job.at[s].cell) * cell,
          job.row * cell,
          job.plane * cell,
          &weights.at[1][0][b],
          job.dims == 3 ? &weights.at[2][0][b] : kOne,
          job.width,
          job.dims == 3 ? job.width : 1};
}

template <int N, class D, class T>
HWY_INLINE void add_rows(D d, Patch<T> const& patch, int first_vector, hn::Vec<D> const* values) {
  constexpr int lanes = kLanes<D>;
  for (int z = 0; z < patch.planes; ++z) {
    T const wz = patch.wz[z * kBatch];
    T* at = patch.start + z * patch.plane + first_vector * lanes;
    for (int y = 0; y < patch.rows; ++y, at += patch.row) {
      auto const w = hn::Set(d, wz * patch.wy[y * kBatch]);
      for (int v = 0; v < N; ++v) {
        hn::StoreU(hn::MulAdd(w, values[v], hn::LoadU(d, at + v * lanes)), d, at + v * lanes);
      }
    }
  }
}

template <int N, class D, class T>
HWY_INLINE void sum_rows(D d, Patch<T> const& patch, int first_vector, hn::Vec<D>* sums) {
  constexpr int lanes = kLanes<D>;
  for (int v = 0; v < N; ++v) sums[v] = hn::Zero(d);
  for (int z = 0; z < patch.planes; ++z) {
    T const wz = patch.wz[z * kBatch];
    T const* at = patch.start + z * patch.plane + first_vector * lanes;
    for (int y = 0; y < patch.rows; ++y, at += patch.row) {
      auto const w = hn::Set(d, wz * patch.wy[y * kBatch]);
      for (int v = 0; v < N; ++v) sums[v] = hn::MulAdd(w, hn::LoadU(d, at + v * lanes), sums[v]);
    }
  }
}

/// Weights along x of one sample, repeated for the scalars of each cell: N vectors, zero beyond the width.
template <int N, class D, class T>
HWY_INLINE void row_weights(D d, PatchJob<T> const& job, std::int64_t s, hn::Vec<D>* weights) {
  constexpr int lanes = kLanes<D>;
  auto const fraction = hn::Set(d, job.fraction[s * job.dims]);
  T const* c = job.row_polynomial;
  for (int v = 0; v < N; ++v) weights[v] = hn::Load(d, c + v * lanes);
  for (int power = 0; power < job.degree; ++power) {
    c += kMaxRow;
    for (int v = 0; v < N; ++v) weights[v] = hn::MulAdd(weights[v], fraction, hn::Load(d, c + v * lanes));
  }
}

/// The values of a batch of samples, coils side by side.
template <int C, class T>
struct Values {
  alignas(64) T at[kBatch][2 * C];
};

/// Well before the vectors are loaded: loading what was just stored in pieces stalls. The samples of the next batch are
/// fetched already: sorted by tile, they lie anywhere in the caller's order.
template <int C, class T>
HWY_INLINE void gather(PatchJob<T> const& job, std::int64_t first, int count, std::complex<T> const* samples,
                       Values<C, T>& values) {
  for (int c = 0; c < C; ++c, samples += job.sample_stride) {
    bool const used = C == 1 || c < job.used_coils;
    for (int b = 0; b < count; ++b) {
      std::complex<T> const value = used ? samples[job.at[first + b].sample] : std::complex<T>(0);
      values.at[b][2 * c] = value.real();
      values.at[b][2 * c + 1] = value.imag();
      if (used) hwy::Prefetch(samples + job.at[first + b + kBatch].sample);
    }
  }
}

template <int C, class T>
HWY_INLINE void scatter(PatchJob<T> const& job, std::int64_t s, T const* value, Write write,
                        std::complex<T>* samples) {
  std::complex<T>* to = samples + job.at[s].sample;
  for (int c = 0; c < (C == 1 ? 1 : job.used_coils); ++c, to += job.sample_stride) {
    std::complex<T> const v(value[2 * c], value[2 * c + 1]);
    *to = write == Write::add ? *to + v : v;
  }
}

/// before(first sample, count) for each batch, then f(weights, sample, number in the batch) for its samples, every
/// `Stride`-th first.
template <int Stride, class T, class Before, class F>
HWY_INLINE void each_batch(PatchJob<T> const& job, int from_axis, Before const& before, F const& f) {
  Weights<T> weights;
  for (std::int64_t first = job.first; first < job.last; first += kBatch) {
    batch_weights(job, first, from_axis, weights);
    int const count = static_cast<int>(HWY_MIN(std::int64_t{kBatch}, job.last - first));
    before(first, count);
    for (int i = 0; i < kBatch; ++i) {
      int const b = i % (kBatch / Stride) * Stride + i / (kBatch / Stride);
      if (b < count) f(weights, first + b, b);
    }
  }
}

// Neighbours along a readout share cells: spread straight after each other, the second waits for the first one's stores.
inline constexpr int kSpreadStride = 4;
inline constexpr auto nothing_before = [](std::int64_t, int) {};

/// Cells smaller than a vector: the weights along x come as vectors, N of which make a row.
template <int C, int N, class D, class T>
void spread_narrow(D d, PatchJob<T> const& job, std::complex<T> const* samples) {
  Values<C, T> values;
  auto const before = [&](std::int64_t first, int count)
                          HWY_ATTR { gather(job, first, count, samples, values); };
  each_batch<kSpreadStride>(job, 1, before, [&](Weights<T> const& weights, std::int64_t s, int b) HWY_ATTR {
    auto const sample = repeat<2 * C>(d, values.at[b]);
    hn::Vec<D> row[N];
    row_weights<N>(d, job, s, row);
    for (int v = 0; v < N; ++v) row[v] = hn::Mul(row[v], sample);
    add_rows<N>(d, patch_of(job, weights, s, b), 0, row);
  });
}

template <int C, int N, class D, class T>
void interpolate_narrow(D d, PatchJob<T> const& job, std::complex<T>* samples, Write write) {
  each_batch<1>(job, 1, nothing_before, [&](Weights<T> const& weights, std::int64_t s, int b) HWY_ATTR {
    hn::Vec<D> row[N], sums[N];
    row_weights<N>(d, job, s, row);
    sum_rows<N>(d, patch_of(job, weights, s, b), 0, sums);
    auto sum = hn::Mul(row[0], sums[0]);
    for (int v = 1; v < N; ++v) sum = hn::MulAdd(row[v], sums[v], sum);
    alignas(64) T value[2 * C];
    fold<2 * C>(d, sum, value);
    scatter<C>(job, s, value, write, samples);
  });
}

/// Calls f with the compile-time number n, 1 to kMaxVectors.
template <int N = 1, class F>
HWY_INLINE void with_constant(int n, F const& f) {
  if constexpr (N < kMaxVectors) {
    if (n > N) return with_constant<N + 1>(n, f);
  }
  f(std::integral_constant<int, N>());
}

/// Cells of one or more whole vectors: one weight for all lanes; long rows go in pieces of kMaxVectors.
template <int C, class D, class T>
void spread_wide(D d, PatchJob<T> const& job, std::complex<T> const* samples) {
  constexpr int lanes = kLanes<D>, per_cell = 2 * C / lanes;
  int const vectors = per_cell * job.width;
  Values<C, T> values;
  auto const before = [&](std::int64_t first, int count)
                          HWY_ATTR { gather(job, first, count, samples, values); };
  each_batch<kSpreadStride>(job, 0, before, [&](Weights<T> const& weights, std::int64_t s, int b) HWY_ATTR {
    T const* const value = values.at[b];
    alignas(64) T row[kMaxRow];
    for (int cell = 0; cell < job.width; ++cell) {
      auto const w = hn::Set(d, weights.at[0][cell][b]);
      for (int v = 0; v < per_cell; ++v) {
        hn::Store(hn::Mul(w, hn::Load(d, value + v * lanes)), d, row + (cell * per_cell + v) * lanes);
      }
    }
    Patch<T> const patch = patch_of(job, weights, s, b);
    for (int first = 0; first < vectors; first += kMaxVectors) {
      with_constant(HWY_MIN(kMaxVectors, vectors - first), [&](auto n) HWY_ATTR {
        hn::Vec<D> part[n];
        for (int v = 0; v < n; ++v) part[v] = hn::Load(d, row + (first + v) * lanes);
        add_rows<n>(d, patch, first, part);
      });
    }
  });
}

template <int C, class D, class T>
void interpolate_wide(D d, PatchJob<T> const& job, std::complex<T>* samples, Write write) {
  constexpr int lanes = kLanes<D>, per_cell = 2 * C / lanes;
  int const vectors = per_cell * job.width;
  each_batch<1>(job, 0, nothing_before, [&](Weights<T> const& weights, std::int64_t s, int b) HWY_ATTR {
    alignas(64) T value[2 * C], row[kMaxRow];
    Patch<T> const patch = patch_of(job, weights, s, b);
    for (int first = 0; first < vectors; first += kMaxVectors) {
      with_constant(HWY_MIN(kMaxVectors, vectors - first), [&](auto n) HWY_ATTR {
        hn::Vec<D> part[n];
        sum_rows<n>(d, patch, first, part);
        for (int v = 0; v < n; ++v) hn::Store(part[v], d, row + (first + v) * lanes);
      });
    }
    for (int v = 0; v < per_cell; ++v) {
      auto sum = hn::Zero(d);
      for (int cell = 0; cell < job.width; ++cell) {
        sum = hn::MulAdd(hn::Set(d, weights.at[0][cell][b]), hn::Load(d, row + (cell * per_cell + v) * lanes),
                         sum);
      }
      hn::Store(sum, d, value + v * lanes);
    }
    scatter<C>(job, s, value, write, samples);
  });
}

/// Calls run(C, tag) with the coils and the vector type of a job. A row of up to eight scalars takes half a
/// vector where vectors are longer: half the loads that straddle two cache lines.
template <class T, class Run>
void choose(PatchJob<T> const& job, Run const& run) {
  hn::CappedTag<T, 16> const full;
  hn::CappedTag<T, 8> const eight;
  switch (job.coils) {
    case 1:
      if (job.width <= 4) return run(std::integral_constant<int, 1>(), eight);
      return run(std::integral_constant<int, 1>(), full);
    case 2:
      return run(std::integral_constant<int, 2>(), full);
    case 4:
      return run(std::integral_constant<int, 4>(), full);
    default:
      return run(std::integral_constant<int, 8>(), full);
  }
}

template <class T>
void spread_any(PatchJob<T> const& job, std::complex<T> const* samples) {
  choose(job, [&](auto c, auto d) {
    constexpr int C = c, lanes = kLanes<decltype(d)>;
    if constexpr (2 * C >= lanes) {
      spread_wide<C>(d, job, samples);
    } else {
      with_constant((2 * C * job.width + lanes - 1) / lanes,
                    [&](auto n) { spread_narrow<C, n>(d, job, samples); });
    }
  });
}

template <class T>
void interpolate_any(PatchJob<T> const& job, std::complex<T>* samples, Write write) {
  choose(job, [&](auto c, auto d) {
    constexpr int C = c, lanes = kLanes<decltype(d)>;
    if constexpr (2 * C >= lanes) {
      interpolate_wide<C>(d, job, samples, write);
    } else {
      with_constant((2 * C * job.width + lanes - 1) / lanes,
                    [&](auto n) { interpolate_narrow<C, n>(d, job, samples, write); });
    }
  });
}

void spread_f32(PatchJob<float> const& job, std::complex<float> const* samples) {
  spread_any(job, samples);
}
void spread_f64(PatchJob<double> const& job, std::complex<double> const* samples) {
  spread_any(job, samples);
}
void interpolate_f32(PatchJob<float> const& job, std::complex<float>* samples, Write write) {
  interpolate_any(job, samples, write);
}
void interpolate_f64(PatchJob<double> const& job, std::complex<double>* samples, Write write) {
  interpolate_any(job, samples, write);
}

}  // namespace findrho::nufft::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace findrho::nufft {

HWY_EXPORT(spread_f32);
HWY_EXPORT(spread_f64);
HWY_EXPORT(interpolate_f32);
HWY_EXPORT(interpolate_f64);

template <>
void spread(PatchJob<float> const& job, std::complex<float> const* samples) {
  HWY_DYNAMIC_DISPATCH(spread_f32)(job, samples);
}
template <>
void spread(PatchJob<double> const& job, std::complex<double> const* samples) {
  HWY_DYNAMIC_DISPATCH(spread_f64)(job, samples);
}
template <>
void interpolate(PatchJob<float> const& job, std::complex<float>* samples, Write write) {
  HWY_DYNAMIC_DISPATCH(interpolate_f32)(job, samples, write);
}
template <>
void interpolate(PatchJob<double> const& job, std::complex<double>* samples, Write write) {
  HWY_DYNAMIC_DISPATCH(interpolate_f64)(job, samples, write);
}

}  // namespace findrho::nufft
#endif
