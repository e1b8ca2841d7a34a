// SPDX-License-Identifier: BSD-3-Clause
// What a raw scan holds, as JSON: sizes, flags, indices and the reach of the trajectory.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "findrho/io/raw_scan.hpp"

namespace findrho {

nlohmann::ordered_json mrd_facts(RawScan const& scan);

}  // namespace findrho
