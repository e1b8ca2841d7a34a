// SPDX-License-Identifier: BSD-3-Clause
// Image files of a reconstruction by their names: .nii, .nii.gz, .h5 and .mrd (MRD images), .cfl, .png.
#pragma once
#include <string>
#include <vector>

#include "findrho/core/scan.hpp"
#include "findrho/io/output_set.hpp"
#include "findrho/recipe/recon.hpp"

namespace findrho {

enum class ImageKind { magnitude, phase, complex };

/// Files to write for one name the user gave, staged in an OutputSet before any work is done.
class ImageFiles {
 public:
  /// One file per kind: the first has the name as given, the others get _phase, _complex, ... before the extension.
  /// cfl files hold complex values whatever the kinds are; png and MRD have no phase or no complex of their own: see
  /// the errors.
  /// Errors  bad_option (unknown extension, a kind that the format cannot hold), and OutputSet::stage's
  ImageFiles(OutputSet& outputs, std::vector<std::string> const& names, std::vector<ImageKind> const& kinds);

  /// Writes every staged file. `mrd_header` is the XML header of the scan, for MRD images; may be empty.
  /// Errors  cannot_write
  void write(ReconResult const& result, std::string const& mrd_header) const;

  struct File {
    std::string name, staged, staged_header;  // header: of a cfl pair
    ImageKind kind;
  };
  /// Final and temporary names, in the order staged.
  std::vector<File> const& files() const { return files_; }
  /// The name without its image extension: image.nii.gz -> image. For the manifest beside it.
  static std::string stem(std::string const& name);

 private:
  std::vector<File> files_;
};

}  // namespace findrho
