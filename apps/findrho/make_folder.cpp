// SPDX-License-Identifier: BSD-3-Clause
#include "make_folder.hpp"

#include "findrho/core/error.hpp"

namespace findrho {

void make_folder(std::filesystem::path const& folder, std::string const& option) {
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (!failed) return;
  throw Error(ErrorKind::cannot_write, "cannot make the folder " + folder.string() + ": " + failed.message(),
              "give " + option + " a folder that exists or that you may make");
}

}  // namespace findrho
