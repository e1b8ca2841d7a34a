// SPDX-License-Identifier: BSD-3-Clause
// Sensitivity maps estimated on a CUDA device against the processor's. Skipped without a device.
#include <gtest/gtest.h>

#include "recipe/coil_maps.hpp"
#include "recipe/scans.hpp"

namespace findrho {
namespace {

/// Both compute in double from images rounded to single precision, where one may fall to either side; eight steps of power
/// iteration carry that rounding, 6e-8 of a voxel's largest, on to weak coils and ambiguous voxels.
TEST(GpuCoilMaps, AreTheProcessors) {
  CudaModule const module = load_cuda_module();
  if (!module.ready()) GTEST_SKIP() << "no CUDA device: " << module.reason;
  CudaSession const session = CudaSession::open(module, 0);
  Context const context = Context::cpu(4);
  SimulateOptions const scans[] = {
      {.matrix = {33, 48, 1}, .trajectory = Radial2dOptions{}, .coils = 8, .snr = 20},
      {.matrix = {32, 32, 1}, .trajectory = Radial2dOptions{}, .coils = 64, .snr = 20},
      {.matrix = {20, 24, 18}, .trajectory = Radial3dOptions{.spokes = 900}, .coils = 3, .snr = 20}};
  for (SimulateOptions const& options : scans) {
    SCOPED_TRACE(options.coils);
    auto const scan = test::simulated(context, options);
    Frame const& frame = scan.dataset.frames.front();
    std::vector<double> const density(static_cast<std::size_t>(frame.trajectory->size()), 1.0);
    auto const maps = [&](std::optional<CudaSession> const& cuda) {
      return estimate_coil_maps(context, *frame.trajectory, frame.samples, density, options.matrix, 12, cuda);
    };
    auto const expected = maps(std::nullopt), actual = maps(session);
    float largest = 0;
    double norm_sq = 0;
    for (std::int64_t i = 0; i < expected.size(); ++i) {
      largest = std::max(largest, std::abs(actual[i] - expected[i]));
      norm_sq += std::norm(std::complex<double>(actual[i]));
    }
    EXPECT_LT(largest, 1e-5F);
    // 1 a voxel, to the rounding of the maps; no comparison with NaN would fail above.
    EXPECT_NEAR(norm_sq / static_cast<double>(options.matrix.voxels()), 1, 1e-5);
  }
}

}  // namespace
}  // namespace findrho
