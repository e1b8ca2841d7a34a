// SPDX-License-Identifier: BSD-3-Clause
// SHA-256 of files and bytes, 64 lower-case hexadecimal digits: names inputs in a manifest, keys the disk cache.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace findrho {

std::string sha256(std::span<std::byte const> bytes);
std::string sha256(std::string_view text);

/// Reads the file in blocks: any size.
/// Errors  bad_file
std::string sha256_file(std::string const& path);

}  // namespace findrho
