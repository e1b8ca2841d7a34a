// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/memory.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <sstream>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();

/// The number after `key` at the start of a line of a proc or cgroup file.
std::optional<std::int64_t> value_of(std::string const& path, std::string const& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(key, 0) != 0) continue;
    std::istringstream rest(line.substr(key.size()));
    if (std::int64_t value = 0; rest >> value) return value;
  }
  return {};
}

/// A file that holds one number; nothing for "max" and for missing files.
std::optional<std::int64_t> number_in(std::string const& path) {
  return value_of(path, "");
}

/// What is left in one control group. Its count includes page cache: the inactive part is dropped before
/// anything fails.
std::int64_t left_in_group(std::string const& folder, char const* limit_file, char const* usage_file) {
  std::optional<std::int64_t> const limit = number_in(folder + limit_file);
  std::optional<std::int64_t> const usage = number_in(folder + usage_file);
  if (!limit || !usage) return kNoLimit;
  std::int64_t const cache = value_of(folder + "memory.stat", "inactive_file ").value_or(0);
  return std::max<std::int64_t>(*limit - *usage + std::min(cache, *usage), 0);
}

/// The least left in the group and all groups above it. Inside a container the path that the kernel names may
/// not be visible; the groups that are count, the mounted root among them.
std::int64_t left_in_groups(std::string const& mount, std::string group, char const* limit_file,
                            char const* usage_file) {
  std::int64_t left = left_in_group(mount + "/", limit_file, usage_file);
  while (group.size() > 1) {
    left = std::min(left, left_in_group(mount + group + "/", limit_file, usage_file));
    group.resize(group.rfind('/'));
  }
  return left;
}

/// Whether ":cpu,memory:" names the version-1 memory controller.
bool has_memory(std::string const& controllers) {
  std::size_t const at = controllers.find("memory");
  return at != std::string::npos && std::string(":,").find(controllers[at - 1]) != std::string::npos &&
         std::string(":,").find(controllers[at + 6]) != std::string::npos;
}

std::int64_t left_in_all_groups(std::string const& root) {
  std::int64_t left = kNoLimit;
  std::ifstream file(root + "proc/self/cgroup");
  for (std::string line; std::getline(file, line);) {  // hierarchy:controllers:/path
    std::size_t const first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || line.substr(second + 1, 1) != "/") {
      continue;
    }
    std::string const controllers = line.substr(first, second - first + 1);  // the colons stay on
    std::string const group = line.substr(second + 1), mount = root + "sys/fs/cgroup";
    if (controllers == "::") {
      left = std::min(left, left_in_groups(mount, group, "memory.max", "memory.current"));
    }
    if (has_memory(controllers)) {
      left = std::min(
          left, left_in_groups(mount + "/memory", group, "memory.limit_in_bytes", "memory.usage_in_bytes"));
    }
  }
  return left;
}

std::int64_t left_of_address_space(std::string const& root) {
  rlimit limit{};
  std::optional<std::int64_t> const used_kib = value_of(root + "proc/self/status", "VmSize:");
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || !used_kib) return kNoLimit;
  return std::max<std::int64_t>(static_cast<std::int64_t>(limit.rlim_cur) - *used_kib * 1024, 0);
}

}  // namespace

std::int64_t peak_memory_bytes() {
  return value_of("/proc/self/status", "VmHWM:").value_or(0) * 1024;
}

std::int64_t resident_memory_bytes() {
  return value_of("/proc/self/status", "VmRSS:").value_or(0) * 1024;
}

std::int64_t available_memory_bytes(std::string const& root) {
  std::optional<std::int64_t> const kib = value_of(root + "proc/meminfo", "MemAvailable:");
  return std::min({kib ? *kib * 1024 : kNoLimit, left_in_all_groups(root), left_of_address_space(root)});
}

void require_memory(double bytes, std::string const& what, std::string const& hint) {
  auto const available = static_cast<double>(available_memory_bytes());
  if (bytes <= available) return;
  auto const gib = [](double n) {
    std::string const text = std::to_string(n / 0x1p30);
    return text.substr(0, text.find('.') + 3) + " GiB";
  };
  throw Error(ErrorKind::out_of_memory,
              what + " " + gib(bytes) + " of memory, " + gib(available) + " are available", hint);
}

}  // namespace findrho
