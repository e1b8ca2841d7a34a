// SPDX-License-Identifier: BSD-3-Clause
// Completion scripts for bash, zsh and fish from the command tree. Values that are not a list are completed
// as files.
#include <fmt/format.h>

#include "command_tree.hpp"

namespace findrho {
namespace {

std::string joined(std::vector<std::string> const& words, char const* separator) {
  std::string text;
  for (std::string const& word : words) text += (text.empty() ? "" : separator) + word;
  return text;
}

std::vector<OptionDoc> all_options(CommandDoc const& command) {
  std::vector<OptionDoc> options = command.options;
  options.insert(options.end(), command.global_options.begin(), command.global_options.end());
  return options;
}

std::string replaced(std::string const& text, std::string const& what, std::string const& by) {
  std::string out;
  for (char const c : text) out += what.find(c) == std::string::npos ? std::string(1, c) : by + c;
  return out;
}

/// Text inside single quotes of a shell.
std::string quoted(std::string const& text) {
  std::string out;
  for (char const c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return "'" + out + "'";
}

// bash
// ---------------------------------------------------------------------------------------------------------

/// What may follow each option: a list of words, or, for any other value, files.
std::string bash_values(CommandDoc const& command, std::string const& key) {
  std::string text;
  for (OptionDoc const& option : all_options(command)) {
    if (option.positional || option.value.empty()) continue;
    std::vector<std::string> patterns;
    for (std::string const& name : option.names) patterns.push_back(key + ":" + name);
    text += "    " + joined(patterns, "|") + ") ";
    if (!option.choices.empty())
      text += "COMPREPLY=($(compgen -W \"" + joined(option.choices, " ") + "\" -- \"$cur\")); ";
    text += "return ;;\n";
  }
  return text;
}

std::string bash_words(CommandDoc const& command, std::string const& key) {
  std::vector<std::string> options, positionals;
  for (OptionDoc const& option : all_options(command)) {
    auto& words = option.positional ? positionals : options;
    auto const& more = option.positional ? option.choices : option.names;
    words.insert(words.end(), more.begin(), more.end());
  }
  for (CommandDoc const& sub : command.subcommands) positionals.push_back(last_word(sub.name));
  return fmt::format("    {}) options=\"{}\" words=\"{}\" ;;\n", key, joined(options, " "),
                     joined(positionals, " "));
}

// zsh
// ----------------------------------------------------------------------------------------------------------

std::string zsh_arguments(CommandDoc const& command) {
  std::string text;
  for (OptionDoc const& option : all_options(command)) {
    std::string const description = replaced(option.description, "[]:\\", "\\");
    std::string action = option.choices.empty() ? "_files" : "(" + joined(option.choices, " ") + ")";
    if (option.positional) {
      std::string const count = option.repeated ? "*" : option.required ? "" : ":";
      text +=
          " \\\n        " + quoted(count + ":" + replaced(option.names.front(), ":", "\\") + ":" + action);
      continue;
    }
    for (std::string const& name : option.names) {
      std::string const value =
          option.value.empty() ? "" : ":" + replaced(option.value, ":", "\\") + ":" + action;
      text += " \\\n        " + quoted((option.repeated ? "*" : "") + name + "[" + description + "]" + value);
    }
  }
  return text;
}

// fish
// ---------------------------------------------------------------------------------------------------------

std::string fish_options(CommandDoc const& command, std::string const& condition) {
  std::string text;
  for (OptionDoc const& option : all_options(command)) {
    std::string line = "complete -c findrho -n " + quoted(condition);
    if (option.positional) {
      if (option.choices.empty()) continue;
      text += line + " -f -a " + quoted(joined(option.choices, " ")) + "\n";
      continue;
    }
    for (std::string const& name : option.names) {
      line += name.rfind("--", 0) == 0 ? " -l " + name.substr(2) : " -s " + name.substr(1);
    }
    if (!option.value.empty()) line += " -r";
    if (!option.choices.empty()) line += " -f -a " + quoted(joined(option.choices, " "));
    text += line + " -d " + quoted(option.description) + "\n";
  }
  return text;
}

}  // namespace

std::string bash_completion(CommandDoc const& root) {
  std::vector<std::string> commands;
  std::string values = bash_values(root, ""), words = bash_words(root, "\"\"");
  for (CommandDoc const& sub : root.subcommands) {
    std::string const name = last_word(sub.name);
    commands.push_back(name);
    values += bash_values(sub, name);
    words += bash_words(sub, name);
  }
  return fmt::format(R"(# bash completion of findrho; load it with: source <(findrho completion bash)
_findrho() {{
  local cur=${{COMP_WORDS[COMP_CWORD]}} prev=${{COMP_WORDS[COMP_CWORD - 1]}} command="" options="" words="" word
  # bash splits --option=value into three words
  if [[ $cur == "=" ]]; then cur=""; elif [[ $prev == "=" ]]; then prev=${{COMP_WORDS[COMP_CWORD - 2]}}; fi
  for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
    case $word in {}) command=$word; break ;; esac
  done
  COMPREPLY=()
  case $command:$prev in
{}  esac
  case $command in
{}  esac
  if [[ $cur == -* ]]; then words=$options; fi
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}}
complete -o bashdefault -o default -F _findrho findrho
)",
                     joined(commands, "|"), values, words);
}

std::string zsh_completion(CommandDoc const& root) {
  std::string commands, cases;
  for (CommandDoc const& sub : root.subcommands) {
    std::string const name = last_word(sub.name);
    commands += "        " + quoted(name + ":" + replaced(sub.description, ":\\", "\\")) + "\n";
    cases += "      " + name + ")\n      _arguments" + zsh_arguments(sub) + " ;;\n";
  }
  return fmt::format(R"(#compdef findrho
# zsh completion of findrho; load it with: source <(findrho completion zsh)
_findrho() {{
  local context state state_descr line
  typeset -A opt_args
  _arguments -C{} \
        '1:command:->command' \
        '*::argument:->argument'
  case $state in
    command)
      local -a commands=(
{}      )
      _describe command commands ;;
    argument)
      case $words[1] in
{}      esac ;;
  esac
}}
if [[ $funcstack[1] == _findrho ]]; then _findrho "$@"; else compdef _findrho findrho; fi
)",
                     zsh_arguments(root), commands, cases);
}

std::string fish_completion(CommandDoc const& root) {
  std::string text = "# fish completion of findrho; load it with: findrho completion fish | source\n";
  text += fish_options(root, "__fish_use_subcommand");
  for (CommandDoc const& sub : root.subcommands) {
    std::string const name = last_word(sub.name);
    text += "complete -c findrho -n __fish_use_subcommand -f -a " + name + " -d " + quoted(sub.description) +
            "\n";
    text += fish_options(sub, "__fish_seen_subcommand_from " + name);
  }
  return text;
}

}  // namespace findrho
