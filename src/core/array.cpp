// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/array.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdint>
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

namespace {

// Work grids are walked along every axis: with 4 KiB pages each step of a long axis would miss the TLB.
constexpr std::size_t kHugePage = std::size_t{2} << 20, kMapped = kHugePage;

/// Straight from the kernel, huge pages asked for. Its pages are zero already, and are made by the threads that touch
/// them first instead of all by this one; null when there is no memory.
void* map_pages(std::size_t bytes) {
  void* const raw =
      mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (raw == MAP_FAILED) return nullptr;
  std::uintptr_t const begin = reinterpret_cast<std::uintptr_t>(raw);
  std::size_t const before = (kHugePage - begin % kHugePage) % kHugePage;
  char* const memory = static_cast<char*>(raw) + before;
  if (before > 0) munmap(raw, before);
  munmap(memory + bytes, kHugePage - before);
#ifdef MADV_HUGEPAGE
  madvise(memory, bytes, MADV_HUGEPAGE);  // advice: without it everything works, slower
#endif
  return memory;
}

// The cache line before an array says how much was mapped for it; 0: it came from the heap.
constexpr std::size_t kLine = 64;  // also the widest vector register

std::size_t whole(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

void* allocate_host(std::size_t bytes) {
  std::size_t const total = bytes + kLine, mapped = total >= kMapped ? whole(total, kHugePage) : 0;
  void* const start = mapped > 0 ? map_pages(mapped) : std::aligned_alloc(kLine, whole(total, kLine));
  if (start == nullptr) {
    throw Error(ErrorKind::out_of_memory,
                "cannot allocate " + std::to_string(bytes / (1 << 20)) + " MiB of host memory",
                "use a smaller matrix, fewer coils or single precision");
  }
  if (mapped == 0) std::memset(start, 0, total);
  std::memcpy(start, &mapped, sizeof mapped);
  return static_cast<char*>(start) + kLine;
}

void free_host(void* memory) noexcept {
  void* const start = static_cast<char*>(memory) - kLine;
  std::size_t mapped = 0;
  std::memcpy(&mapped, start, sizeof mapped);
  if (mapped > 0) {
    munmap(start, mapped);
  } else {
    std::free(start);
  }
}

}  // namespace detail
}  // namespace findrho
