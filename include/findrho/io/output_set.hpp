// SPDX-License-Identifier: BSD-3-Clause
// The output files of one run: they appear together or not at all, and old files survive every failure.
// Writers write to temporary names in the same folder; commit() flushes and renames them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace findrho {

struct OutputOptions {
  bool force = false;               // replace existing files
  std::vector<std::string> inputs;  // files that must not be overwritten, even by force
};

class OutputSet {
 public:
  explicit OutputSet(OutputOptions options = {});
  /// Removes the temporary files of what was not committed.
  ~OutputSet();
  OutputSet(OutputSet const&) = delete;
  OutputSet& operator=(OutputSet const&) = delete;

  /// Reserves an output before any work is done; returns the path to write to. It lies in the same folder and
  /// ends like final_path, so that writers that go by the extension may be used.
  /// Errors  cannot_write (exists and no force, folder missing or not writable, not a regular file),
  ///         bad_option (is an input, or was staged already)
  std::string stage(std::string const& final_path);

  /// Flushes all staged files to the disk, then renames them; restores the old files when a rename fails.
  /// Errors  cannot_write
  void commit();

 private:
  struct Item {
    std::string asked, final, temporary, backup;
    int slot = -1;  // in the list of discard_staged_files
    bool renamed = false;
  };
  void check(std::string const& asked, std::string const& final) const;
  void replace(Item& item) const;
  void roll_back() noexcept;

  OutputOptions options_;
  std::vector<Item> items_;
};

/// What the user calls a file that stage() made, for messages; any other path as it is.
std::string shown_name(std::string const& path);

/// Removes the temporary files of all output sets of this process. Async-signal-safe: for a signal handler
/// that is about to end the process. Returns false while a commit is renaming (microseconds): let that finish
/// instead.
bool discard_staged_files() noexcept;

/// Writes a text file (JSON sidecars, manifests).
/// Errors  cannot_write
void write_text(std::string const& path, std::string_view text);

}  // namespace findrho
