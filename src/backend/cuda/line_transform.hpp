// SPDX-License-Identifier: BSD-3-Clause
// Short Fourier transforms in registers, and their chain to one line of up to three factors: L = R1 R2 R3. Forward:
// index k1 L/R1 + ... is split factor by factor (decimation in frequency), so that frequency f = f1 + R1 f2 + R1 R2 f3
// ends at the place (f1 R2 + f2) R3 + f3; the inverse begins there and ends in natural order. Plain code for host and
// device: tests run it on the CPU.
#pragma once
#include "findrho/backend/team.hpp"

#if defined(__CUDA_ARCH__)
#define FINDRHO_UNROLL _Pragma("unroll")
#else
#define FINDRHO_UNROLL
#endif

namespace findrho::device {

template <class T>
struct alignas(2 * sizeof(T)) Complex {
  T x, y;
};
template <class T>
FINDRHO_HD inline Complex<T> operator+(Complex<T> a, Complex<T> b) {
  return {a.x + b.x, a.y + b.y};
}
template <class T>
FINDRHO_HD inline Complex<T> operator-(Complex<T> a, Complex<T> b) {
  return {a.x - b.x, a.y - b.y};
}
template <class T>
FINDRHO_HD inline Complex<T> operator*(Complex<T> a, Complex<T> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}
/// a conj(b)
template <class T>
FINDRHO_HD inline Complex<T> times_conj(Complex<T> a, Complex<T> b) {
  return {a.x * b.x + a.y * b.y, a.y * b.x - a.x * b.y};
}
template <class T>
FINDRHO_HD inline Complex<T> scaled(T s, Complex<T> a) {
  return {s * a.x, s * a.y};
}

enum class Direction { forward, inverse };

/// a times w in the forward direction, times conj(w) in the inverse one.
template <Direction D, class T>
FINDRHO_HD inline Complex<T> turned(Complex<T> a, Complex<T> w) {
  return D == Direction::forward ? a * w : times_conj(a, w);
}

/// exp(-i 2 pi k / n), k < n, known to the compiler.
template <int n>
struct Roots {
  double re[n], im[n];
  FINDRHO_HD constexpr Roots() : re(), im() {
    for (int k = 0; k < n; ++k) {
      // The angle as an eighth's multiple plus a rest of at most pi / 4, so that the series is short.
      int const eighth = (16 * k + n) / (2 * n);
      double const x = 6.283185307179586476925 * (8.0 * k - eighth * static_cast<double>(n)) / (8.0 * n);
      double c = 0, s = 0, term = 1;
      for (int i = 0; i < 24; ++i) {
        (i % 2 == 0 ? c : s) += i % 4 < 2 ? term : -term;
        term *= x / (i + 1);
      }
      constexpr double h = 0.7071067811865475244;
      constexpr double kc[8] = {1, h, 0, -h, -1, -h, 0, h}, ks[8] = {0, h, 1, h, 0, -h, -1, -h};
      re[k] = c * kc[eighth % 8] - s * ks[eighth % 8];
      im[k] = -(s * kc[eighth % 8] + c * ks[eighth % 8]);
      if (8 * k % n == 0) {  // exactly
        re[k] = kc[8 * k / n];
        im[k] = -ks[8 * k / n];
      }
    }
  }
};

/// a exp(-+i 2 pi k / n) with a k that is known once loops are unrolled; the trivial ones cost no product.
template <Direction D, int n, class T>
FINDRHO_HD inline Complex<T> rooted(Complex<T> a, int k) {
  constexpr Roots<n> roots{};
  T const c = static_cast<T>(roots.re[k]), s = static_cast<T>(roots.im[k]);
  if (k == 0) return a;
  if (2 * k == n) return {-a.x, -a.y};
  bool const quarter = 4 * k == n, minus_quarter = 4 * k == 3 * n;
  if (quarter || minus_quarter)
    return (quarter == (D == Direction::forward)) ? Complex<T>{a.y, -a.x} : Complex<T>{-a.y, a.x};
  return turned<D>(a, Complex<T>{c, s});
}

/// The factor that a register transform of length n begins with.
FINDRHO_HD constexpr int first_factor(int n) {
  return n % 4 == 0 && n > 4             ? 4
         : n % 2 == 0 && n > 2 && n != 4 ? 2
         : n % 3 == 0 && n > 3           ? 3
         : n % 5 == 0 && n > 5           ? 5
                                         : n;
}

/// v[f] = sum_j v[j] exp(-+i 2 pi f j / R), all in registers, where elements from Filled on are zero. Filled is R or half of
/// it; the compiler alone may not leave out the addition of a zero, because of its sign.
template <Direction D, int R, int Filled = R, class T>
FINDRHO_HD inline void transform(Complex<T>* v) {
  static_assert(Filled == R || (2 * Filled == R && first_factor(R) % 2 == 0));
  constexpr int A = first_factor(R), B = R / A;
  if constexpr (R == 1) {
    return;
  } else if constexpr (R == 2 && Filled == 1) {
    v[1] = v[0];
  } else if constexpr (R == 4 && Filled == 2) {
    Complex<T> const a = v[0], b = v[1], w = rooted<D, 4>(b, 1);
    v[0] = a + b;
    v[1] = a + w;
    v[2] = a - b;
    v[3] = a - w;
  } else if constexpr (R == 2) {
    Complex<T> const a = v[0];
    v[0] = a + v[1];
    v[1] = a - v[1];
  } else if constexpr (R == 4) {
    Complex<T> const s = v[0] + v[2], t = v[0] - v[2], u = v[1] + v[3], w = rooted<D, 4>(v[1] - v[3], 1);
    v[0] = s + u;
    v[1] = t + w;
    v[2] = s - u;
    v[3] = t - w;
  } else if constexpr (R == 3 || R == 5) {
    // Sums and differences of the pairs j and R - j: sum_j cos and sin parts share them.
    constexpr Roots<R> roots{};
    constexpr int H = (R - 1) / 2;
    Complex<T> plus[H], minus[H];
    Complex<T> const first = v[0];
    FINDRHO_UNROLL
    for (int j = 0; j < H; ++j) {
      plus[j] = v[1 + j] + v[R - 1 - j];
      minus[j] = v[1 + j] - v[R - 1 - j];
      v[0] = v[0] + plus[j];
    }
    FINDRHO_UNROLL
    for (int f = 1; f <= H; ++f) {
      Complex<T> even = first, odd{0, 0};
      FINDRHO_UNROLL
      for (int j = 0; j < H; ++j) {
        int const k = f * (j + 1) % R;
        even = even + scaled(static_cast<T>(roots.re[k]), plus[j]);
        odd = odd + scaled(static_cast<T>(D == Direction::forward ? -roots.im[k] : roots.im[k]), minus[j]);
      }
      v[f] = {even.x + odd.y, even.y - odd.x};
      v[R - f] = {even.x - odd.y, even.y + odd.x};
    }
  } else {
    Complex<T> part[A > B ? A : B], out[R];
    FINDRHO_UNROLL
    for (int b = 0; b < B; ++b) {
      FINDRHO_UNROLL
      for (int a = 0; a < A; ++a) part[a] = v[a * B + b];
      transform<D, A, Filled * A / R>(part);
      FINDRHO_UNROLL
      for (int a = 0; a < A; ++a) v[a * B + b] = rooted<D, R>(part[a], a * b);
    }
    FINDRHO_UNROLL
    for (int a = 0; a < A; ++a) {
      FINDRHO_UNROLL
      for (int b = 0; b < B; ++b) part[b] = v[a * B + b];
      transform<D, B>(part);
      FINDRHO_UNROLL
      for (int b = 0; b < B; ++b) out[a + A * b] = part[b];
    }
    FINDRHO_UNROLL
    for (int i = 0; i < R; ++i) v[i] = out[i];
  }
}

/// A line's length as the factors that its three steps take; R2 is 1 where two are enough.
template <int R1_, int R2_, int R3_>
struct Factors {
  static constexpr int R1 = R1_, R2 = R2_, R3 = R3_, size = R1 * R2 * R3;
  static_assert(R1 % 2 == 0, "the first step leaves the zero half out");
  /// Frequency at a place.
  FINDRHO_HD static constexpr int frequency(int place) {
    return place / (R2 * R3) + R1 * (place / R3 % R2) + R1 * R2 * (place % R3);
  }
};

/// Where the tables of the factors that turn elements between the steps of a line begin: each has the factors of a step as
/// neighbouring threads read them.
template <class F>
struct TurnsOf {
  static constexpr int R1 = F::R1, R2 = F::R2, R3 = F::R3;
  static constexpr int first = 0;  // [k1][t < L / R1]
  /// [m3][t < L / R3], the same where both are square
  static constexpr int last = R2 == 1 && R1 == R3 ? 0 : F::size;
  static constexpr int middle = last + F::size;            // [k2][t < R3]
  static constexpr int middle_inverse = middle + R2 * R3;  // [k2][t < R1]
  static constexpr int size = middle_inverse + R2 * R1;
};

}  // namespace findrho::device
