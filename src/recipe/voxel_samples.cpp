// SPDX-License-Identifier: BSD-3-Clause
#include "voxel_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/nufft/nufft.hpp"

namespace findrho {
namespace {

using Complex = std::complex<double>;
using std::numbers::pi;

/// The places where the object has any density, and its densities there.
struct Active {
  std::vector<std::int64_t> voxel;
  std::vector<std::array<double, 3>> r;
};

Active active_voxels(VoxelPhantom const& object) {
  Active active;
  Matrix const& m = object.matrix;
  for (std::int64_t n = 0; n < m.voxels(); ++n) {
    bool const inside = std::any_of(object.tissues.begin(), object.tissues.end(),
                                    [n](VoxelPhantom::Tissue const& t) { return t.density[n] != 0; });
    if (!inside) continue;
    std::int64_t const index[] = {n % m.x, n / m.x % m.y, n / m.x / m.y};
    auto& r = active.r.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) {
      std::int64_t const size = m[static_cast<int>(d)];
      r[d] = static_cast<double>(index[d] - size / 2) / static_cast<double>(size);
    }
    active.voxel.push_back(n);
  }
  return active;
}

std::array<double, 3> placed(Placement const& p, std::array<double, 3> const& r) {
  std::array<double, 3> moved = p.shift;
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t e = 0; e < 3; ++e) moved[d] += p.turn[d][e] * r[e];
  }
  return moved;
}

/// Chebyshev points in time and how the signal at any time is interpolated between them.
class Segments {
 public:
  Segments(double from_s, double to_s, int count) {
    for (int l = 0; l < count; ++l) {
      double const angle = (2 * l + 1) * pi / (2 * count);
      times_.push_back(0.5 * (from_s + to_s) + 0.5 * (to_s - from_s) * std::cos(angle));
      barycentric_.push_back((l % 2 == 0 ? 1 : -1) * std::sin(angle));
    }
  }
  std::vector<double> const& times() const { return times_; }

  /// The Lagrange polynomials at t, by the barycentric formula (Berrut and Trefethen, SIAM Rev. 46:501, 2004).
  std::vector<double> weights(double t) const {
    std::vector<double> w(times_.size());
    double sum = 0;
    for (std::size_t l = 0; l < w.size(); ++l) {
      if (t == times_[l]) {
        std::fill(w.begin(), w.end(), 0.0);
        w[l] = 1;
        return w;
      }
      w[l] = barycentric_[l] / (t - times_[l]);
      sum += w[l];
    }
    for (double& value : w) value /= sum;
    return w;
  }

 private:
  std::vector<double> times_, barycentric_;
};

/// The samples taken while the object is in one place.
struct Group {
  Placement placement;
  std::vector<std::int64_t> samples;
};

std::vector<Group> group_by_place(VoxelScan const& scan) {
  std::vector<Group> groups;
  if (scan.placements.empty()) {
    groups.emplace_back();
    for (std::int64_t m = 0; m < scan.trajectory.size(); ++m) groups[0].samples.push_back(m);
    return groups;
  }
  std::int64_t const n = scan.trajectory.samples_per_readout;
  for (std::size_t i = 0; i < scan.placements.size(); ++i) {
    auto group = std::find_if(groups.begin(), groups.end(),
                              [&](Group const& g) { return g.placement == scan.placements[i]; });
    if (group == groups.end()) group = groups.insert(groups.end(), {scan.placements[i], {}});
    for (std::int64_t m = static_cast<std::int64_t>(i) * n; m < static_cast<std::int64_t>(i + 1) * n; ++m) {
      group->samples.push_back(m);
    }
  }
  return groups;
}

/// Off-resonance of the active voxels: the map's, and the middle and half width of what any tissue has.
struct Frequencies {
  std::vector<double> map_hz;
  double middle_hz = 0, half_width_hz = 0;
};

Frequencies frequencies(VoxelScan const& scan, std::vector<std::array<double, 3>> const& points) {
  Frequencies result;
  double low = 0, high = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    double const f = scan.field.zero() ? 0 : frequency_hz(scan.field, points[i]);
    result.map_hz.push_back(f);
    low = i == 0 ? f : std::min(low, f);
    high = i == 0 ? f : std::max(high, f);
  }
  double tissue_low = 0, tissue_high = 0;
  for (auto const& tissue : scan.object.tissues) {
    tissue_low = std::min(tissue_low, tissue.frequency_hz);
    tissue_high = std::max(tissue_high, tissue.frequency_hz);
  }
  result.middle_hz = 0.5 * (low + tissue_low + high + tissue_high);
  result.half_width_hz = 0.5 * (high + tissue_high - low - tissue_low);
  return result;
}

bool changes(VoxelScan const& scan) {
  return !scan.field.zero() ||
         std::any_of(scan.object.tissues.begin(), scan.object.tissues.end(),
                     [](auto const& t) { return t.frequency_hz != 0 || !t.decay.none(); });
}

/// As many segments as the widest frequency and the fastest decay need.
Segments make_segments(VoxelScan const& scan, Group const& group, Frequencies const& f) {
  if (!changes(scan)) return {0, 0, 1};
  double from = 0, to = 0;
  for (std::size_t i = 0; i < group.samples.size(); ++i) {
    double const t = scan.trajectory.time_s[static_cast<std::size_t>(group.samples[i])];
    from = i == 0 ? t : std::min(from, t);
    to = i == 0 ? t : std::max(to, t);
  }
  double rate = 0;
  for (auto const& tissue : scan.object.tissues) {
    for (double const t2star : {tissue.decay.t2star_s, tissue.decay.second_t2star_s}) {
      if (t2star > 0) rate = std::max(rate, 1 / t2star);
    }
  }
  double const half = 0.5 * (to - from);
  return {from, to, time_segments({rate * half, 2 * pi * f.half_width_hz * half})};
}

/// The group's samples as the object sees them: k turns back with it.
Trajectory seen_by_object(VoxelScan const& scan, Group const& group) {
  Trajectory seen;
  seen.dims = scan.trajectory.dims;
  for (std::int64_t const m : group.samples) {
    auto const i = static_cast<std::size_t>(m);
    for (int e = 0; e < seen.dims; ++e) {
      double k = 0;
      for (int d = 0; d < seen.dims; ++d) {
        k += group.placement.turn[static_cast<std::size_t>(d)][static_cast<std::size_t>(e)] *
             scan.trajectory[d][i];
      }
      seen[e].push_back(k);
    }
  }
  return seen;
}

double sinc(double x) {
  return x == 0 ? 1 : std::sin(pi * x) / (pi * x);
}

/// What each sample of the group is multiplied with: the voxel's box, the shift's phase, the middle frequency's phase.
std::vector<Complex> sample_factors(VoxelScan const& scan, Group const& group, Trajectory const& seen,
                                    double middle_hz) {
  Matrix const& fine = scan.object.matrix;
  double const scale = static_cast<double>(scan.matrix.voxels()) / static_cast<double>(fine.voxels());
  std::vector<Complex> factors;
  for (std::size_t j = 0; j < group.samples.size(); ++j) {
    auto const i = static_cast<std::size_t>(group.samples[j]);
    double box = scale, turns = scan.trajectory.time_s.empty() ? 0 : middle_hz * scan.trajectory.time_s[i];
    for (int d = 0; d < seen.dims; ++d) {
      double const response = sinc(seen[d][j] / static_cast<double>(fine[d]));
      box = scan.object.meaning == VoxelMeaning::boxes ? box * response : box / response;
      turns -= scan.trajectory[d][i] * group.placement.shift[static_cast<std::size_t>(d)];
    }
    factors.push_back(std::polar(box, 2 * pi * turns));
  }
  return factors;
}

/// What the active voxels emit at one time, turned back by the middle frequency.
std::vector<Complex> emitted(VoxelScan const& scan, Active const& active, Frequencies const& f,
                             double time_s) {
  std::vector<Complex> signal(active.voxel.size());
  for (auto const& tissue : scan.object.tissues) {
    Complex const factor = signal_at(tissue.decay, tissue.frequency_hz - f.middle_hz, time_s);
    for (std::size_t i = 0; i < signal.size(); ++i) {
      signal[i] += factor * static_cast<double>(tissue.density[active.voxel[i]]);
    }
  }
  if (!scan.field.zero()) {
    for (std::size_t i = 0; i < signal.size(); ++i)
      signal[i] *= std::polar(1.0, 2 * pi * f.map_hz[i] * time_s);
  }
  return signal;
}

void add_group(Context const& context, VoxelScan const& scan, Active const& active, Group const& group,
               View<Complex> result) {
  std::vector<std::array<double, 3>> points;
  for (auto const& r : active.r) points.push_back(placed(group.placement, r));
  auto const sensitivities = sensitivities_at(context, scan.coils, points);
  Frequencies const f = frequencies(scan, points);
  Segments const segments = make_segments(scan, group, f);
  Trajectory const seen = seen_by_object(scan, group);
  std::vector<Complex> const factors = sample_factors(scan, group, seen, f.middle_hz);
  Nufft<double> const nufft(context, seen, scan.object.matrix, {.accuracy = 1e-7});

  std::vector<std::vector<double>> weights;
  for (std::int64_t const m : group.samples) {
    weights.push_back(segments.weights(segments.times().size() == 1
                                           ? segments.times()[0]
                                           : scan.trajectory.time_s[static_cast<std::size_t>(m)]));
  }
  auto const count = static_cast<std::int64_t>(points.size());
  Array<Complex> image(scan.object.matrix.shape(1));
  Array<Complex> part(sample_shape(1, seen.size()));
  for (std::size_t l = 0; l < segments.times().size(); ++l) {
    auto const signal = emitted(scan, active, f, segments.times()[l]);
    for (std::int64_t c = 0; c < scan.coils.coils(); ++c) {
      context.throw_if_cancelled();
      for (std::size_t i = 0; i < signal.size(); ++i) {
        image[active.voxel[i]] = signal[i] * sensitivities[c * count + static_cast<std::int64_t>(i)];
      }
      nufft.forward(context, image, part);
      for (std::size_t j = 0; j < factors.size(); ++j) {
        result[c * scan.trajectory.size() + group.samples[j]] +=
            weights[j][l] * factors[j] * part[static_cast<std::int64_t>(j)];
      }
    }
  }
}

void check(VoxelScan const& scan) {
  int const dims = scan.object.matrix.dims();
  if (scan.trajectory.dims != dims || scan.matrix.dims() != dims) {
    throw Error(ErrorKind::bad_shape,
                "the voxels have " + std::to_string(dims) + " dimensions, the trajectory " +
                    std::to_string(scan.trajectory.dims) + ", the image " +
                    std::to_string(scan.matrix.dims()),
                "make all three for the same matrix");
  }
  auto const placed = static_cast<std::int64_t>(scan.placements.size()) * scan.trajectory.samples_per_readout;
  if (!scan.placements.empty() && placed != scan.trajectory.size()) {
    throw Error(ErrorKind::bad_shape,
                std::to_string(scan.placements.size()) + " places of the object do not fit the readouts",
                "give one place per readout");
  }
  if (changes(scan) && scan.trajectory.time_s.empty()) {
    throw Error(ErrorKind::bad_option,
                "the signal changes during the readout, but the samples' times are unknown",
                "give the trajectory its times, or leave out T2* and off-resonance");
  }
}

}  // namespace

int time_segments(std::complex<double> z) {
  constexpr double kError = 1e-6;
  double bound = 2;
  for (int count = 1; count <= 256; ++count) {
    bound *= std::abs(z) / (2 * count);
    if (bound <= kError) return count;
  }
  throw Error(
      ErrorKind::bad_option,
      fmt::format("off-resonance or decay turns the signal by {:.4g} rad within a readout", 2 * std::abs(z)),
      "shorten the readout, or lessen the field map");
}

Array<Complex> voxel_samples(Context const& context, VoxelScan const& scan) {
  check(scan);
  Array<Complex> result(sample_shape(scan.coils.coils(), scan.trajectory.size()));
  Active const active = active_voxels(scan.object);
  for (Group const& group : group_by_place(scan)) add_group(context, scan, active, group, result);
  return result;
}

}  // namespace findrho
