// SPDX-License-Identifier: BSD-3-Clause
// findrho man: the manual as troff, on stdout or as files.
#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "app.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "make_folder.hpp"

namespace findrho {
namespace {

void write_pages(CommandDoc const& root, std::string const& folder) {
  std::filesystem::path const man1 = std::filesystem::path(folder) / "man1";
  make_folder(man1, "--dir");
  for (auto const& [name, text] : man_pages(root)) {
    std::ofstream file(man1 / name);
    file << text << std::flush;
    if (!file)
      throw Error(ErrorKind::cannot_write, "cannot write " + (man1 / name).string(),
                  "look at the disk's free space");
  }
  std::cout << "man pages in " << man1.string() << "; read them with: man -M " << folder << " findrho\n";
}

}  // namespace

void add_man(CLI::App& root, App&) {
  auto* command =
      root.add_subcommand("man", "Print the manual page of findrho or of one command, or write all of them");
  auto folder = std::make_shared<std::string>();
  auto topic = std::make_shared<std::string>();
  command->add_option("COMMAND", *topic, "The command whose page to print; without it findrho's own");
  command->add_option("--dir", *folder, "Write all pages into DIR/man1 instead")->type_name("DIR");
  command->footer("Read a page at once: findrho man recon | man -l -");
  command->callback([&root, folder, topic] {
    CommandDoc const tree = describe(root);
    if (!folder->empty()) return write_pages(tree, *folder);
    std::string const wanted = topic->empty() ? tree.name + ".1" : tree.name + "-" + *topic + ".1";
    for (auto const& [name, text] : man_pages(tree)) {
      if (name == wanted) {
        std::cout << text;
        return;
      }
    }
    throw Error(ErrorKind::bad_option, "there is no command '" + *topic + "'", "see findrho --help");
  });
}

}  // namespace findrho
