// SPDX-License-Identifier: BSD-3-Clause
// findrho compare: how close an image is to a reference, in numbers.
#include "findrho/quality/compare.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <nlohmann/json.hpp>

#include "app.hpp"
#include "commands.hpp"
#include "findrho/core/error.hpp"
#include "image_file.hpp"

namespace findrho {
namespace {

struct Options {
  std::string image, reference, mask;
  std::string scale = "none";
  bool json = false;
};

std::string size_text(Shape const& shape) {
  std::string text =
      fmt::format("{} x {} x {}", shape.extent(Axis::x), shape.extent(Axis::y), shape.extent(Axis::z));
  if (shape.extent(Axis::frame) > 1) text += fmt::format(", {} frames", shape.extent(Axis::frame));
  return text;
}

void require_same_size(std::string const& path, Shape const& shape, Options const& options,
                       Shape const& reference) {
  if (shape == reference) return;
  throw Error(
      ErrorKind::bad_shape,
      fmt::format("{} is {}, {} is {}", path, size_text(shape), options.reference, size_text(reference)),
      "reconstruct with the reference's --matrix, or select the same slices");
}

Array<std::uint8_t> read_mask(std::string const& path) {
  Array<float> const image = read_image_magnitude(path);
  Array<std::uint8_t> mask(image.shape());
  std::transform(image.begin(), image.end(), mask.begin(), [](float value) { return value != 0 ? 1 : 0; });
  return mask;
}

void print_json(Quality const& quality, Options const& options, std::int64_t counted) {
  // JSON has no infinity and no NaN: nlohmann writes them as null.
  nlohmann::ordered_json const line{{"psnr_db", quality.psnr_db}, {"ssim", quality.ssim},
                                    {"nrmse", quality.nrmse},     {"correlation", quality.correlation},
                                    {"scale_fit", options.scale}, {"scale", quality.scale},
                                    {"voxels", counted}};
  std::cout << line.dump(2) << "\n";
}

void print_text(Quality const& quality, Options const& options, std::int64_t counted, std::int64_t all) {
  std::cout << fmt::format("PSNR         {:.2f} dB\n", quality.psnr_db)
            << fmt::format("SSIM         {:.4f}\n", quality.ssim)
            << fmt::format("NRMSE        {:.5f}\n", quality.nrmse)
            << fmt::format("correlation  {:.5f}\n", quality.correlation);
  if (options.scale == "fit") {
    std::cout << fmt::format("scale fit    least squares, image multiplied by {:.6g}\n", quality.scale);
  } else {
    std::cout << "scale fit    none\n";
  }
  std::cout << fmt::format("voxels       {} of {}\n", counted, all);
}

void compare(Options const& options) {
  Array<float> const image = read_image_magnitude(options.image);
  Array<float> const reference = read_image_magnitude(options.reference);
  require_same_size(options.image, image.shape(), options, reference.shape());
  CompareOptions compare_options;
  if (options.scale == "fit") compare_options.scale_fit = ScaleFit::least_squares;
  Array<std::uint8_t> mask;
  std::int64_t counted = image.size();
  if (!options.mask.empty()) {
    mask = read_mask(options.mask);
    require_same_size(options.mask, mask.shape(), options, reference.shape());
    compare_options.mask = mask.view();
    counted = std::count(mask.begin(), mask.end(), std::uint8_t{1});
  }
  Quality const quality = compare_images(image, reference, compare_options);
  options.json ? print_json(quality, options, counted) : print_text(quality, options, counted, image.size());
}

}  // namespace

void add_compare(CLI::App& root, App&) {
  auto* command = root.add_subcommand(
      "compare", "Measure how close an image is to a reference: PSNR, SSIM, NRMSE, correlation.");
  auto options = std::make_shared<Options>();
  command->add_option("IMAGE", options->image, "The image: .nii, .nii.gz, .cfl or .png")->required();
  command->add_option("REFERENCE", options->reference, "What it should be, of the same size")->required();
  command
      ->add_option("--scale", options->scale,
                   "fit: multiply the image by the factor of least squared error first")
      ->check(CLI::IsMember({"none", "fit"}))
      ->type_name("FIT")
      ->capture_default_str();
  command->add_option("--mask", options->mask, "Image whose voxels other than 0 count; without it all count")
      ->type_name("FILE");
  command->add_flag("--json", options->json, "Print JSON; a number that is infinite or undefined is null");
  command->footer(
      "Magnitudes are compared. PSNR = 20 log10(max|reference| / sqrt(mean squared error)); NRMSE is "
      "relative\n"
      "to the reference's l2 norm; SSIM is the mean over 11 x 11 Gaussian windows (Wang et al., 2004).");
  command->callback([options] { compare(*options); });
}

}  // namespace findrho
