// SPDX-License-Identifier: BSD-3-Clause
// Threaded loops and sums over the elements of an image, in blocks whose size depends on the image alone:
// the bytes of every sum are the same for any number of threads.
#pragma once
#include <algorithm>
#include <array>
#include <complex>
#include <cstdint>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"

namespace findrho {

inline constexpr std::int64_t kMaxBlocks = 256;
/// Elements of a block: at least 4096, so that a task outweighs its hand-out, and at most kMaxBlocks blocks.
constexpr std::int64_t block_size(std::int64_t n) {
  return std::max<std::int64_t>(4096, (n + kMaxBlocks - 1) / kMaxBlocks);
}

/// body(begin, end) for each block of 0..n-1.
template <class Body>
void for_blocks(Context const& context, std::int64_t n, Body const& body) {
  std::int64_t const size = block_size(n);
  context.pool().each((n + size - 1) / size,
                      [&](std::int64_t block) { body(block * size, std::min(n, (block + 1) * size)); });
}

/// Sum over the blocks of what body(begin, end) returns, added in the order of the blocks.
/// Sum is double, or a struct of doubles with operator+=.
template <class Sum, class Body>
Sum sum_blocks(Context const& context, std::int64_t n, Body const& body) {
  std::array<Sum, kMaxBlocks> part{};
  std::int64_t const size = block_size(n);
  std::int64_t const blocks = (n + size - 1) / size;
  context.pool().each(blocks, [&](std::int64_t block) {
    part[static_cast<std::size_t>(block)] = body(block * size, std::min(n, (block + 1) * size));
  });
  Sum sum{};
  for (std::int64_t block = 0; block < blocks; ++block) sum += part[static_cast<std::size_t>(block)];
  return sum;
}

/// Sums over n interleaved real and imaginary parts, n even, in double.
template <class T>
struct SumKernels {
  double (*real_dot)(T const* a, T const* b, std::int64_t n);           // Re<a, b>
  std::complex<double> (*dot)(T const* a, T const* b, std::int64_t n);  // <a, b>
  /// r -= (re + i im) q
  void (*subtract_multiple)(T re, T im, T const* q, std::int64_t n, T* r);
};
/// Those for this machine's instruction set.
template <class T>
SumKernels<T> sum_kernels();

/// sum_{begin <= n < end} Re(conj(a_n) b_n)
template <class T>
double real_dot_range(std::complex<T> const* a, std::complex<T> const* b, std::int64_t begin,
                      std::int64_t end) {
  return sum_kernels<T>().real_dot(reinterpret_cast<T const*>(a + begin),
                                   reinterpret_cast<T const*>(b + begin), 2 * (end - begin));
}

/// sum_{begin <= n < end} conj(a_n) b_n
template <class T>
std::complex<double> dot_range(std::complex<T> const* a, std::complex<T> const* b, std::int64_t begin,
                               std::int64_t end) {
  return sum_kernels<T>().dot(reinterpret_cast<T const*>(a + begin), reinterpret_cast<T const*>(b + begin),
                              2 * (end - begin));
}

/// a_n -= factor q_n, begin <= n < end
template <class T>
void subtract_multiple_range(std::complex<T> factor, std::complex<T> const* q, std::int64_t begin,
                             std::int64_t end, std::complex<T>* a) {
  sum_kernels<T>().subtract_multiple(factor.real(), factor.imag(), reinterpret_cast<T const*>(q + begin),
                                     2 * (end - begin), reinterpret_cast<T*>(a + begin));
}

/// Re<a, b> = sum_n Re(conj(a_n) b_n), summed in double.
template <class T>
double real_dot(Context const& context, View<std::complex<T> const> a, View<std::complex<T> const> b) {
  return sum_blocks<double>(context, a.size(), [&](std::int64_t begin, std::int64_t end) {
    return real_dot_range(a.data, b.data, begin, end);
  });
}

/// a b and a conj(b) without the standard's search for infinities, which keeps compilers from vector code.
template <class T>
std::complex<T> times(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() - a.imag() * b.imag(), a.real() * b.imag() + a.imag() * b.real()};
}
template <class T>
std::complex<T> times_conj(std::complex<T> a, std::complex<T> b) {
  return {a.real() * b.real() + a.imag() * b.imag(), a.imag() * b.real() - a.real() * b.imag()};
}

/// y += alpha x
template <class T>
void axpy(Context const& context, T alpha, View<std::complex<T> const> x, View<std::complex<T>> y) {
  for_blocks(context, x.size(), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) y[i] += alpha * x[i];
  });
}

}  // namespace findrho
