// SPDX-License-Identifier: BSD-3-Clause
// The commands and their options as plain data: what --help, the man pages and the shell completions are made
// from.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

namespace findrho {

/// The heading of the options that every command takes.
inline constexpr char const* kGlobalOptions = "Global options";

struct OptionDoc {
  std::vector<std::string> names = {};  // "-o", "--output"; a positional has one name without dashes
  bool positional = false, required = false, repeated = false;
  std::string value = {};                 // name of the value, "N"; empty for a flag
  std::vector<std::string> choices = {};  // the values it may have, where they are a list
  std::string default_value = {};
  std::string description = {};
  std::string group = {};
};

struct CommandDoc {
  std::string name;  // "findrho recon"
  std::string description;
  std::string footer;
  std::vector<OptionDoc> options;         // its own, positionals first
  std::vector<OptionDoc> global_options;  // those of the commands above it
  std::vector<CommandDoc> subcommands;
};

CommandDoc describe(CLI::App const& command);

/// "--output FILE", "FILE", "[FILE ...]": as a usage line or a heading shows it.
std::string option_heading(OptionDoc const& option);
std::string usage(CommandDoc const& command);
/// "recon" of "findrho recon".
std::string last_word(std::string const& name);
/// What --help prints.
std::string help_text(CommandDoc const& command);
/// The options of one heading in the order of definition: (group, options).
std::vector<std::pair<std::string, std::vector<OptionDoc>>> grouped(std::vector<OptionDoc> const& options);

/// The candidate that is closest to the word, "" when none is close enough to be meant.
std::string closest(std::string const& word, std::vector<std::string> const& candidates);

/// Man pages in troff: one for the program and one per command, as (file name, text).
std::vector<std::pair<std::string, std::string>> man_pages(CommandDoc const& root);
std::string bash_completion(CommandDoc const& root);
std::string zsh_completion(CommandDoc const& root);
std::string fish_completion(CommandDoc const& root);

}  // namespace findrho
