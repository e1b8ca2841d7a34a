// SPDX-License-Identifier: BSD-3-Clause
// Counts the memory that is taken: every operator new, and every aligned_alloc of the library's arrays, which is where those
// below 2 MiB come from.
#pragma once
#include <cstdint>

namespace findrho::laws {

/// Allocations of this process so far. The test program is linked with --wrap=aligned_alloc.
std::int64_t allocations();

}  // namespace findrho::laws
