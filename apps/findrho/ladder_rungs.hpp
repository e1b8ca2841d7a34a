// SPDX-License-Identifier: BSD-3-Clause
// Which rungs of the ladder a sum can be climbed by.
#pragma once
#include <string>
#include <vector>

#include "findrho/dft/ladder.hpp"

namespace findrho {

/// The named rungs, or all, that run there on such a sum, in the order of the ladder.
template <class T>
std::vector<Rung> rungs_for(std::vector<std::string> const& names, bool cuda, ExactSum<T> const& sum);

/// Errors  bad_option  a rung was asked for by name that does not run on such a sum there
template <class T>
void require_runnable(std::vector<std::string> const& names, bool cuda, ExactSum<T> const& sum);

}  // namespace findrho
