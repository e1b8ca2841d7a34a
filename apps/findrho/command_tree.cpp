// SPDX-License-Identifier: BSD-3-Clause
#include "command_tree.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <numeric>
#include <sstream>

namespace findrho {
namespace {

constexpr std::size_t kWidth = 96;   // columns of --help
constexpr std::size_t kIndent = 28;  // where the descriptions start

OptionDoc describe(CLI::Option const& option) {
  OptionDoc doc;
  doc.positional = !option.nonpositional();
  if (doc.positional) {
    doc.names = {option.get_name(true, false)};
  } else {
    for (auto const& name : option.get_snames()) doc.names.push_back("-" + name);
    for (auto const& name : option.get_lnames()) doc.names.push_back("--" + name);
  }
  doc.required = option.get_required();
  doc.repeated = option.get_expected_max() > 1;
  if (option.get_type_size_max() > 0) {
    std::string const type = option.get_type_name();  // "STYLE:{auto,plain,json}", "N:INT in [0 - 4096]"
    doc.value = type.substr(0, type.find(':'));
    auto const open = type.find('{'), close = type.find('}');
    if (open != std::string::npos && close != std::string::npos) {
      std::istringstream list(type.substr(open + 1, close - open - 1));
      for (std::string choice; std::getline(list, choice, ',');) doc.choices.push_back(choice);
      if (doc.value.find('{') != std::string::npos) doc.value = "CHOICE";
    }
    doc.default_value = option.get_default_str();
  }
  doc.description = option.get_description();
  doc.group = option.get_group();
  return doc;
}

std::vector<OptionDoc> own_options(CLI::App const& command) {
  std::vector<OptionDoc> docs;
  for (CLI::Option const* option : command.get_options()) {
    if (!option->get_group().empty()) docs.push_back(describe(*option));
  }
  std::stable_partition(docs.begin(), docs.end(), [](OptionDoc const& doc) { return doc.positional; });
  return docs;
}

std::string full_name(CLI::App const& command) {
  return command.get_parent() == nullptr ? command.get_name()
                                         : full_name(*command.get_parent()) + " " + command.get_name();
}

/// Breaks the text into lines that start at `indent` (the first one at `column`) and end before kWidth.
std::string wrap(std::string const& text, std::size_t column, std::size_t indent) {
  std::istringstream words(text);
  std::string out, word;
  bool fresh = true;
  while (words >> word) {
    if (!fresh && column + 1 + word.size() > kWidth) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      fresh = true;
    }
    out += (fresh ? "" : " ") + word;
    column += word.size() + (fresh ? 0 : 1);
    fresh = false;
  }
  return out;
}

std::string entry(std::string const& heading, std::string const& text) {
  std::string line = "  " + heading;
  if (line.size() + 2 > kIndent) {
    line += "\n" + std::string(kIndent, ' ');
  } else {
    line.resize(kIndent, ' ');
  }
  return line + wrap(text, kIndent, kIndent) + "\n";
}

std::string full_description(OptionDoc const& option) {
  std::string text = option.description;
  if (!option.default_value.empty()) text += " (default: " + option.default_value + ")";
  return text;
}

std::string options_text(std::vector<OptionDoc> const& options) {
  std::string text;
  for (auto const& [group, members] : grouped(options)) {
    text += "\n" + group + ":\n";
    for (OptionDoc const& option : members) text += entry(option_heading(option), full_description(option));
  }
  return text;
}

}  // namespace

CommandDoc describe(CLI::App const& command) {
  CommandDoc doc;
  doc.name = full_name(command);
  doc.description = command.get_description();
  doc.footer = command.get_footer();
  doc.options = own_options(command);
  for (CLI::App const* above = command.get_parent(); above != nullptr; above = above->get_parent()) {
    for (OptionDoc& option : own_options(*above)) {
      if (option.group == kGlobalOptions) doc.global_options.push_back(std::move(option));
    }
  }
  for (CLI::App const* sub : command.get_subcommands([](CLI::App const*) { return true; })) {
    doc.subcommands.push_back(describe(*sub));
  }
  return doc;
}

std::string option_heading(OptionDoc const& option) {
  std::string text = std::accumulate(
      option.names.begin(), option.names.end(), std::string(),
      [](std::string const& all, std::string const& name) { return all.empty() ? name : all + ", " + name; });
  if (!option.positional && !option.value.empty()) text += " " + option.value;
  if (option.repeated) text += " ...";
  return text;
}

std::string usage(CommandDoc const& command) {
  std::string text = command.name;
  for (OptionDoc const& option : command.options) {
    if (option.positional) {
      text += option.required ? " " + option_heading(option) : " [" + option_heading(option) + "]";
    } else if (option.required) {
      text += " " + option.names.front() + " " + option.value;
    }
  }
  text += " [OPTIONS]";
  if (!command.subcommands.empty()) text += " COMMAND";
  return text;
}

std::string last_word(std::string const& name) {
  return name.substr(name.rfind(' ') + 1);
}

std::string help_text(CommandDoc const& command) {
  std::string text = wrap(command.description, 0, 0) + "\n\nUsage: " + usage(command) + "\n";
  if (!command.subcommands.empty()) {
    text += "\nCommands:\n";
    for (CommandDoc const& sub : command.subcommands) {
      text += entry(last_word(sub.name), sub.description);
    }
  }
  text += options_text(command.options) + options_text(command.global_options);
  if (!command.footer.empty()) text += "\n" + command.footer + "\n";
  return text;
}

std::vector<std::pair<std::string, std::vector<OptionDoc>>> grouped(std::vector<OptionDoc> const& options) {
  std::vector<std::pair<std::string, std::vector<OptionDoc>>> groups;
  for (OptionDoc const& option : options) {
    std::string const group = option.positional ? "Arguments" : option.group;
    auto found = std::find_if(groups.begin(), groups.end(), [&](auto const& g) { return g.first == group; });
    if (found == groups.end()) found = groups.insert(groups.end(), {group, {}});
    found->second.push_back(option);
  }
  return groups;
}

std::string closest(std::string const& word, std::vector<std::string> const& candidates) {
  // Levenshtein distance; a word of n letters may have n/3 + 1 slips.
  std::string best;
  std::size_t best_distance = word.size() / 3 + 2;
  for (std::string const& candidate : candidates) {
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = row[0];
      row[0] = i;
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        std::size_t const replaced = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = row[j];
        row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace findrho
