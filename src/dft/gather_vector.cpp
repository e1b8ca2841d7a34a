// SPDX-License-Identifier: BSD-3-Clause
// The vectorised gather in Highway: compiled once per instruction set, the best one is called.
// Sine and cosine: t in cycles, r = t minus the nearest half cycle, |r| <= 1/4; then r S(r^2) and C(r^2), Chebyshev
// interpolants (errors: float 7e-9 and 5e-8, double 2e-16 and 1e-17), both negated for odd half cycles.
#include "dft/rungs/gather_vector.hpp"

#include "backend/cpu/targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dft/gather_vector.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace findrho::ladder::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
struct Turns;
template <>
struct Turns<float> {
  static constexpr float kMagic = 6291456.0f;  // 1.5 * 2^22: numbers beside it are half cycles
  static constexpr float kSin[] = {6.2831852801544068f, -41.341680613346519f, 81.602476368925181f,
                                   -76.581172644278723f, 39.759827085319102f};
  static constexpr float kCos[] = {0.99999995302751232f, -19.739171209957835f, 64.934572652201567f,
                                   -85.239870258399037f, 56.238700435296806f};
};
template <>
struct Turns<double> {
  static constexpr double kMagic = 3377699720527872.0;  // 1.5 * 2^51
  static constexpr double kSin[] = {6.2831853071795853438,  -41.341702240398284118, 81.605249275579765822,
                                    -76.705859689628667297, 42.0586899539509389,    -15.094506140734290867,
                                    3.8173656334691350445,  -0.69250670107207168424};
  static constexpr double kCos[] = {1.0,
                                    -19.739208802178705326,
                                    64.939394022663947226,
                                    -85.456817205980613039,
                                    60.244641313160407492,
                                    -26.426254066690255229,
                                    7.903462492085097324,
                                    -1.7132184107005932194,
                                    0.27194584949998129586};
};

template <class D, std::size_t N>
HWY_INLINE hn::Vec<D> polynomial(D d, hn::Vec<D> u, hn::TFromD<D> const (&c)[N]) {
  auto value = hn::Set(d, c[N - 1]);
  HWY_UNROLL(16)
  for (std::size_t i = N - 1; i > 0; --i) value = hn::MulAdd(value, u, hn::Set(d, c[i - 1]));
  return value;
}

template <class D>
HWY_INLINE void sine_cosine_of_turns(D d, hn::Vec<D> t, hn::Vec<D>& s, hn::Vec<D>& c) {
  using T = hn::TFromD<D>;
  hn::RebindToUnsigned<D> const bits;
  auto const magic = hn::Set(d, Turns<T>::kMagic);
  auto const shifted = hn::Add(t, magic);
  auto const r = hn::Sub(t, hn::Sub(shifted, magic));
  auto const sign = hn::BitCast(d, hn::ShiftLeft<8 * sizeof(T) - 1>(hn::BitCast(bits, shifted)));
  auto const u = hn::Mul(r, r);
  s = hn::Xor(sign, hn::Mul(r, polynomial(d, u, Turns<T>::kSin)));
  c = hn::Xor(sign, polynomial(d, u, Turns<T>::kCos));
}

/// A block's voxels, padded to whole groups of vectors.
template <class T>
struct Block {
  alignas(64) T x[kMaxVectorBlock + 256], y[kMaxVectorBlock + 256], z[kMaxVectorBlock + 256];
  alignas(64) T re[kMaxVectorBlock + 256], im[kMaxVectorBlock + 256];
};

/// Samples begin..end on the V vectors from voxel v of the block.
template <int V, bool kRealMu, class T>
HWY_INLINE void add_samples(Arrays<T> const& a, std::int64_t begin, std::int64_t end, Block<T>& block,
                            int v) {
  hn::ScalableTag<T> const d;
  using Vector = hn::Vec<decltype(d)>;
  constexpr int kLanes = static_cast<int>(hn::MaxLanes(d));
  Vector x[V], y[V], z[V], re[V], im[V];
  for (int i = 0; i < V; ++i) {
    x[i] = hn::Load(d, block.x + v + i * kLanes);
    y[i] = hn::Load(d, block.y + v + i * kLanes);
    z[i] = hn::Load(d, block.z + v + i * kLanes);
    re[i] = im[i] = hn::Zero(d);  // the chunk's own sums: the error does not grow with the number of samples
  }
  for (std::int64_t m = begin; m < end; ++m) {
    auto const kx = hn::Set(d, a.kx[m]), ky = hn::Set(d, a.ky[m]), kz = hn::Set(d, a.kz[m]);
    auto const mu_re = hn::Set(d, a.mu_re[m]), mu_im = hn::Set(d, a.mu_im[m]);
    HWY_UNROLL(4)
    for (int i = 0; i < V; ++i) {
      Vector s, c;
      sine_cosine_of_turns(d, hn::MulAdd(kz, z[i], hn::MulAdd(ky, y[i], hn::Mul(kx, x[i]))), s, c);
      re[i] = hn::MulAdd(mu_re, c, re[i]);
      im[i] = hn::MulAdd(mu_re, s, im[i]);
      if constexpr (!kRealMu) {
        re[i] = hn::NegMulAdd(mu_im, s, re[i]);
        im[i] = hn::MulAdd(mu_im, c, im[i]);
      }
    }
  }
  for (int i = 0; i < V; ++i) {
    hn::Store(hn::Add(re[i], hn::Load(d, block.re + v + i * kLanes)), d, block.re + v + i * kLanes);
    hn::Store(hn::Add(im[i], hn::Load(d, block.im + v + i * kLanes)), d, block.im + v + i * kLanes);
  }
}

template <int V, bool kRealMu, class T>
void add_chunks(VectorJob<T> const& job, Block<T>& block) {
  constexpr int kGroup = V * static_cast<int>(hn::MaxLanes(hn::ScalableTag<T>()));
  for (std::int64_t begin = 0; begin < job.a.samples; begin += job.chunk) {
    std::int64_t const end = begin + job.chunk < job.a.samples ? begin + job.chunk : job.a.samples;
    for (int v = 0; v < job.count; v += kGroup) add_samples<V, kRealMu>(job.a, begin, end, block, v);
  }
}

template <class T>
void block_any(VectorJob<T> const& job) {
  Block<T> block{};
  for (int i = 0; i < job.count; ++i) {
    block.x[i] = job.a.x[job.first + i];
    block.y[i] = job.a.y[job.first + i];
    block.z[i] = job.a.z[job.first + i];
  }
  auto const add = [&](auto vectors) {
    constexpr int V = decltype(vectors)::value;
    job.real_mu ? add_chunks<V, true>(job, block) : add_chunks<V, false>(job, block);
  };
  switch (job.in_flight) {
    case 1:
      add(std::integral_constant<int, 1>{});
      break;
    case 2:
      add(std::integral_constant<int, 2>{});
      break;
    case 4:
      add(std::integral_constant<int, 4>{});
      break;
    default:
      add(std::integral_constant<int, 3>{});
      break;
  }
  for (int i = 0; i < job.count; ++i) {
    job.a.out_re[job.first + i] += block.re[i];
    job.a.out_im[job.first + i] += block.im[i];
  }
}

void block_f32(VectorJob<float> const& job) {
  block_any(job);
}
void block_f64(VectorJob<double> const& job) {
  block_any(job);
}

void phases(double const* turns, int count, double* cosine, double* sine) {
  hn::ScalableTag<double> const d;
  for (int i = 0; i < count; i += static_cast<int>(hn::MaxLanes(d))) {
    hn::Vec<decltype(d)> s, c;
    sine_cosine_of_turns(d, hn::LoadU(d, turns + i), s, c);
    hn::StoreU(c, d, cosine + i);
    hn::StoreU(s, d, sine + i);
  }
}

}  // namespace findrho::ladder::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace findrho::ladder {

HWY_EXPORT(block_f32);
HWY_EXPORT(block_f64);
HWY_EXPORT(phases);

void gather_vector_block(VectorJob<float> const& job) {
  HWY_DYNAMIC_DISPATCH(block_f32)(job);
}
void gather_vector_block(VectorJob<double> const& job) {
  HWY_DYNAMIC_DISPATCH(block_f64)(job);
}
void phases_of_turns(double const* turns, int count, double* cosine, double* sine) {
  HWY_DYNAMIC_DISPATCH(phases)(turns, count, cosine, sine);
}

}  // namespace findrho::ladder
#endif
