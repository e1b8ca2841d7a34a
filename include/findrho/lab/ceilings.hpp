// SPDX-License-Identifier: BSD-3-Clause
// The device's limits as the lab measured them, kept for each device: what speed is compared with.
#pragma once
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "findrho/lab/experiment.hpp"

namespace findrho {

struct Ceiling {
  enum class Kind { bytes, operations };
  std::string name;  // DRAM, L2, shared, FP32, SFU, TF32, FP16
  Kind kind = Kind::bytes;
  double per_second = 0;
};

struct Ceilings {
  std::string device;
  std::vector<Ceiling> list;
  /// Per second; 0 when the device was not measured for it.
  double operator[](std::string const& name) const;
};

/// The rows of the experiment "roofline".
Ceilings ceilings_of(ExperimentResult const& roofline);

/// id: the device's uuid, or cpu_id(). A file that is missing or damaged gives none.
std::optional<Ceilings> load_ceilings(std::filesystem::path const& folder, std::string const& id);
/// Written beside and renamed, so that a reader never sees half a file.
/// Errors  cannot_write
void save_ceilings(std::filesystem::path const& folder, std::string const& id, Ceilings const& ceilings);
std::string cpu_id(Context const& context);

}  // namespace findrho
