// SPDX-License-Identifier: BSD-3-Clause
// Classes by threshold, then averages over voxels: exact overlaps of boxes along x, then y, then z.
#include "findrho/phantom/anatomy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

constexpr double kWhitePeak = 112;  // of the image that the thresholds were read from

/// For one axis, the source voxels that a target voxel overlaps, and what part of the target each of them fills.
struct Overlap {
  std::int64_t first = 0;
  std::vector<double> part;
};

std::vector<Overlap> overlaps(std::int64_t source, double source_mm, std::int64_t target, double target_mm) {
  std::vector<Overlap> result;
  for (std::int64_t n = 0; n < target; ++n) {
    // Voxel n of N covers n - floor(N/2) +- 1/2; here in units of source voxels from the first one's edge.
    double const middle =
        static_cast<double>(n - target / 2) * target_mm / source_mm + static_cast<double>(source / 2) + 0.5;
    double const half = 0.5 * target_mm / source_mm;
    auto const first =
        std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(middle - half)), 0, source);
    Overlap overlap{first, {}};
    for (std::int64_t i = first; i < source && static_cast<double>(i) < middle + half; ++i) {
      double const from = std::max(static_cast<double>(i), middle - half);
      double const to = std::min(static_cast<double>(i + 1), middle + half);
      overlap.part.push_back(std::max(0.0, to - from) / (2 * half));
    }
    result.push_back(std::move(overlap));
  }
  return result;
}

/// out[a, n, b] = sum_i overlap[n].part[i] in[a, first + i, b]
std::vector<float> averaged(Context const& context, std::vector<float> const& in, std::int64_t outer,
                            std::int64_t source, std::int64_t inner, std::vector<Overlap> const& overlap) {
  auto const target = static_cast<std::int64_t>(overlap.size());
  std::vector<float> out(static_cast<std::size_t>(outer * target * inner), 0.0F);
  context.pool().each(outer, [&](std::int64_t a) {
    for (std::int64_t n = 0; n < target; ++n) {
      Overlap const& o = overlap[static_cast<std::size_t>(n)];
      float* to = out.data() + (a * target + n) * inner;
      for (std::size_t i = 0; i < o.part.size(); ++i) {
        float const* from = in.data() + (a * source + o.first + static_cast<std::int64_t>(i)) * inner;
        auto const part = static_cast<float>(o.part[i]);
        for (std::int64_t b = 0; b < inner; ++b) to[b] += part * from[b];
      }
    }
  });
  return out;
}

/// The most frequent value above the mean of all values inside: white matter in a T1-weighted head.
double white_peak(Anatomy const& anatomy) {
  double largest = 0, sum = 0, count = 0;
  for (float const v : anatomy.values) {
    if (!(v > 0)) continue;
    largest = std::max(largest, static_cast<double>(v));
    sum += static_cast<double>(v);
    count += 1;
  }
  if (count == 0)
    throw Error(ErrorKind::bad_file, "the anatomy is 0 everywhere", "give a T1-weighted head without skull");
  constexpr std::size_t kBins = 64;
  std::vector<double> bins(kBins + 1, 0.0), totals(kBins + 1, 0.0);
  for (float const v : anatomy.values) {
    if (!(static_cast<double>(v) > sum / count)) continue;
    auto const bin = static_cast<std::size_t>(static_cast<double>(v) / largest * kBins);
    bins[bin] += 1;
    totals[bin] += static_cast<double>(v);
  }
  auto const peak = static_cast<std::size_t>(std::max_element(bins.begin(), bins.end()) - bins.begin());
  return bins[peak] > 0 ? totals[peak] / bins[peak] : largest;
}

VoxelPhantom::Tissue empty_tissue(TissueClass const& c, Nucleus nucleus, Matrix const& matrix) {
  VoxelPhantom::Tissue tissue{c.name, Array<float>(matrix.shape())};
  tissue.decay = nucleus == Nucleus::hydrogen ? Decay{.t2star_s = c.t2star_s} : c.sodium_decay;
  return tissue;
}

}  // namespace

std::array<TissueClass, 3> const& tissue_classes() {
  auto const two = [](double long_s, double short_s) {
    return Decay{.t2star_s = long_s, .second_t2star_s = short_s, .second_part = 0.6};
  };
  static std::array<TissueClass, 3> const classes{{
      {"CSF", 1 / kWhitePeak, 62 / kWhitePeak, 1.00, 2.569, 0.058, 145, {.t2star_s = 0.054}},
      {"grey matter", 62 / kWhitePeak, 101 / kWhitePeak, 0.86, 0.833, 0.069, 45, two(0.0364, 0.0054)},
      {"white matter", 101 / kWhitePeak, 1e9, 0.77, 0.500, 0.061, 35, two(0.0233, 0.0035)},
  }};
  return classes;
}

VoxelPhantom head_phantom(Context const& context, Anatomy const& anatomy, Matrix const& matrix,
                          std::array<double, 3> const& fov_mm, Nucleus nucleus) {
  require_shape(anatomy.values.shape(), anatomy.matrix.shape(), "anatomy");
  std::array<std::vector<Overlap>, 3> overlap;
  for (std::size_t d = 0; d < 3; ++d) {
    auto const axis = static_cast<int>(d);
    if (!(fov_mm[d] > 0) || !(anatomy.voxel_mm[d] > 0)) {
      throw Error(ErrorKind::bad_option,
                  fmt::format("a field of view of {} mm with anatomy voxels of {} mm", fov_mm[d],
                              anatomy.voxel_mm[d]),
                  "give lengths above 0");
    }
    overlap[d] = overlaps(anatomy.matrix[axis], anatomy.voxel_mm[d], matrix[axis],
                          fov_mm[d] / static_cast<double>(matrix[axis]));
  }
  Matrix const& source = anatomy.matrix;
  double const unit = white_peak(anatomy);
  VoxelPhantom result{matrix, {}};
  for (TissueClass const& c : tissue_classes()) {
    std::vector<float> part(static_cast<std::size_t>(source.voxels()));
    for (std::int64_t n = 0; n < source.voxels(); ++n) {
      double const value = static_cast<double>(anatomy.values[n]) / unit;
      part[static_cast<std::size_t>(n)] = value >= c.low && value < c.high ? 1.0F : 0.0F;
    }
    part = averaged(context, part, source.z * source.y, source.x, 1, overlap[0]);
    part = averaged(context, part, source.z, source.y, matrix.x, overlap[1]);
    part = averaged(context, part, 1, source.z, matrix.y * matrix.x, overlap[2]);
    auto tissue = empty_tissue(c, nucleus, matrix);
    double const density = nucleus == Nucleus::hydrogen ? c.proton_density : c.sodium_mM;
    for (std::int64_t n = 0; n < matrix.voxels(); ++n) {
      tissue.density[n] = static_cast<float>(density) * part[static_cast<std::size_t>(n)];
    }
    result.tissues.push_back(std::move(tissue));
  }
  return result;
}

}  // namespace findrho
