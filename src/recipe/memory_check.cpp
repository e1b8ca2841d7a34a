// SPDX-License-Identifier: BSD-3-Clause
#include "memory_check.hpp"

#include <fmt/format.h>

#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"

namespace findrho {

void require_bytes(double bytes, std::string const& what) {
  auto const available = static_cast<double>(available_memory_bytes());
  if (bytes <= available) return;
  throw Error(ErrorKind::out_of_memory,
              fmt::format("{} takes {:.1f} GiB of memory, {:.1f} GiB are available", what, bytes / 0x1p30,
                          available / 0x1p30),
              "give a smaller matrix, fewer shots, samples or coils");
}

}  // namespace findrho
