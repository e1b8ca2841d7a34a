// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <filesystem>
#include <string>

namespace findrho {

/// Makes a folder, and those above it, that `option` names; one that exists is fine.
/// Errors  cannot_write
void make_folder(std::filesystem::path const& folder, std::string const& option);

}  // namespace findrho
