// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/image_files.hpp"

#include <array>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/io/cfl.hpp"
#include "findrho/io/montage.hpp"
#include "findrho/io/mrd_write.hpp"
#include "findrho/io/nifti.hpp"
#include "findrho/io/png.hpp"

namespace findrho {
namespace {

constexpr std::array kExtensions{".nii.gz", ".nii", ".h5", ".mrd", ".cfl", ".png"};

std::string extension(std::string const& name) {
  for (std::string const candidate : kExtensions) {
    if (name.ends_with(candidate) && name.size() > candidate.size()) return candidate;
  }
  throw Error(ErrorKind::bad_option, "output " + name + " has no known extension",
              "end it in .nii.gz, .nii, .h5, .mrd, .cfl or .png");
}

char const* word(ImageKind kind) {
  switch (kind) {
    case ImageKind::magnitude:
      return "magnitude";
    case ImageKind::phase:
      return "phase";
    case ImageKind::complex:
      return "complex";
  }
  return "?";
}

void require_fits(std::string const& ext, ImageKind kind) {
  bool const mrd = ext == ".h5" || ext == ".mrd";
  if ((ext == ".png" && kind == ImageKind::complex) || (mrd && kind == ImageKind::phase)) {
    throw Error(ErrorKind::bad_option, "a " + ext + " file cannot hold the " + word(kind) + " image",
                "write it to a .nii.gz file, or take another --image");
  }
}

Array<float> real_part_for(ReconResult const& result, ImageKind kind) {
  Array<float> values(result.images.shape());
  for (std::int64_t i = 0; i < values.size(); ++i) {
    values[i] = kind == ImageKind::phase ? std::arg(result.images[i]) : std::abs(result.images[i]);
  }
  return values;
}

std::vector<MrdImageFrame> mrd_frames(ReconResult const& result) {
  std::vector<MrdImageFrame> frames;
  for (FrameIndex const& index : result.volumes) frames.push_back({index, result.geometry});
  return frames;
}

}  // namespace

std::string ImageFiles::stem(std::string const& name) {
  return name.substr(0, name.size() - extension(name).size());
}

ImageFiles::ImageFiles(OutputSet& outputs, std::vector<std::string> const& names,
                       std::vector<ImageKind> const& kinds) {
  for (std::string const& name : names) {
    std::string const ext = extension(name);
    if (ext == ".cfl") {
      CflPaths const paths = cfl_paths(name);
      files_.push_back({name, outputs.stage(paths.data), outputs.stage(paths.header), ImageKind::complex});
      continue;
    }
    for (std::size_t i = 0; i < kinds.size(); ++i) {
      require_fits(ext, kinds[i]);
      std::string const full = i == 0 ? name : stem(name) + "_" + word(kinds[i]) + ext;
      files_.push_back({full, outputs.stage(full), "", kinds[i]});
    }
  }
}

void ImageFiles::write(ReconResult const& result, std::string const& mrd_header) const {
  for (File const& file : files_) {
    std::string const ext = extension(file.name);
    View<std::complex<float> const> const images = result.images;
    if (ext == ".cfl") {
      write_cfl({file.staged_header, file.staged},
                {images.shape.extent(Axis::x), images.shape.extent(Axis::y), images.shape.extent(Axis::z), 1,
                 1, 1, 1, 1, 1, 1, images.shape.extent(Axis::frame)},
                images);
    } else if (ext == ".h5" || ext == ".mrd") {
      write_mrd_images(file.staged, images, mrd_frames(result),
                       file.kind == ImageKind::complex ? ImagePart::complex : ImagePart::magnitude,
                       mrd_header);
    } else if (ext == ".png") {
      write_png(file.staged, make_montage({real_part_for(result, file.kind)}, result.geometry).image);
    } else if (file.kind == ImageKind::complex) {
      write_nifti(file.staged, images, result.geometry);
    } else {
      write_nifti(file.staged, real_part_for(result, file.kind), result.geometry);
    }
  }
}

}  // namespace findrho
