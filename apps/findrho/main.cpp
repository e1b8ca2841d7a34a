// SPDX-License-Identifier: BSD-3-Clause
// The program: builds the command tree, runs the command that was asked for, turns failures into exit codes.
#include <CLI/CLI.hpp>
#include <iostream>

#include "app.hpp"
#include "command_tree.hpp"
#include "commands.hpp"
#include "exit_code.hpp"
#include "findrho/core/error.hpp"
#include "interrupt.hpp"

namespace findrho {
namespace {

void add_commands(CLI::App& root, App& app) {
  add_recon(root, app);
  add_simulate(root, app);
  add_study(root, app);
  add_traj(root, app);
  add_tune(root, app);
  add_info(root, app);
  add_compare(root, app);
  add_rerun(root, app);
  add_doctor(root, app);
  add_ladder(root, app);
  add_lab(root, app);
  add_man(root, app);
  add_completion(root, app);
}

/// The command that the arguments reached: the root where none was recognised.
CLI::App const& reached(CLI::App const& root) {
  auto const parsed = root.get_subcommands();
  return parsed.empty() ? root : reached(*parsed.front());
}

std::vector<std::string> known_words(CommandDoc const& doc) {
  std::vector<std::string> words;
  for (CommandDoc const& sub : doc.subcommands) words.push_back(last_word(sub.name));
  for (auto const* options : {&doc.options, &doc.global_options}) {
    for (OptionDoc const& option : *options) {
      if (!option.positional) words.insert(words.end(), option.names.begin(), option.names.end());
    }
  }
  return words;
}

/// "--threads: 1 required N:INT missing" and "--fov: At Most 1 required but received 2" as sentences; other refusals are
/// CLI11's own words.
std::string reason(CLI::ParseError const& refusal) {
  std::string const text = refusal.what();
  bool const mismatch = dynamic_cast<CLI::ArgumentMismatch const*>(&refusal) != nullptr;
  if (mismatch && text.find("At Most 1 required") != std::string::npos)
    return text.substr(0, text.find(':')) + " was given more than once";
  return mismatch && text.find("missing") != std::string::npos
             ? text.substr(0, text.find(':')) + " needs a value"
             : text;
}

/// What CLI11 refused, as our error: one line and the next step.
[[noreturn]] void refuse(CLI::App const& root, CLI::ParseError const& refusal) {
  CommandDoc const doc = describe(reached(root));
  bool const no_command =
      !doc.subcommands.empty() && dynamic_cast<CLI::RequiredError const*>(&refusal) != nullptr;
  std::string what = no_command ? "no command was given" : reason(refusal);
  auto const unknown = root.remaining(true);
  if (!unknown.empty()) {
    bool const command = !doc.subcommands.empty() && unknown.front().rfind('-', 0) != 0;
    what = command ? "there is no command '" + unknown.front() + "'"
                   : doc.name + " does not take '" + unknown.front() + "'";
    std::string const meant = closest(unknown.front().substr(0, unknown.front().find('=')), known_words(doc));
    if (!meant.empty()) what += "; did you mean '" + meant + "'?";
  }
  throw Error(ErrorKind::bad_option, what, "see " + doc.name + " --help");
}

int run(std::vector<std::string> const& arguments) {
  App app(arguments);
  CLI::App root("Iterative non-Cartesian MRI reconstruction: from a raw scan to an image.", "findrho");
  root.require_subcommand(1);
  root.fallthrough();
  root.formatter_fn([](CLI::App const* command, std::string const&, CLI::AppFormatMode) {
    return help_text(describe(*command));
  });
  root.set_help_flag("-h,--help", "Print this help and exit");
  root.set_version_flag("--version", std::string("findrho ") + version(), "Print the version and exit");
  app.add_global_options(root);
  root.footer("Every command has its own help: findrho COMMAND --help");
  add_commands(root, app);
  try {
    std::vector<std::string> reversed(arguments.rbegin(),
                                      arguments.rend() - 1);  // CLI11 takes them from the back
    root.parse(reversed);
  } catch (CLI::Success const& asked) {  // --help or --version
    return root.exit(asked);
  } catch (CLI::ParseError const& refusal) {
    refuse(root, refusal);
  } catch (Error& error) {
    if (error.kind == ErrorKind::bad_option && error.hint.empty())
      error.hint = "see " + describe(reached(root)).name + " --help";
    throw;
  }
  std::cout.flush();
  if (!std::cout)
    throw Error(ErrorKind::cannot_write, "cannot write to the standard output",
                "look at the disk's free space, or at the program that reads it");
  return app.interrupted() ? exit_code(ErrorKind::cancelled) : 0;
}

}  // namespace
}  // namespace findrho

int main(int argc, char** argv) {
  try {
    findrho::watch_crashes();
    findrho::watch_interrupts();
    return findrho::run({argv, argv + argc});
  } catch (...) {
    return findrho::report_current_exception();
  }
}
