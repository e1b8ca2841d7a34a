// SPDX-License-Identifier: BSD-3-Clause
// The lab under Nsight Compute: the command, and its counters read back from the profiler's CSV.
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <sstream>

#include "findrho/core/error.hpp"
#include "lab_parts.hpp"

namespace findrho {
namespace {

struct Counter {
  char const* metric;
  char const* title;
};

constexpr std::array<Counter, 8> kCounters{
    {{"gpu__time_duration.sum", "time"},
     {"dram__bytes_read.sum", "memory read"},
     {"dram__bytes_write.sum", "memory written"},
     {"lts__t_sector_hit_rate.pct", "L2 hits"},
     {"l1tex__t_sector_hit_rate.pct", "L1 hits"},
     {"l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio", "sectors/read"},
     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "bank conflicts"},
     {"smsp__inst_executed.sum", "instructions"}}};

/// The fields of one line of CSV; quotes around all of them.
std::vector<std::string> fields(std::string const& line) {
  std::vector<std::string> result;
  std::string field;
  bool quoted = false;
  for (char const c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      result.push_back(std::exchange(field, {}));
    } else {
      field += c;
    }
  }
  result.push_back(field);
  return result;
}

std::string output_of(std::string const& command) {
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  if (!pipe) throw Error(ErrorKind::device_fault, "cannot run the profiler: " + command);
  std::string text;
  std::array<char, 4096> block{};
  while (std::size_t const got = std::fread(block.data(), 1, block.size(), pipe.get()))
    text.append(block.data(), got);
  return text;
}

}  // namespace

std::string ncu_command(std::string const& program, std::string const& experiment, int device) {
  std::string metrics;
  for (Counter const& c : kCounters) metrics += (metrics.empty() ? "" : ",") + std::string(c.metric);
  return fmt::format(
      "ncu --clock-control none --csv --page raw --metrics {} '{}' lab {} --once --device cuda:{} --quiet",
      metrics, program, experiment, device);
}

bool ncu_is_there() {
  char const* const path = std::getenv("PATH");
  std::istringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    if (access((folder + "/ncu").c_str(), X_OK) == 0) return true;
  }
  return false;
}

std::string ncu_table(std::string const& command) {
  std::istringstream lines(output_of(command + " 2>&1"));
  std::vector<std::string> names, units;
  std::string table, last;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) last = line;
    if (line.rfind('"', 0) != 0) continue;
    auto const row = fields(line);
    if (names.empty()) {
      names = row;
    } else if (units.empty()) {
      units = row;
      table = fmt::format("  {:<34}", "kernel");
      for (Counter const& c : kCounters) table += fmt::format("  {:>16}", c.title);
      table += "\n";
    } else {
      std::string kernel, cells;
      for (std::size_t i = 0; i < row.size() && i < names.size(); ++i) {
        if (names[i] == "Kernel Name") kernel = row[i].substr(0, row[i].find('('));
      }
      for (Counter const& c : kCounters) {
        std::string cell = "-";
        for (std::size_t i = 0; i < row.size() && i < names.size(); ++i) {
          if (names[i] == c.metric) cell = row[i] + (units[i].empty() ? "" : " " + units[i]);
        }
        cells += fmt::format("  {:>16}", cell);
      }
      table += fmt::format(
          "  {:<34}{}\n",
          kernel.substr(kernel.rfind(':') == std::string::npos ? 0 : kernel.rfind(':') + 1).substr(0, 34),
          cells);
    }
  }
  if (units.empty()) {
    throw Error(ErrorKind::device_fault, "the profiler gave no counters; its last line: " + last,
                "run the printed command by hand; counters may be for the administrator only");
  }
  return table;
}

}  // namespace findrho
