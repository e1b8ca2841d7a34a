// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>

namespace findrho {

/// The function table of a topic in the module at `path`.
/// Errors  not_built
void const* cuda_topic(std::string const& path, char const* topic, int version);

}  // namespace findrho
