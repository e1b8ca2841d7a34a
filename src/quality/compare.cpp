// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/quality/compare.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/core/finite.hpp"
#include "quality/ssim.hpp"

namespace findrho {
namespace {

void require_finite(View<float const> image, char const* what) {
  if (std::optional<std::int64_t> const i = first_non_finite(image)) {
    throw Error(ErrorKind::bad_file,
                std::string(what) + " holds NaN or infinity, first at element " + std::to_string(*i));
  }
}

/// What PSNR, NRMSE and correlation are made of, over the voxels that count. a = |I|, b = |I0|.
struct Sums {
  double count = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0, peak = 0;
};

bool counts(View<std::uint8_t const> const& mask, std::int64_t i) {
  return mask.data == nullptr || mask[i] != 0;
}

Sums sum_up(View<float const> image, View<float const> reference, View<std::uint8_t const> const& mask) {
  Sums s;
  for (std::int64_t i = 0; i < image.size(); ++i) {
    if (!counts(mask, i)) continue;
    double const a = std::abs(static_cast<double>(image[i])), b = std::abs(static_cast<double>(reference[i]));
    s.count += 1;
    s.a += a;
    s.b += b;
    s.aa += a * a;
    s.bb += b * b;
    s.ab += a * b;
    s.peak = std::max(s.peak, b);
  }
  return s;
}

/// sum (scale |I| - |I0|)^2. From the sums above it would be a difference of large numbers.
double squared_difference(View<float const> image, View<float const> reference,
                          View<std::uint8_t const> const& mask, double scale) {
  double sum = 0;
  for (std::int64_t i = 0; i < image.size(); ++i) {
    if (!counts(mask, i)) continue;
    double const d =
        scale * std::abs(static_cast<double>(image[i])) - std::abs(static_cast<double>(reference[i]));
    sum += d * d;
  }
  return sum;
}

/// Pearson's r, from deviations from the means: a second pass, for the same reason.
double pearson(View<float const> image, View<float const> reference, View<std::uint8_t const> const& mask,
               Sums const& s) {
  double aa = 0, bb = 0, ab = 0;
  for (std::int64_t i = 0; i < image.size(); ++i) {
    if (!counts(mask, i)) continue;
    double const a = std::abs(static_cast<double>(image[i])) - s.a / s.count;
    double const b = std::abs(static_cast<double>(reference[i])) - s.b / s.count;
    aa += a * a;
    bb += b * b;
    ab += a * b;
  }
  return aa > 0 && bb > 0 ? ab / std::sqrt(aa * bb) : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

Quality compare_images(View<float const> image, View<float const> reference, CompareOptions const& options) {
  require_shape(image.shape, reference.shape, "image to compare");
  if (options.mask.data != nullptr) require_shape(options.mask.shape, reference.shape, "mask");
  require_finite(image, "image to compare");
  require_finite(reference, "reference image");
  Sums const s = sum_up(image, reference, options.mask);
  if (s.count == 0) throw Error(ErrorKind::bad_file, "the mask is 0 everywhere: nothing to compare");
  if (!(s.peak > 0)) {
    throw Error(ErrorKind::bad_file, "the reference image is 0 everywhere: nothing to compare with");
  }

  Quality quality;
  if (options.scale_fit == ScaleFit::least_squares && s.aa > 0) quality.scale = s.ab / s.aa;
  double const error = squared_difference(image, reference, options.mask, quality.scale);
  quality.psnr_db = 20 * std::log10(s.peak / std::sqrt(error / s.count));
  quality.nrmse = std::sqrt(error / s.bb);
  quality.correlation = pearson(image, reference, options.mask, s);
  quality.ssim = mean_ssim(image, reference, options.mask, quality.scale, s.peak);
  return quality;
}

Array<float> magnitude(View<std::complex<float> const> image) {
  Array<float> result(image.shape);
  for (std::int64_t i = 0; i < image.size(); ++i) result[i] = std::abs(image[i]);
  return result;
}

}  // namespace findrho
