// SPDX-License-Identifier: BSD-3-Clause
#include "conformance/allocations.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::int64_t> count{0};
}

namespace findrho::laws {
std::int64_t allocations() {
  return count.load();
}
}  // namespace findrho::laws

extern "C" void* __real_aligned_alloc(std::size_t alignment, std::size_t bytes);
extern "C" void* __wrap_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++count;
  return __real_aligned_alloc(alignment, bytes);
}

// The array forms of new and delete call these.
void* operator new(std::size_t bytes, std::nothrow_t const&) noexcept {
  ++count;
  return std::malloc(bytes > 0 ? bytes : 1);
}
void* operator new(std::size_t bytes) {
  if (void* const memory = operator new(bytes, std::nothrow)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
