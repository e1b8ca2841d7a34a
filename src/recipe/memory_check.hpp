// SPDX-License-Identifier: BSD-3-Clause
// Work that cannot fit the memory is refused before it begins: the system would kill the program instead.
#pragma once
#include <string>

namespace findrho {

/// Errors  out_of_memory, where `what` takes at least this many bytes more than there are
void require_bytes(double bytes, std::string const& what);

}  // namespace findrho
