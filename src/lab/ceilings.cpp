// SPDX-License-Identifier: BSD-3-Clause
// Ceilings as text: a line with the version, one with the device, then name, kind and value of each.
#include "findrho/lab/ceilings.hpp"

#include <unistd.h>

#include <cmath>
#include <fstream>

#include "findrho/core/error.hpp"
#include "findrho/core/sha256.hpp"

namespace findrho {
namespace {

constexpr char const* kFirstLine = "findrho ceilings 1";

double unit_scale(std::string const& unit) {
  if (unit == "GB/s" || unit == "GFLOP/s") return 1e9;
  return 1e12;  // TFLOP/s, 1e12/s
}

std::filesystem::path file_of(std::filesystem::path const& folder, std::string const& id) {
  return folder / ("ceilings-" + id + ".txt");
}

}  // namespace

double Ceilings::operator[](std::string const& name) const {
  for (Ceiling const& c : list) {
    if (c.name == name) return c.per_second;
  }
  return 0;
}

Ceilings ceilings_of(ExperimentResult const& roofline) {
  Ceilings result{roofline.device, {}};
  for (LabMeasurement const& row : roofline.rows) {
    LabMeasurement::Value const& v = row.values.front();
    auto const kind = v.unit == "GB/s" ? Ceiling::Kind::bytes : Ceiling::Kind::operations;
    result.list.push_back({row.variant, kind, v.value * unit_scale(v.unit)});
  }
  return result;
}

std::optional<Ceilings> load_ceilings(std::filesystem::path const& folder, std::string const& id) {
  std::ifstream file(file_of(folder, id));
  std::string first;
  Ceilings result;
  if (!std::getline(file, first) || first != kFirstLine || !std::getline(file, result.device)) return {};
  std::string name, kind;
  double value = 0;
  while (file >> name >> kind >> value) {
    if ((kind != "bytes" && kind != "operations") || !(value > 0) || !std::isfinite(value)) return {};
    result.list.push_back({name, kind == "bytes" ? Ceiling::Kind::bytes : Ceiling::Kind::operations, value});
  }
  if (!file.eof() || result.list.empty()) return {};
  return result;
}

void save_ceilings(std::filesystem::path const& folder, std::string const& id, Ceilings const& ceilings) {
  std::error_code failure;
  std::filesystem::create_directories(folder, failure);
  auto const path = file_of(folder, id);
  auto const beside = path.string() + "." + std::to_string(getpid());
  {
    std::ofstream file(beside);
    file << kFirstLine << "\n" << ceilings.device << "\n";
    for (Ceiling const& c : ceilings.list) {
      file << c.name << " " << (c.kind == Ceiling::Kind::bytes ? "bytes" : "operations") << " "
           << c.per_second << "\n";
    }
    file.flush();
    if (!file) failure = std::make_error_code(std::errc::io_error);
  }
  if (!failure) std::filesystem::rename(beside, path, failure);
  if (failure) {
    std::error_code ignored;
    std::filesystem::remove(beside, ignored);
    throw Error(ErrorKind::cannot_write, "cannot keep the device's ceilings in " + path.string(),
                "set XDG_CACHE_HOME to a folder that can be written");
  }
}

std::string cpu_id(Context const& context) {
  return "CPU-" + sha256(cpu_name(context)).substr(0, 16);
}

}  // namespace findrho
