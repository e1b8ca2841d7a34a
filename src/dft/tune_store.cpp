// SPDX-License-Identifier: BSD-3-Clause
// The file of remembered options: tab-separated, one line an entry, written whole under a temporary name and renamed,
// so that two processes never see half of it.
#include <unistd.h>

#include <fstream>
#include <sstream>

#include "findrho/core/error.hpp"
#include "findrho/dft/tune.hpp"

namespace findrho {
namespace {

std::filesystem::path file_in(std::filesystem::path const& folder) {
  return folder / "tuned-rungs.tsv";
}

/// A line that cannot be understood (another version's) reads as nothing.
std::optional<TunedEntry> parse(std::string const& line) {
  std::istringstream in(line);
  TunedEntry e;
  int memory = 0;
  if (!std::getline(in, e.device, '\t') || !std::getline(in, e.driver, '\t') ||
      !std::getline(in, e.problem, '\t')) {
    return {};
  }
  RungOptions& o = e.options;
  in >> o.block_size >> o.chunk >> o.unroll >> o.per_thread >> memory >> e.pairs_per_second;
  if (!in || memory < 0 || memory > 2 || o.block_size < 1 || o.chunk < 1) return {};
  o.memory = static_cast<SampleMemory>(memory);
  return e;
}

std::vector<TunedEntry> read_all(std::filesystem::path const& folder) {
  std::ifstream in(file_in(folder));
  std::vector<TunedEntry> entries;
  for (std::string line; std::getline(in, line);) {
    if (auto e = parse(line)) entries.push_back(*e);
  }
  return entries;
}

bool same(TunedEntry const& a, TunedEntry const& b) {
  return a.device == b.device && a.driver == b.driver && a.problem == b.problem;
}

}  // namespace

std::optional<TunedEntry> find_tuned(std::filesystem::path const& folder, std::string const& device,
                                     std::string const& driver, std::string const& problem) {
  if (folder.empty()) return {};
  for (TunedEntry const& e : read_all(folder)) {
    if (same(e, {device, driver, problem, {}, 0})) return e;
  }
  return {};
}

void remember_tuned(std::filesystem::path const& folder, TunedEntry const& entry) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  auto entries = read_all(folder);
  std::erase_if(entries, [&](TunedEntry const& e) { return same(e, entry); });
  entries.push_back(entry);
  auto const temporary = folder / ("tuned-rungs." + std::to_string(getpid()) + ".tmp");
  std::ofstream out(temporary);
  for (TunedEntry const& e : entries) {
    RungOptions const& o = e.options;
    out << e.device << '\t' << e.driver << '\t' << e.problem << '\t' << o.block_size << '\t' << o.chunk
        << '\t' << o.unroll << '\t' << o.per_thread << '\t' << static_cast<int>(o.memory) << '\t'
        << e.pairs_per_second << '\n';
  }
  out.close();
  if (out) std::filesystem::rename(temporary, file_in(folder), failed);
  if (!out || failed) {
    std::filesystem::remove(temporary, failed);
    throw Error(ErrorKind::cannot_write, "cannot write " + file_in(folder).string(),
                "set XDG_CACHE_HOME to a folder that can be written");
  }
}

}  // namespace findrho
