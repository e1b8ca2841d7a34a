// SPDX-License-Identifier: BSD-3-Clause
// How close an image is to a reference: PSNR, SSIM, NRMSE and correlation of the magnitudes.
#pragma once
#include <complex>
#include <cstdint>

#include "findrho/core/array.hpp"

namespace findrho {

struct Quality {
  double psnr_db = 0;      // 20 log10(max|I0| / sqrt(MSE)); infinite for equal images
  double ssim = 0;         // mean structural similarity; NaN where a slice is smaller than the 11 x 11 window
  double nrmse = 0;        // |I - I0|_2 / |I0|_2
  double correlation = 0;  // Pearson, over the voxels; NaN where one image is constant
  double scale = 1;        // the factor that the image was multiplied by
};

enum class ScaleFit {
  none,          // images are compared as they are
  least_squares  // the image is first multiplied by the real factor that makes the MSE least
};

struct CompareOptions {
  ScaleFit scale_fit = ScaleFit::none;
  View<std::uint8_t const> mask;  // voxels that count are not 0; no data: all count
};

/// Compares |image| with |reference|, I and I0 below. Sums in double.
/// SSIM per slice (y, x), averaged over the slices: Gaussian window of 11 x 11, sigma 1.5, where it lies
/// fully inside; K1 = 0.01, K2 = 0.03, dynamic range max|I0|. A mask selects the window centres.
/// Shapes  any; image, reference and mask alike; slices run over the two fastest axes
/// Errors  bad_shape, bad_file (NaN or infinity, a reference or mask that is 0 everywhere)
/// Source  Wang, Bovik, Sheikh and Simoncelli, IEEE Trans. Image Process. 13:600 (2004),
///         doi:10.1109/TIP.2003.819861
Quality compare_images(View<float const> image, View<float const> reference,
                       CompareOptions const& options = {});

/// |z| of every element, same shape.
Array<float> magnitude(View<std::complex<float> const> image);

}  // namespace findrho
