// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/array.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "findrho/core/error.hpp"

namespace findrho {

char const* name(Axis axis) {
  switch (axis) {
    case Axis::x:
      return "x";
    case Axis::y:
      return "y";
    case Axis::z:
      return "z";
    case Axis::coil:
      return "coil";
    case Axis::sample:
      return "sample";
    case Axis::frame:
      return "frame";
    case Axis::dim:
      return "dim";
    case Axis::other:
      return "other";
  }
  return "?";
}

Shape::Shape(std::initializer_list<Extent> extents) {
  if (extents.size() > kMaxRank) {
    throw Error(ErrorKind::bad_shape, "a shape has at most 6 axes, got " + std::to_string(extents.size()));
  }
  std::copy(extents.begin(), extents.end(), extents_.begin());
  rank_ = static_cast<int>(extents.size());
}

std::int64_t Shape::extent(Axis axis) const {
  for (int i = 0; i < rank_; ++i) {
    if ((*this)[i].axis == axis) return (*this)[i].size;
  }
  return 1;
}

std::int64_t Shape::size() const {
  std::int64_t n = 1;
  for (int i = 0; i < rank_; ++i) n *= (*this)[i].size;
  return n;
}

Shape Shape::without_slowest() const {
  Shape rest;
  rest.rank_ = std::max(rank_ - 1, 0);
  std::copy(extents_.begin() + 1, extents_.begin() + 1 + rest.rank_, rest.extents_.begin());
  return rest;
}

std::string Shape::str() const {
  std::string text;
  for (int i = 0; i < rank_; ++i) {
    if (i > 0) text += " x ";
    text += std::string(name((*this)[i].axis)) + " " + std::to_string((*this)[i].size);
  }
  return text.empty() ? "scalar" : text;
}

bool Shape::operator==(Shape const& other) const {
  return rank_ == other.rank_ &&
         std::equal(extents_.begin(), extents_.begin() + rank_, other.extents_.begin());
}

void require_shape(Shape const& actual, Shape const& expected, char const* what) {
  if (actual == expected) return;
  throw Error(ErrorKind::bad_shape,
              std::string(what) + " has shape (" + actual.str() + "), expected (" + expected.str() + ")");
}

namespace detail {

void* allocate_host(std::size_t bytes) {
  constexpr std::size_t kLine = 64;  // one cache line, and the widest vector register
  constexpr std::size_t kHugePage = std::size_t{2} << 20, kManyPages = std::size_t{16} << 20;
  // Work grids are walked along every axis: with 4 KiB pages each step of a long axis would miss the TLB.
  std::size_t const align = bytes >= kManyPages ? kHugePage : kLine;
  std::size_t const padded = (std::max(bytes, std::size_t{1}) + align - 1) / align * align;
  void* memory = std::aligned_alloc(align, padded);
  if (memory == nullptr) {
    throw Error(ErrorKind::out_of_memory,
                "cannot allocate " + std::to_string(bytes / (1 << 20)) + " MiB of host memory",
                "use a smaller matrix, fewer coils or --precision single");
  }
#ifdef MADV_HUGEPAGE
  if (align == kHugePage)
    madvise(memory, padded, MADV_HUGEPAGE);  // advice: without it everything works, slower
#endif
  std::memset(memory, 0, bytes);
  return memory;
}

void free_host(void* memory) noexcept {
  std::free(memory);
}

}  // namespace detail
}  // namespace findrho
