// SPDX-License-Identifier: BSD-3-Clause
// What every command shares: the global options, the context with its progress, and the record of the run.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "findrho/core/context.hpp"
#include "progress.hpp"
#include "run_record.hpp"

namespace CLI {
class App;
}

namespace findrho {

class App {
 public:
  explicit App(std::vector<std::string> arguments) : arguments_(std::move(arguments)) {}

  struct Options {
    int threads = 0;                // 0: one per core that the process may use
    std::string device = "auto";    // auto, cpu, cuda or cuda:<n>
    bool quiet = false;             // --quiet: warnings and errors only
    std::string progress = "auto";  // auto, plain or json
  };
  Options options;
  void add_global_options(CLI::App& root);

  /// The context that the options ask for. Its events are shown on stderr and kept in record(); an interrupt
  /// cancels it.
  /// Errors  bad_option, not_built, no_device
  Context context();
  /// The CPU's part of it, for commands that find their device themselves.
  Context cpu_context();

  /// Events so far of every context made here.
  RunRecord const& record();
  /// The user pressed Ctrl-C: the command writes what it has, marked, and main returns 130.
  bool interrupted() const;
  /// The command line as it was given, program name included.
  std::vector<std::string> const& arguments() const { return arguments_; }

 private:
  Progress& progress();
  std::vector<std::string> arguments_;
  std::unique_ptr<Progress> progress_;
};

/// "0.1.0"
char const* version();

/// Where results that may be computed anew are kept: $XDG_CACHE_HOME/findrho or $HOME/.cache/findrho; empty
/// when neither variable is set.
std::filesystem::path cache_folder();

}  // namespace findrho
