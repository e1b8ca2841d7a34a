// SPDX-License-Identifier: BSD-3-Clause
// findrho completion: what a shell needs to complete commands, options and their values.
#include <CLI/CLI.hpp>
#include <iostream>

#include "command_tree.hpp"
#include "commands.hpp"

namespace findrho {

void add_completion(CLI::App& root, App&) {
  auto* command = root.add_subcommand("completion", "Print the completion script of a shell");
  auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell: bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      "bash: source <(findrho completion bash)\n"
      "zsh:  source <(findrho completion zsh), after compinit\n"
      "fish: findrho completion fish | source");
  command->callback([&root, shell] {
    CommandDoc const tree = describe(root);
    std::cout << (*shell == "bash"  ? bash_completion(tree)
                  : *shell == "zsh" ? zsh_completion(tree)
                                    : fish_completion(tree));
  });
}

}  // namespace findrho
