// SPDX-License-Identifier: BSD-3-Clause
// The commands: one source file each, <command>.cpp, listed in main.cpp.
#pragma once

namespace CLI {
class App;
}

namespace findrho {
class App;

void add_compare(CLI::App& root, App& app);
void add_completion(CLI::App& root, App& app);
void add_doctor(CLI::App& root, App& app);
void add_info(CLI::App& root, App& app);
void add_lab(CLI::App& root, App& app);
void add_ladder(CLI::App& root, App& app);
void add_man(CLI::App& root, App& app);
void add_recon(CLI::App& root, App& app);
void add_rerun(CLI::App& root, App& app);
void add_simulate(CLI::App& root, App& app);
void add_study(CLI::App& root, App& app);
void add_traj(CLI::App& root, App& app);
void add_tune(CLI::App& root, App& app);

}  // namespace findrho
