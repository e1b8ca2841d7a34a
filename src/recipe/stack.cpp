// SPDX-License-Identifier: BSD-3-Clause
#include "stack.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace findrho {
namespace {

FrameIndex without_slice(FrameIndex index) {
  index.slice = 0;
  return index;
}

/// Position along the slice direction; scans without positions fall back on the slice number.
double height(Geometry const& g) {
  return g.position_mm[0] * g.slice[0] + g.position_mm[1] * g.slice[1] + g.position_mm[2] * g.slice[2];
}

using Members = std::vector<std::size_t>;  // frames of one volume, in spatial order

std::map<FrameIndex, Members> volumes_of(Dataset const& dataset) {
  std::map<FrameIndex, Members> volumes;
  for (std::size_t i = 0; i < dataset.frames.size(); ++i) {
    volumes[without_slice(dataset.frames[i].index)].push_back(i);
  }
  for (auto& [index, members] : volumes) {
    std::sort(members.begin(), members.end(), [&](std::size_t a, std::size_t b) {
      Frame const &fa = dataset.frames[a], &fb = dataset.frames[b];
      return std::pair(height(fa.geometry), fa.index.slice) < std::pair(height(fb.geometry), fb.index.slice);
    });
  }
  return volumes;
}

/// The geometry of slices 0..n-1 of one volume: direction and spacing from their positions, centre at slice n/2.
Geometry stacked_geometry(std::vector<Geometry const*> const& slices) {
  Geometry g = *slices[slices.size() / 2];
  auto const n = static_cast<double>(slices.size());
  std::array<double, 3> step{};
  double length_sq = 0;
  for (std::size_t d = 0; d < 3; ++d) {
    step[d] = (slices.back()->position_mm[d] - slices.front()->position_mm[d]) / (n - 1);
    length_sq += step[d] * step[d];
  }
  if (length_sq > 0) {
    double const spacing = std::sqrt(length_sq);
    for (std::size_t d = 0; d < 3; ++d) g.slice[d] = step[d] / spacing;
    g.fov_mm[2] = spacing * n;
  } else {
    g.fov_mm[2] *= n;  // positions not given: slices as thick as they are, without a gap
  }
  return g;
}

}  // namespace

StackPlan plan_stack(Dataset const& dataset) {
  StackPlan plan;
  plan.matrix = dataset.matrix;
  std::map<FrameIndex, Members> const volumes = volumes_of(dataset);
  auto const same_slices = [&](Members const& a, Members const& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](std::size_t i, std::size_t j) {
      return dataset.frames[i].index.slice == dataset.frames[j].index.slice;
    });
  };
  Members const& first = volumes.begin()->second;
  bool stackable = dataset.matrix.z == 1 && first.size() > 1;
  for (auto const& [index, members] : volumes) stackable = stackable && same_slices(members, first);

  plan.places.resize(dataset.frames.size());
  if (!stackable) {
    plan.geometry = dataset.frames.front().geometry;
    for (std::size_t i = 0; i < dataset.frames.size(); ++i) {
      plan.volumes.push_back(dataset.frames[i].index);
      plan.places[i] = {static_cast<std::int64_t>(i), 0};
    }
    return plan;
  }
  plan.matrix.z = static_cast<std::int64_t>(first.size());
  std::vector<Geometry const*> slices;
  for (std::size_t i : first) slices.push_back(&dataset.frames[i].geometry);
  plan.geometry = stacked_geometry(slices);
  for (auto const& [index, members] : volumes) {
    std::int64_t z = 0;
    for (std::size_t i : members) plan.places[i] = {static_cast<std::int64_t>(plan.volumes.size()), z++};
    plan.volumes.push_back(dataset.frames[members.front()].index);
  }
  return plan;
}

}  // namespace findrho
