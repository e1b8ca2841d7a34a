// SPDX-License-Identifier: BSD-3-Clause
// Scans to reconstruct: simulated ones, and the measured ones where their folder is there.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <string>

#include "findrho/io/cfl.hpp"
#include "findrho/quality/compare.hpp"
#include "findrho/recipe/load.hpp"
#include "findrho/recipe/prepare.hpp"
#include "findrho/recipe/recon.hpp"
#include "findrho/recipe/simulate.hpp"

namespace findrho::test {

inline std::string measured(std::string const& file) {
  return std::string(FINDRHO_DATA_DIR) + "/" + file;
}

#define FINDRHO_NEEDS_MEASURED(file)                                                       \
  if (!std::filesystem::exists(findrho::test::measured(file))) {                           \
    GTEST_SKIP() << "the measured scan " << findrho::test::measured(file) << " is absent"; \
  }

inline Dataset load(Context const& context, std::string const& file) {
  return load_scan(context, {.scan = measured(file), .trajectory = {}, .group = {}, .prepare = {}}).dataset;
}

/// The complex image of a cfl pair as (z, y, x).
inline Array<std::complex<float>> read_reference(std::string const& file) {
  CflArray const cfl = read_cfl(measured(file));
  Array<std::complex<float>> image({{Axis::z, cfl.dim(2)}, {Axis::y, cfl.dim(1)}, {Axis::x, cfl.dim(0)}});
  std::copy(cfl.data.begin(), cfl.data.end(), image.begin());
  return image;
}

inline Array<float> first_volume(ReconResult const& result) {
  return magnitude(slab(View<std::complex<float> const>(result.images), 0));
}

inline Quality against(ReconResult const& result, View<float const> reference,
                       ScaleFit fit = ScaleFit::none) {
  Array<float> const image = first_volume(result);
  return compare_images(image, reference, {.scale_fit = fit, .mask = {}});
}

struct Simulated {
  Dataset dataset;
  Array<float> truth;
  Array<std::complex<float>> maps;
};

inline Simulated simulated(Context const& context, SimulateOptions const& options) {
  SimulatedScan const scan = simulate(context, options);
  Simulated s{prepare(context, scan.scan), Array<float>(scan.truth.shape()),
              convert<std::complex<float>>(scan.maps.view())};
  for (std::int64_t n = 0; n < s.truth.size(); ++n) s.truth[n] = static_cast<float>(std::abs(scan.truth[n]));
  return s;
}

}  // namespace findrho::test
