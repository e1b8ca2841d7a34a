// SPDX-License-Identifier: BSD-3-Clause
// Copies the samples of chosen readouts into frames, with their positions in cycles per image FOV.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "prepare_parts.hpp"

namespace findrho::prepare_parts {

namespace {

/// Where a sample of a frame comes from, and where it goes: several may go to one slot (averages).
struct Pick {
  std::int64_t offset;  // of channel 0 in RawScan::data
  std::int64_t stride;  // from channel to channel
  std::int64_t slot;
};

/// A frame before its samples are copied.
struct Plan {
  Trajectory trajectory;
  std::vector<float> density;
  std::vector<Pick> picks;
  std::int64_t outside = 0;  // samples left out because they lie beyond the image's k-space
};

/// Cycles per image FOV inside |k| <= N/2 with rounding clamped; false outside. On a Cartesian grid +N/2 is
/// the same frequency as -N/2 and stays out.
bool into_image(Spaces const& space, bool cartesian, Triple& k) {
  for (int d = 0; d < space.dims; ++d) {
    double& value = k[static_cast<std::size_t>(d)];
    double const edge = static_cast<double>(space.image[d]) / 2;
    value /= space.encoded_to_image[static_cast<std::size_t>(d)];
    if (std::abs(value) > edge * (1 + kEdgeRounding)) return false;
    if (cartesian && value >= edge * (1 - kEdgeRounding)) return false;
    value = std::clamp(value, -edge, edge);
  }
  return true;
}

/// Slots of a Cartesian frame by grid position.
class Grid {
 public:
  explicit Grid(Matrix const& matrix)
      : matrix_(matrix), slots_(static_cast<std::size_t>(matrix.voxels()), -1) {}
  std::int64_t& slot(Triple const& k) {
    std::int64_t index = 0;
    for (int d = 2; d >= 0; --d) {
      index = index * matrix_[d] + std::llround(k[static_cast<std::size_t>(d)]) + matrix_[d] / 2;
    }
    return slots_[static_cast<std::size_t>(index)];
  }

 private:
  Matrix matrix_;
  std::vector<std::int64_t> slots_;
};

/// Adds readouts to a plan, one after the other.
class Planner {
 public:
  Planner(Spaces const& space, Positions const& positions, bool timed)
      : space_(space),
        positions_(positions),
        timed_(timed),
        grid_(positions.cartesian ? space.encoded : Matrix{}) {
    plan_.trajectory.dims = space.dims;
  }

  void add(RawReadout const& r) {
    std::int64_t const before = plan_.trajectory.size();
    for (std::int64_t s = first_sample(r); s < end_sample(r); ++s) add(r, s);
    std::int64_t const taken = plan_.trajectory.size() - before;
    std::int64_t& length = plan_.trajectory.samples_per_readout;
    if (length == 0) length = taken;
    equal_lengths_ = equal_lengths_ && (taken == 0 || taken == length);
  }

  Plan finish() {
    if (!equal_lengths_) plan_.trajectory.samples_per_readout = 0;
    return std::move(plan_);
  }

 private:
  void add(RawReadout const& r, std::int64_t s) {
    Triple encoded = positions_.k(r, s);
    if (positions_.cartesian) {
      for (double& value : encoded) value = std::round(value);
    }
    Triple k = encoded;
    if (!into_image(space_, positions_.cartesian, k)) {
      ++plan_.outside;
      return;
    }
    std::int64_t const next = plan_.trajectory.size();
    std::int64_t slot = next;
    if (positions_.cartesian) {
      std::int64_t& known = grid_.slot(encoded);
      if (known < 0) known = next;
      slot = known;
    }
    if (slot == next) append(r, s, k);
    plan_.picks.push_back({r.data_offset + s, r.samples, slot});
  }

  void append(RawReadout const& r, std::int64_t s, Triple const& k) {
    Trajectory& t = plan_.trajectory;
    for (int d = 0; d < t.dims; ++d) t[d].push_back(k[static_cast<std::size_t>(d)]);
    if (timed_) {
      t.time_s.push_back(static_cast<float>(static_cast<double>(s - positions_.echo(r)) * r.dwell_us * 1e-6));
    }
    if (positions_.weight) plan_.density.push_back(positions_.weight(r, s));
  }

  Spaces const& space_;
  Positions const& positions_;
  bool timed_;
  Grid grid_;
  bool equal_lengths_ = true;
  Plan plan_;
};

Plan plan_frame(RawScan const& scan, Readouts const& readouts, Spaces const& space,
                Positions const& positions) {
  bool const timed = std::all_of(readouts.begin(), readouts.end(),
                                 [&](std::int64_t i) { return has_dwell(readout(scan, i)); });
  Planner planner(space, positions, timed);
  for (std::int64_t const i : readouts) planner.add(readout(scan, i));
  return planner.finish();
}

Array<std::complex<float>> gather(Context const& context, RawScan const& scan, Plan const& plan,
                                  std::vector<int> const& coils) {
  std::int64_t const samples = plan.trajectory.size();
  Array<std::complex<float>> result(sample_shape(std::ssize(coils), samples));
  std::vector<float> share;  // 1 / times acquired; empty when all are acquired once
  if (std::ssize(plan.picks) > samples) {
    share.assign(static_cast<std::size_t>(samples), 0.0F);
    for (Pick const& pick : plan.picks) share[static_cast<std::size_t>(pick.slot)] += 1.0F;
    for (float& value : share) value = 1.0F / value;
  }
  context.pool().each(std::ssize(coils), [&](std::int64_t c) {
    std::complex<float>* row = result.data() + c * samples;
    int const channel = coils[static_cast<std::size_t>(c)];
    for (Pick const& pick : plan.picks) {
      row[pick.slot] += scan.data[static_cast<std::size_t>(pick.offset + channel * pick.stride)];
    }
    for (std::size_t s = 0; s < share.size(); ++s) row[s] *= share[s];
  });
  return result;
}

bool same(Trajectory const& a, Trajectory const& b) {
  return a.samples_per_readout == b.samples_per_readout && a.kx == b.kx && a.ky == b.ky && a.kz == b.kz &&
         a.time_s == b.time_s;
}

std::shared_ptr<Trajectory const> shared(Dataset const& dataset, Trajectory&& trajectory) {
  for (Frame const& frame : dataset.frames) {
    if (same(*frame.trajectory, trajectory)) return frame.trajectory;
  }
  return std::make_shared<Trajectory const>(std::move(trajectory));
}

double norm(std::array<float, 3> const& v) {
  return std::hypot(v[0], v[1], v[2]);
}

Triple unit(std::array<float, 3> const& v) {
  double const length = norm(v);
  return {v[0] / length, v[1] / length, v[2] / length};
}

double dot(Triple const& a, Triple const& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// Orientation from the first readout of a frame; known when its three directions stand at right angles.
Geometry geometry_of(RawReadout const& r, Spaces const& space) {
  Geometry geometry;
  geometry.fov_mm = space.image_fov_mm;
  if (!(std::isfinite(r.position[0]) && std::isfinite(r.position[1]) && std::isfinite(r.position[2])))
    return geometry;
  for (std::size_t d = 0; d < 3; ++d) geometry.position_mm[d] = r.position[d];
  if (!(norm(r.read_dir) > 0 && norm(r.phase_dir) > 0 && norm(r.slice_dir) > 0)) return geometry;
  Triple const read = unit(r.read_dir), phase = unit(r.phase_dir), slice = unit(r.slice_dir);
  // 1e-3 rad: header directions are float32 cosines, often rounded to four digits.
  if (std::abs(dot(read, phase)) > 1e-3 || std::abs(dot(read, slice)) > 1e-3 ||
      std::abs(dot(phase, slice)) > 1e-3) {
    return geometry;
  }
  geometry.read = read;
  geometry.phase = phase;
  geometry.slice = slice;
  geometry.orientation_known = true;
  return geometry;
}

void report_zeros(Context const& context, RawScan const& scan, Dataset const& dataset) {
  std::int64_t zeros = 0;
  for (Frame const& frame : dataset.frames) {
    zeros += std::all_of(frame.samples.begin(), frame.samples.end(),
                         [](auto v) { return v == std::complex<float>(); });
  }
  if (zeros == std::ssize(dataset.frames)) {
    throw Error(ErrorKind::bad_file,
                fmt::format("{}: all {} samples of {} coils are zero", scan.path,
                            dataset.frames.front().trajectory->size(), dataset.coils),
                "the scan holds no signal");
  }
  if (zeros > 0) {
    context.warn(fmt::format("{} of {} frames hold nothing but zeros", zeros, dataset.frames.size()));
  }
}

}  // namespace

void gather_frames(Context const& context, RawScan const& scan, Chosen const& chosen, Spaces const& space,
                   std::map<int, Positions> const& positions, std::vector<int> const& coils,
                   Dataset& dataset) {
  std::int64_t outside = 0, total = 0, averaged = 0;
  for (auto const& [index, readouts] : chosen.frames) {
    context.throw_if_cancelled();
    Plan plan = plan_frame(scan, readouts, space, positions.at(index.encoding));
    outside += plan.outside;
    total += plan.outside + std::ssize(plan.picks);
    averaged += std::ssize(plan.picks) - plan.trajectory.size();
    if (plan.picks.empty()) {
      throw Error(ErrorKind::bad_option,
                  fmt::format("{}: all {} samples of a frame lie outside the image's k-space", scan.path,
                              plan.outside),
                  "give a larger --matrix, or a smaller --fov");
    }
    Frame frame;
    frame.index = index;
    frame.geometry = geometry_of(readout(scan, readouts.front()), space);
    frame.samples = gather(context, scan, plan, coils);
    frame.density = std::move(plan.density);
    frame.trajectory = shared(dataset, std::move(plan.trajectory));
    dataset.frames.push_back(std::move(frame));
  }
  if (outside > 0) {
    context.note(fmt::format("{} of {} samples lie beyond N/2 of the image's matrix and are left out",
                             outside, total));
  }
  if (averaged > 0) {
    context.note(fmt::format("{} samples acquired again are averaged with the first", averaged));
  }
  if (!dataset.frames.front().geometry.orientation_known) {
    context.note(
        "the readouts' direction vectors are zero or askew: orientation unknown, array axes are kept");
  }
  report_zeros(context, scan, dataset);
}

void gather_noise(Context const& context, RawScan const& scan, Chosen const& chosen,
                  std::vector<int> const& coils, Dataset& dataset) {
  RawReadout const& imaging = readout(scan, chosen.imaging.front());
  Readouts usable;
  std::int64_t samples = 0;
  for (std::int64_t const i : chosen.noise) {
    if (readout(scan, i).channels != imaging.channels) continue;
    usable.push_back(i);
    samples += readout(scan, i).samples;
  }
  if (usable.size() < chosen.noise.size()) {
    context.warn(fmt::format("{} noise readouts have other coils than the image's {}: left out",
                             chosen.noise.size() - usable.size(), imaging.channels));
  }
  if (samples == 0) return;
  dataset.noise = Array<std::complex<float>>(sample_shape(std::ssize(coils), samples));
  std::int64_t first = 0;
  for (std::int64_t const i : usable) {
    RawReadout const& r = readout(scan, i);
    // Noise variance is proportional to bandwidth, 1/dwell; the receiver's filter takes part of it away.
    bool const known = has_dwell(r) && has_dwell(imaging) && scan.receiver_noise_bandwidth > 0;
    double const variance = known ? r.dwell_us / (imaging.dwell_us * scan.receiver_noise_bandwidth) : 1;
    auto const scale = static_cast<float>(std::sqrt(variance));
    for (std::int64_t c = 0; c < std::ssize(coils); ++c) {
      auto const* source = scan.data.data() + r.data_offset + coils[static_cast<std::size_t>(c)] * r.samples;
      std::transform(source, source + r.samples, dataset.noise.data() + c * samples + first,
                     [scale](std::complex<float> v) { return scale * v; });
    }
    first += r.samples;
  }
  context.note(fmt::format("{} noise samples per coil, scaled to the image's bandwidth", samples));
}

}  // namespace findrho::prepare_parts
