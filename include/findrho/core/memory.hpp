// SPDX-License-Identifier: BSD-3-Clause
// How much memory this process has used, and how much more it may take before the system refuses or kills it.
#pragma once
#include <cstdint>
#include <string>

namespace findrho {

/// Largest resident size so far (VmHWM); 0 where the system does not tell.
std::int64_t peak_memory_bytes();
/// Resident size now (VmRSS); 0 where the system does not tell.
std::int64_t resident_memory_bytes();

/// The least of: what the kernel calls available, what is left in each control group (v1 or v2) that holds
/// the process, and what is left of the address-space limit (ulimit -v). Page cache that can be dropped
/// counts as available. Where the system tells nothing: the largest integer, so that nothing is refused.
///   root  folder below which proc and sys/fs/cgroup are looked up
std::int64_t available_memory_bytes(std::string const& root = "/");

/// Refuses, before it begins, what cannot fit: the system would kill the program instead.
///   what  up to the verb: "a.cfl: reading it takes"
///   hint  the next step
/// Errors  out_of_memory, when more than the available bytes are needed
void require_memory(double bytes, std::string const& what, std::string const& hint);

}  // namespace findrho
