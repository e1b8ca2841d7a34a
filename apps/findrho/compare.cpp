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
#include "findrho/io/montage.hpp"
#include "findrho/io/output_set.hpp"
#include "findrho/io/parboil.hpp"
#include "image_file.hpp"

namespace findrho {
namespace {

struct Options {
  std::vector<std::string> images;  // the last is the reference
  std::vector<std::string> captions;
  std::string mask, picture, scale = "none";
  bool json = false, force = false, parboil = false;
  std::string const& reference() const { return images.back(); }
};

struct Compared {
  std::string path;
  Array<float> image;
  Quality quality;
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
      fmt::format("{} is {}, {} is {}", path, size_text(shape), options.reference(), size_text(reference)),
      "reconstruct with the reference's --matrix, or select the same slices");
}

Array<std::uint8_t> read_mask(std::string const& path) {
  Array<float> const image = read_image_magnitude(path);
  Array<std::uint8_t> mask(image.shape());
  std::transform(image.begin(), image.end(), mask.begin(), [](float value) { return value != 0 ? 1 : 0; });
  return mask;
}

void print_json(std::vector<Compared> const& compared, Options const& options, std::int64_t counted) {
  // JSON has no infinity and no NaN: nlohmann writes them as null.
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (auto const& [path, image, quality] : compared) {
    list.push_back({{"image", path},
                    {"psnr_db", quality.psnr_db},
                    {"ssim", quality.ssim},
                    {"nrmse", quality.nrmse},
                    {"correlation", quality.correlation},
                    {"scale_fit", options.scale},
                    {"scale", quality.scale},
                    {"voxels", counted}});
  }
  std::cout << (list.size() == 1 ? list.front() : list).dump(2) << "\n";
}

void print_table(std::vector<Compared> const& compared, Options const& options, std::int64_t counted,
                 std::int64_t all) {
  std::size_t width = 5;
  for (Compared const& c : compared) width = std::max(width, c.path.size());
  std::cout << fmt::format("{:<{}}  PSNR [dB]    SSIM    NRMSE  correlation  scale\n", "image", width);
  for (auto const& [path, image, q] : compared) {
    std::cout << fmt::format("{:<{}}  {:9.2f}  {:6.4f}  {:7.4f}  {:11.5f}  {:.4g}\n", path, width, q.psnr_db,
                             q.ssim, q.nrmse, q.correlation, q.scale);
  }
  std::cout << fmt::format("reference {}; scale {}; {} of {} voxels\n", options.reference(),
                           options.scale == "fit" ? "fitted by least squares" : "not fitted", counted, all);
}

/// The middle slice of the first frame.
View<float const> middle_slice(Array<float> const& image) {
  View<float const> const volume = slab(image.view(), 0);
  return slab(volume, volume.shape.extent(Axis::z) / 2);
}

void write_picture(std::string const& path, std::vector<Compared> const& compared,
                   Array<float> const& reference, Options const& options) {
  std::vector<PanelImage> panel;
  std::vector<Array<float>> scaled;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    auto const& [name, image, quality] = compared[i];
    Array<float> slice = copy(middle_slice(image));
    for (float& value : slice) value *= static_cast<float>(quality.scale);
    scaled.push_back(std::move(slice));
    std::string const caption = i < options.captions.size() ? options.captions[i] : name;
    panel.push_back({scaled.back().view(), fmt::format("{}\nPSNR {:.1f} dB", caption, quality.psnr_db)});
  }
  View<float const> const truth = middle_slice(reference);
  bool const named = options.captions.size() > compared.size();
  panel.push_back({truth, named ? options.captions[compared.size()] : "reference"});
  write_png(path, make_panel(panel, {.window = percentile_window({truth})}));
}

/// The benchmark's verdict on a Q that some mri-q program wrote. A Q that it refuses is a failure of the command.
void compare_with_parboil(Options const& options) {
  if (options.images.size() != 2) {
    throw Error(ErrorKind::bad_option, "--parboil compares two files", "give the result, then the reference");
  }
  ParboilComparison const c =
      compare_parboil(read_parboil_output(options.images[0]), read_parboil_output(options.images[1]));
  if (options.json) {
    std::cout << nlohmann::ordered_json{{"image", options.images[0]},
                                        {"numbers", c.compared},
                                        {"failed", c.failed},
                                        {"largest_difference", c.largest_difference},
                                        {"allowed", c.allowed}}
                     .dump(2)
              << "\n";
  } else {
    std::cout << fmt::format(
        "{}: {} of {} numbers differ too much; largest difference {:.3g}, allowed {:.3g} (1e-4 of the "
        "largest) or "
        "0.2 %\n",
        c.accepted() ? "accepted" : "refused", c.failed, c.compared, c.largest_difference, c.allowed);
  }
  if (!c.accepted()) {
    throw Error(ErrorKind::bad_file, options.images[0] + " is not the Q of " + options.images[1],
                "was it made from the input of the same size? gather_vector and every device rung are "
                "accurate enough");
  }
}

/// Options that would do nothing are refused.
void require_meaning(Options const& options) {
  auto const refuse = [](bool wrong, std::string const& what, std::string const& hint) {
    if (wrong) throw Error(ErrorKind::bad_option, what, hint);
  };
  bool const of_images = !options.mask.empty() || !options.picture.empty() || options.scale != "none";
  refuse(options.parboil && of_images,
         "--mask, --picture and --scale are about images, --parboil compares numbers",
         "leave them or --parboil out");
  refuse(!options.captions.empty() && options.picture.empty(), "--captions are for a picture",
         "add --picture");
  refuse(options.captions.size() > options.images.size(),
         fmt::format("{} captions for {} images", options.captions.size(), options.images.size()),
         "give one for each image, the reference last");
}

void compare(Options const& options) {
  require_meaning(options);
  if (options.parboil) return compare_with_parboil(options);
  std::vector<std::string> inputs = options.images;
  if (!options.mask.empty()) inputs.push_back(options.mask);
  OutputSet outputs({.force = options.force, .inputs = inputs});
  std::string const picture = stage_picture(outputs, options.picture);
  Array<float> const reference = read_image_magnitude(options.reference());
  CompareOptions compare_options;
  if (options.scale == "fit") compare_options.scale_fit = ScaleFit::least_squares;
  Array<std::uint8_t> mask;
  std::int64_t counted = reference.size();
  if (!options.mask.empty()) {
    mask = read_mask(options.mask);
    require_same_size(options.mask, mask.shape(), options, reference.shape());
    compare_options.mask = mask.view();
    counted = std::count(mask.begin(), mask.end(), std::uint8_t{1});
  }
  std::vector<Compared> compared;
  for (std::size_t i = 0; i + 1 < options.images.size(); ++i) {
    Array<float> image = read_image_magnitude(options.images[i]);
    require_same_size(options.images[i], image.shape(), options, reference.shape());
    Quality const quality = compare_images(image, reference, compare_options);
    compared.push_back({options.images[i], std::move(image), quality});
  }
  if (!picture.empty()) write_picture(picture, compared, reference, options);
  outputs.commit();
  if (options.json) {
    print_json(compared, options, counted);
  } else {
    print_table(compared, options, counted, reference.size());
  }
}

}  // namespace

void add_compare(CLI::App& root, App&) {
  auto* command = root.add_subcommand(
      "compare", "Measure how close images are to a reference: PSNR, SSIM, NRMSE, correlation");
  auto options = std::make_shared<Options>();
  command
      ->add_option("IMAGE", options->images,
                   "One image or several, then the reference, all of one size: .nii, .nii.gz, .cfl or .png")
      ->expected(2, -1)
      ->required();
  command
      ->add_option("--scale", options->scale,
                   "fit: multiply the image by the factor of least squared error first")
      ->check(CLI::IsMember({"none", "fit"}))
      ->type_name("FIT")
      ->capture_default_str();
  command->add_option("--mask", options->mask, "Image whose voxels other than 0 count; without it all count")
      ->type_name("FILE");
  command
      ->add_option("--picture", options->picture,
                   "Write the middle slices side by side, with one window (.png)")
      ->type_name("FILE");
  command
      ->add_option("--captions", options->captions,
                   "Captions of the picture, one for each image, the reference last")
      ->type_name("TEXT");
  command->add_flag("--parboil", options->parboil,
                    "The two files are Q as Parboil's mri-q writes it, compared by its rule");
  command->add_flag("--force", options->force, "Replace an existing picture");
  command->add_flag("--json", options->json, "Print JSON; a number that is infinite or undefined is null");
  command->footer(
      "Magnitudes are compared. PSNR = 20 log10(max|reference| / sqrt(mean squared error)); NRMSE is "
      "relative\n"
      "to the reference's l2 norm; SSIM is the mean over 11 x 11 Gaussian windows (Wang et al., 2004).");
  command->callback([options] { compare(*options); });
}

}  // namespace findrho
