// SPDX-License-Identifier: BSD-3-Clause
// What every rung of the ladder shares: the arrays, the two sums that they serve, and one step's arithmetic.
// Read docs/design/ladder.md first.
#pragma once
#include <cmath>
#include <cstdint>

#include "findrho/backend/team.hpp"

#if defined(__CUDA_ARCH__)
#define FINDRHO_UNROLL _Pragma("unroll")
#define FINDRHO_KEEP_ROLLED _Pragma("unroll 1")
#else
#define FINDRHO_UNROLL
#define FINDRHO_KEEP_ROLLED
#endif

namespace findrho::ladder {

/// out[n] = sum_m mu[m] exp(+i 2 pi (kx[m] x[n] + ky[m] y[n] + kz[m] z[n])),  mu from phi and d.
/// The names are those of F^H d. Q has weights in d_re. F rho is the same sum with samples and voxels exchanged:
/// then kx, ky, kz hold the negative voxel positions, x, y, z the sampling positions, d the image, and phi is 1.
/// No restrict here: the early rungs show what a compiler must do that knows nothing of the arrays.
template <class T>
struct Arrays {
  std::int64_t samples = 0, voxels = 0;
  T const *kx = nullptr, *ky = nullptr, *kz = nullptr;
  T const *x = nullptr, *y = nullptr, *z = nullptr;
  T const *phi_re = nullptr, *phi_im = nullptr, *d_re = nullptr, *d_im = nullptr;
  T *mu_re = nullptr, *mu_im = nullptr;      // scratch, one per sample
  T *packed_k = nullptr, *packed = nullptr;  // scratch: see pack.hpp
  T *out_re = nullptr, *out_im = nullptr;
  T *parts_re = nullptr, *parts_im = nullptr;  // scratch: room for so many outputs more, see parts.hpp
  int most_parts = 0;
};

/// mu = conj(phi) d
struct FhdSum {
  template <class T>
  FINDRHO_HD static T mu_re(T phi_re, T phi_im, T d_re, T d_im) {
    return phi_re * d_re + phi_im * d_im;
  }
  template <class T>
  FINDRHO_HD static T mu_im(T phi_re, T phi_im, T d_re, T d_im) {
    return phi_re * d_im - phi_im * d_re;
  }
  template <class T>
  FINDRHO_HD static T re(T const& mu_re, T const& mu_im, T c, T s) {
    return mu_re * c - mu_im * s;
  }
  template <class T>
  FINDRHO_HD static T im(T const& mu_re, T const& mu_im, T c, T s) {
    return mu_im * c + mu_re * s;
  }
  /// The same, one product after the other, so that each fuses with its addition: four instructions instead of six.
  template <class T>
  FINDRHO_HD static void add(T& re, T& im, T mu_re, T mu_im, T c, T s) {
    re += mu_re * c;
    im += mu_im * c;
    re -= mu_im * s;
    im += mu_re * s;
  }
};

/// mu = w |phi|^2, real: half of the arithmetic of a step goes.
struct QSum {
  template <class T>
  FINDRHO_HD static T mu_re(T phi_re, T phi_im, T weight, T) {
    return weight * (phi_re * phi_re + phi_im * phi_im);
  }
  template <class T>
  FINDRHO_HD static T mu_im(T, T, T, T) {
    return 0;
  }
  template <class T>
  FINDRHO_HD static T re(T const& mu_re, T const&, T c, T) {
    return mu_re * c;
  }
  template <class T>
  FINDRHO_HD static T im(T const& mu_re, T const&, T, T s) {
    return mu_re * s;
  }
  template <class T>
  FINDRHO_HD static void add(T& re, T& im, T mu_re, T, T c, T s) {
    re += mu_re * c;
    im += mu_re * s;
  }
};

template <class T>
inline constexpr T kTwoPi = static_cast<T>(6.283185307179586476925286766559);

FINDRHO_HD inline void sine_cosine(float angle, float& s, float& c) {
#if defined(__CUDA_ARCH__)
  sincosf(angle, &s, &c);
#else
  s = std::sin(angle);
  c = std::cos(angle);
#endif
}
FINDRHO_HD inline void sine_cosine(double angle, double& s, double& c) {
#if defined(__CUDA_ARCH__)
  sincos(angle, &s, &c);
#else
  s = std::sin(angle);
  c = std::cos(angle);
#endif
}

/// The special function units' sine and cosine. Their error is absolute, 2^-21.4, within half a turn and grows beyond:
/// the argument has to be reduced before.
FINDRHO_HD inline void fast_sine_cosine(float angle, float& s, float& c) {
#if defined(__CUDA_ARCH__)
  s = __sinf(angle);
  c = __cosf(angle);
#else
  sine_cosine(angle, s, c);
#endif
}

/// Whole turns dropped: -1/2 .. 1/2. Adding and taking away 1.5 * 2^23 rounds to an integer in two additions (up to
/// 2^22 turns); rintf would go through the same units as the sines, at a quarter of the additions' rate.
FINDRHO_HD inline float fraction_of_turn(float turns) {
  float const magic = 12582912.0f;
#if defined(__CUDA_ARCH__)
  return __fsub_rn(turns, __fsub_rn(__fadd_rn(turns, magic), magic));
#else
  float const shifted = turns + magic;
  return turns - (shifted - magic);
#endif
}

/// One lane's share of a launch: item = block * team size + lane.
FINDRHO_HD inline std::int64_t item_of(std::int64_t block, int block_size, int lane) {
  return block * block_size + lane;
}

inline std::int64_t blocks_for(std::int64_t items, std::int64_t per_block) {
  return (items + per_block - 1) / per_block;
}

/// Threads of the largest block of any CUDA device.
inline constexpr int kMaxLanes = 1024;

/// Bytes of constant memory on every CUDA device.
inline constexpr int kConstantBytes = 65536;

}  // namespace findrho::ladder
