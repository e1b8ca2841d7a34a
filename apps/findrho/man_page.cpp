// SPDX-License-Identifier: BSD-3-Clause
// Man pages (troff, an.tmac macros) from the command tree.
#include "app.hpp"
#include "command_tree.hpp"
#include "exit_code.hpp"

namespace findrho {
namespace {

/// Text as troff reads it: backslashes and hyphens escaped, no line that starts with a control character.
std::string troff(std::string const& text) {
  std::string out;
  bool line_start = true;
  for (char const c : text) {
    if (line_start && (c == '.' || c == '\'')) out += "\\&";
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    line_start = c == '\n';
  }
  return out;
}

std::string dashed(std::string name) {
  for (char& c : name) {
    if (c == ' ') c = '-';
  }
  return name;
}

std::string options(std::vector<OptionDoc> const& all) {
  std::string text;
  for (auto const& [group, members] : grouped(all)) {
    text += ".SS " + troff(group) + "\n";
    for (OptionDoc const& option : members) {
      text += ".TP\n.B " + troff(option_heading(option)) + "\n" + troff(option.description);
      if (!option.default_value.empty()) text += " (default: " + troff(option.default_value) + ")";
      text += "\n";
    }
  }
  return text;
}

std::string page(CommandDoc const& command) {
  std::string text =
      ".TH " + troff(dashed(command.name)) + " 1 \"\" \"findrho " + version() + "\" \"findrho manual\"\n";
  // The first sentence names the page; whatis and apropos read one line.
  text += ".SH NAME\n" + troff(dashed(command.name)) + " \\- " +
          troff(command.description.substr(0, command.description.find_first_of(".\n"))) + "\n";
  text += ".SH SYNOPSIS\n.B " + troff(usage(command)) + "\n";
  text += ".SH DESCRIPTION\n" + troff(command.description) + "\n";
  if (!command.subcommands.empty()) {
    text += ".SH COMMANDS\n";
    for (CommandDoc const& sub : command.subcommands) {
      text += ".TP\n.BR " + troff(dashed(sub.name)) + " (1)\n" + troff(sub.description) + "\n";
    }
  }
  text += ".SH OPTIONS\n" + options(command.options) + options(command.global_options);
  if (!command.footer.empty()) text += ".SH NOTES\n.nf\n" + troff(command.footer) + "\n.fi\n";
  text += ".SH EXIT STATUS\n";
  for (ExitCode const& code : exit_codes()) {
    text += ".TP\n.B " + std::to_string(code.code) + "\n" + troff(code.meaning) + "\n";
  }
  return text;
}

void add_pages(CommandDoc const& command, std::vector<std::pair<std::string, std::string>>& pages) {
  pages.emplace_back(dashed(command.name) + ".1", page(command));
  for (CommandDoc const& sub : command.subcommands) add_pages(sub, pages);
}

}  // namespace

std::vector<std::pair<std::string, std::string>> man_pages(CommandDoc const& root) {
  std::vector<std::pair<std::string, std::string>> pages;
  add_pages(root, pages);
  return pages;
}

}  // namespace findrho
