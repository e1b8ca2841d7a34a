// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "command_tree.hpp"

namespace findrho {
namespace {

std::vector<std::string> const kCommands{"recon", "rerun", "info", "compare", "doctor"};

TEST(Closest, FindsTheWordThatWasMeant) {
  EXPECT_EQ(closest("recno", kCommands), "recon");
  EXPECT_EQ(closest("compair", kCommands), "compare");
  EXPECT_EQ(closest("inf", kCommands), "info");
}

TEST(Closest, KeepsSilentWhenNothingIsClose) {
  EXPECT_EQ(closest("segment", kCommands), "");
  EXPECT_EQ(closest("x", kCommands), "");
  EXPECT_EQ(closest("recon", {}), "");
}

TEST(Usage, ShowsWhatMustBeGiven) {
  CommandDoc command;
  command.name = "findrho recon";
  command.options = {{.names = {"SCAN"}, .positional = true, .required = true},
                     {.names = {"-o", "--output"}, .required = true, .value = "FILE"},
                     {.names = {"--lambda"}, .value = "X"}};
  EXPECT_EQ(usage(command), "findrho recon SCAN -o FILE [OPTIONS]");
  EXPECT_EQ(option_heading(command.options[1]), "-o, --output FILE");
}

}  // namespace
}  // namespace findrho
