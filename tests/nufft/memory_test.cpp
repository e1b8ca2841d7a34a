// SPDX-License-Identifier: BSD-3-Clause
// No memory is allocated once a number of coils has been seen. Counts operator new and the aligned_alloc of Array, whose
// arrays below 2 MiB, all of those here, come from it.
#include <gtest/gtest.h>
#include <malloc.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "findrho/nufft/nufft.hpp"
#include "nufft/samples.hpp"

namespace {
std::atomic<int> allocations{0};
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kCounts = false;  // a sanitizer brings its own allocator
#else
constexpr bool kCounts = true;

void* operator new(std::size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

extern "C" void* aligned_alloc(std::size_t alignment, std::size_t bytes) {
  ++allocations;
  return memalign(alignment, bytes);
}
#endif

namespace findrho {
namespace {

TEST(Nufft, AllocatesNothingAtTheSecondCall) {
  if (!kCounts) GTEST_SKIP() << "allocations cannot be counted under a sanitizer";
  Context const context = Context::cpu(2);
  for (Matrix const m : {Matrix{20, 18, 1}, Matrix{12, 10, 8}}) {
    Trajectory const t = test::radial(m, 30, 20);
    Nufft<float> const nufft(context, t, m);
    auto image = test::noise<float>(m.shape(9), 1);
    auto samples = test::noise<float>(sample_shape(9, t.size()), 2);
    int const before = allocations;
    nufft.forward(context, image, samples);
    EXPECT_GT(allocations, before);  // the counter sees the grid
    int const after_first = allocations;
    nufft.forward(context, image, samples);
    nufft.adjoint(context, samples, image);
    nufft.adjoint(context, samples, image, Write::add);
    EXPECT_EQ(allocations, after_first);
  }
}

}  // namespace
}  // namespace findrho
