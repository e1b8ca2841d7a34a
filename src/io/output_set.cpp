// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/output_set.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <regex>
#include <set>
#include <utility>

#include "findrho/core/error.hpp"
#include "io/file.hpp"

namespace findrho {
namespace fs = std::filesystem;
namespace {

// What a signal handler needs, in a form that it may touch: plain memory that never moves, lock-free flags.
struct StagedSlot {
  std::atomic<bool> used{false};
  std::array<char, 4096> path{};
};
constexpr std::size_t kSlots = 64;
std::array<StagedSlot, kSlots> staged_slots;
std::mutex staged_mutex;  // for those who claim a slot; the handler does not take it
std::atomic<int> commits_renaming{0};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<int>::is_always_lock_free);

/// Errors  cannot_write
int claim_slot(std::string const& path) {
  std::lock_guard const lock(staged_mutex);
  for (std::size_t i = 0; i < kSlots; ++i) {
    StagedSlot& slot = staged_slots[i];
    if (slot.used.load(std::memory_order_relaxed) || path.size() >= slot.path.size()) continue;
    std::copy(path.begin(), path.end(), slot.path.begin());
    slot.path[path.size()] = '\0';
    slot.used.store(true, std::memory_order_release);
    return static_cast<int>(i);
  }
  throw Error(ErrorKind::cannot_write, "cannot stage " + path + ": more than " + std::to_string(kSlots) +
                                           " outputs at a time, or a path that is too long");
}

void free_slot(int slot) noexcept {
  if (slot >= 0) staged_slots[static_cast<std::size_t>(slot)].used.store(false, std::memory_order_release);
}

[[noreturn]] void refuse(std::string const& path, int reason, std::string hint = {}) {
  throw Error(ErrorKind::cannot_write, "cannot write " + path + ": " + std::strerror(reason),
              std::move(hint));
}

/// ".tmp-4711.image.nii.gz" in the folder of image.nii.gz, created empty and for us alone.
std::string create_beside(fs::path const& final, char const* tag, mode_t mode) {
  for (int attempt = 0;; ++attempt) {
    std::string name = ".";
    name += tag;
    name += "-";
    name += std::to_string(getpid());
    if (attempt > 0) {  // left by an earlier process with our number, or staged by another set
      name += "-";
      name += std::to_string(attempt);
    }
    name += ".";
    name += final.filename().string();
    fs::path const path = final.parent_path() / name;
    int const file = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file >= 0) {
      close(file);
      return path.string();
    }
    if (errno != EEXIST || attempt == 100) {
      refuse(final.string(), errno, "give an output folder that exists and is writable");
    }
  }
}

void flush_to_disk(std::string const& path, std::string const& shown) {
  int const file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) refuse(shown, errno);
  int const reason = fsync(file) == 0 ? 0 : errno;
  close(file);
  // EINVAL: a file system that has no fsync; the renames are still all or nothing.
  if (reason != 0 && reason != EINVAL) refuse(shown, reason, "free space or write to another disk");
}

/// Makes the renames last. Everybody sees them already, so a folder that cannot be flushed is no error.
void flush_folder(std::string const& path) {
  int const folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  fsync(folder);
  close(folder);
}

struct CommitMark {
  CommitMark() { commits_renaming.fetch_add(1); }
  ~CommitMark() { commits_renaming.fetch_sub(1); }
};

}  // namespace

OutputSet::OutputSet(OutputOptions options) : options_(std::move(options)) {}

OutputSet::~OutputSet() {
  for (Item const& item : items_) {
    unlink(item.temporary.c_str());
    free_slot(item.slot);
  }
}

void OutputSet::check(std::string const& asked, std::string const& final) const {
  for (Item const& item : items_) {
    if (item.final == final) {
      throw Error(ErrorKind::bad_option, asked + " is named twice as an output",
                  "give each output a name of its own");
    }
  }
  struct stat output {};
  bool const exists = lstat(final.c_str(), &output) == 0;
  for (std::string const& input : options_.inputs) {
    struct stat other {};
    bool const same = exists && stat(input.c_str(), &other) == 0 && other.st_dev == output.st_dev &&
                      other.st_ino == output.st_ino;
    if (same || fs::weakly_canonical(input) == final) {
      throw Error(ErrorKind::bad_option, "output " + asked + " is also an input (" + input + ")",
                  "give the output another name");
    }
  }
  if (!exists) return;
  if (S_ISDIR(output.st_mode)) {
    throw Error(ErrorKind::cannot_write, asked + " is a folder", "give a file name");
  }
  if (!S_ISREG(output.st_mode)) {
    throw Error(ErrorKind::cannot_write, asked + " exists and is not a regular file");
  }
  if (!options_.force) {
    throw Error(ErrorKind::cannot_write, asked + " exists already",
                "give another name, or --force to replace it");
  }
}

std::string OutputSet::stage(std::string const& final_path) {
  std::error_code failed;
  fs::path const final =
      fs::weakly_canonical(fs::absolute(final_path), failed);  // through links, to the file meant
  if (failed) refuse(final_path, failed.value());
  if (final.filename().empty()) {
    throw Error(ErrorKind::cannot_write, "\"" + final_path + "\" is no file name");
  }
  if (!fs::is_directory(final.parent_path(), failed)) {
    throw Error(ErrorKind::cannot_write,
                "cannot write " + final_path + ": there is no folder " + final.parent_path().string(),
                "create the folder first");
  }
  check(final_path, final.string());
  struct stat old {};
  bool const replaces = stat(final.c_str(), &old) == 0;
  Item item{.asked = final_path,
            .final = final.string(),
            .temporary = create_beside(final, "tmp", 0666),
            .backup = {}};
  try {
    item.slot = claim_slot(item.temporary);
    items_.push_back(item);
  } catch (...) {
    free_slot(item.slot);
    unlink(item.temporary.c_str());
    throw;
  }
  if (replaces) chmod(item.temporary.c_str(), old.st_mode & 07777);  // a private file stays private
  return item.temporary;
}

/// The old file keeps its name until the rename; a second name (a new one where there are no links) saves it.
void OutputSet::replace(Item& item) const {
  struct stat old {};
  if (lstat(item.final.c_str(), &old) == 0) {
    if (!options_.force) {
      throw Error(ErrorKind::cannot_write, item.asked + " has appeared while we worked",
                  "give another name, or --force to replace it");
    }
    if (!S_ISREG(old.st_mode)) refuse(item.asked, EEXIST);
    std::string const backup = create_beside(item.final, "old", 0600);
    unlink(backup.c_str());
    if (link(item.final.c_str(), backup.c_str()) != 0 && rename(item.final.c_str(), backup.c_str()) != 0) {
      refuse(item.asked, errno);
    }
    item.backup = backup;
  }
  if (rename(item.temporary.c_str(), item.final.c_str()) != 0) refuse(item.asked, errno);
  item.renamed = true;
}

void OutputSet::roll_back() noexcept {
  for (Item& item : items_) {
    if (!item.backup.empty()) {
      rename(item.backup.c_str(), item.final.c_str());
      // Where both names were links to the old file, rename did nothing and the second name is still there.
      unlink(item.backup.c_str());
    } else if (item.renamed) {
      unlink(item.final.c_str());
    }
    item.backup.clear();
    item.renamed = false;
  }
}

void OutputSet::commit() {
  for (Item const& item : items_) flush_to_disk(item.temporary, item.asked);
  {
    CommitMark const renaming;
    try {
      for (Item& item : items_) replace(item);
    } catch (...) {
      roll_back();
      throw;
    }
    for (Item const& item : items_) {
      if (!item.backup.empty()) unlink(item.backup.c_str());
      free_slot(item.slot);
    }
  }
  std::set<std::string> folders;
  for (Item const& item : std::exchange(items_, {}))
    folders.insert(fs::path(item.final).parent_path().string());
  for (std::string const& folder : folders) flush_folder(folder);
}

std::string shown_name(std::string const& path) {
  // As create_beside() makes them: ".tmp-4711." or ".tmp-4711-1." and the name.
  static std::regex const staged("\\.tmp-[0-9]+(-[0-9]+)?\\.(.+)");
  fs::path const file(path);
  std::smatch match;
  std::string const name = file.filename().string();
  if (!std::regex_match(name, match, staged)) return path;
  return (file.parent_path() / match[2].str()).string();
}

bool discard_staged_files() noexcept {
  if (commits_renaming.load() > 0) return false;
  for (StagedSlot const& slot : staged_slots) {
    if (slot.used.load(std::memory_order_acquire)) unlink(slot.path.data());
  }
  return true;
}

void write_text(std::string const& path, std::string_view text) {
  FileWriter file(path);
  file.write(text.data(), text.size());
  file.close();
}

}  // namespace findrho
