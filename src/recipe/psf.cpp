// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/psf.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <numeric>

#include "findrho/core/error.hpp"
#include "findrho/core/memory.hpp"
#include "findrho/nufft/nufft.hpp"

namespace findrho {
namespace {

using std::numbers::pi;
using Place = std::array<double, 3>;  // voxels

constexpr std::int64_t kChunk = 16384;       // samples of a task: partial sums are added in this order always
constexpr double kLineStep = 1.0 / 32;       // voxels
constexpr std::int64_t kLinePlaces = 512;    // 16 voxels
constexpr std::int64_t kPlacesPerVoxel = 2;  // of the image

/// |psf| by the exact sum.
class ExactPsf {
 public:
  ExactPsf(Context const& context, Trajectory const& t, Matrix const& matrix,
           std::vector<double> const& weights)
      : context_(context), t_(t), matrix_(matrix), w_(weights) {
    sum_ = std::accumulate(w_.begin(), w_.end(), 0.0);
  }

  double sum() const { return sum_; }

  double at(Place const& voxels) const {
    std::array<double, 3> r{};
    for (std::size_t d = 0; d < 3; ++d) r[d] = voxels[d] / static_cast<double>(matrix_[static_cast<int>(d)]);
    return std::abs(over_samples(1,
                                 [&](std::size_t m, std::complex<double>* sums) {
                                   double turns = 0;
                                   for (int d = 0; d < t_.dims; ++d)
                                     turns += t_[d][m] * r[static_cast<std::size_t>(d)];
                                   sums[0] += w_[m] * turn(turns);
                                 })[0]) /
           sum_;
  }

  /// Values at 0, kLineStep, ... along an axis: the phase of a sample turns by the same angle at every step.
  std::vector<double> line(int d) const {
    double const step = kLineStep / static_cast<double>(matrix_[d]);
    auto const sums = over_samples(kLinePlaces, [&](std::size_t m, std::complex<double>* all) {
      std::complex<double> const by = turn(t_[d][m] * step);
      double re = w_[m], im = 0;
      for (std::int64_t i = 0; i < kLinePlaces; ++i) {
        all[i] += std::complex<double>(re, im);
        double const next = re * by.real() - im * by.imag();
        im = re * by.imag() + im * by.real();
        re = next;
      }
    });
    std::vector<double> values;
    for (auto const& s : sums) values.push_back(std::abs(s) / sum_);
    return values;
  }

 private:
  static std::complex<double> turn(double turns) {
    double const angle = 2 * pi * (turns - std::nearbyint(turns));
    return {std::cos(angle), std::sin(angle)};
  }

  template <class Add>
  std::vector<std::complex<double>> over_samples(std::int64_t places, Add const& add) const {
    std::int64_t const chunks = (t_.size() + kChunk - 1) / kChunk;
    std::vector<std::complex<double>> partial(static_cast<std::size_t>(chunks * places));
    context_.pool().each(chunks, [&](std::int64_t c) {
      context_.throw_if_cancelled();
      std::int64_t const end = std::min(t_.size(), (c + 1) * kChunk);
      for (std::int64_t m = c * kChunk; m < end; ++m) {
        add(static_cast<std::size_t>(m), partial.data() + c * places);
      }
    });
    std::vector<std::complex<double>> total(static_cast<std::size_t>(places));
    for (std::size_t i = 0; i < partial.size(); ++i) total[i % total.size()] += partial[i];
    return total;
  }

  Context const& context_;
  Trajectory const& t_;
  Matrix const& matrix_;
  std::vector<double> const& w_;
  double sum_ = 0;
};

/// Twice the place along axis d where |psf| falls through one half: bracketed on the line, then by secants.
double full_width(ExactPsf const& psf, std::vector<double> const& line, int d) {
  std::size_t i = 1;
  while (i < line.size() && line[i] > 0.5) ++i;
  if (i == line.size()) return 2 * kLineStep * static_cast<double>(line.size());  // wider than was looked at
  double a = kLineStep * static_cast<double>(i - 1), b = a + kLineStep;
  double fa = line[i - 1] - 0.5, fb = line[i] - 0.5;
  for (int n = 0; n < 4; ++n) {
    Place place{};
    double const c = place[static_cast<std::size_t>(d)] = a + (b - a) * fa / (fa - fb);
    double const fc = psf.at(place) - 0.5;
    (fc > 0 ? a : b) = c;
    (fc > 0 ? fa : fb) = fc;
    if (std::abs(fc) < 1e-9) return 2 * c;
  }
  return 2 * (a + (b - a) * fa / (fa - fb));
}

double first_minimum(std::vector<double> const& line) {
  std::size_t i = 1;
  while (i < line.size() && line[i] > 0.5) ++i;
  while (i + 1 < line.size() && line[i + 1] < line[i]) ++i;
  return kLineStep * static_cast<double>(i);
}

Array<float> image_of(Context const& context, Trajectory const& t, Matrix const& matrix, ExactPsf const& psf,
                      std::vector<double> const& weights) {
  Matrix const fine{kPlacesPerVoxel * matrix.x, kPlacesPerVoxel * matrix.y,
                    t.dims == 3 ? kPlacesPerVoxel * matrix.z : 1};
  Nufft<float> const nufft(context, t, fine, {.accuracy = 1e-4});
  Array<std::complex<float>> samples(sample_shape(1, t.size())), image(fine.shape(1));
  for (std::int64_t m = 0; m < t.size(); ++m) {
    samples[m] = static_cast<float>(weights[static_cast<std::size_t>(m)] / psf.sum());
  }
  nufft.adjoint(context, samples, image);
  Array<float> result(fine.shape());
  for (std::int64_t i = 0; i < result.size(); ++i) result[i] = std::abs(image[i]);
  return result;
}

bool outside(Place const& place, PsfFacts const& facts, int dims) {
  double sum = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) {
    double const part = place[d] / facts.main_lobe_voxels[d];
    sum += part * part;
  }
  return sum > 1;
}

/// Climbs from a place of the fine grid to the top nearby: parabolas through three values along each axis.
void climb(ExactPsf const& psf, int dims, PsfFacts& facts) {
  double step = 0.25;
  for (int round = 0; round < 3; ++round, step *= 0.4) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) {
      Place before = facts.side_lobe_at, after = facts.side_lobe_at, top = facts.side_lobe_at;
      before[d] -= step, after[d] += step;
      double const a = psf.at(before), b = facts.side_lobe, c = psf.at(after);
      double const bend = a - 2 * b + c;
      if (bend >= 0) continue;
      top[d] += step * std::clamp(0.5 * (a - c) / bend, -1.0, 1.0);
      if (!outside(top, facts, dims)) continue;
      if (double const value = psf.at(top); value > b) facts.side_lobe = value, facts.side_lobe_at = top;
    }
  }
}

void find_side_lobe(ExactPsf const& psf, int dims, PsfFacts& facts) {
  Shape const& shape = facts.image.shape();
  std::int64_t const nx = shape.extent(Axis::x), ny = shape.extent(Axis::y), nz = shape.extent(Axis::z);
  for (std::int64_t z = 0; z < nz; ++z) {
    for (std::int64_t y = 0; y < ny; ++y) {
      for (std::int64_t x = 0; x < nx; ++x) {
        float const value = facts.image[(z * ny + y) * nx + x];
        if (value <= facts.side_lobe) continue;
        Place const place{0.5 * static_cast<double>(x - nx / 2), 0.5 * static_cast<double>(y - ny / 2),
                          0.5 * static_cast<double>(z - nz / 2)};
        if (!outside(place, facts, dims)) continue;
        facts.side_lobe = value;
        facts.side_lobe_at = place;
      }
    }
  }
  facts.side_lobe = psf.at(facts.side_lobe_at);
  climb(psf, dims, facts);
  facts.side_lobe_dB = 20 * std::log10(facts.side_lobe);
}

/// What the plan keeps of a sample, at least; values, magnitudes and grid of the image, with two places per voxel and axis.
void check_memory(Trajectory const& t, Matrix const& matrix) {
  double const places = static_cast<double>(matrix.voxels()) * (t.dims == 3 ? 8 : 4);
  double const bytes = static_cast<double>(t.size()) * (8 + 4.0 * t.dims) + places * (8 + 4 + 8);
  require_memory(bytes,
                 fmt::format("the point-spread function of {} samples on {} places takes", t.size(), places),
                 "give a smaller matrix, fewer shots or samples");
}

}  // namespace

PsfFacts psf_of(Context const& context, Trajectory const& t, Matrix const& matrix,
                std::vector<double> const& weights) {
  if (!weights.empty() && weights.size() != t.kx.size()) {
    throw Error(ErrorKind::bad_shape,
                fmt::format("{} density weights do not fit {} samples", weights.size(), t.kx.size()),
                "give one weight per sample");
  }
  check_memory(t, matrix);
  std::vector<double> const ones(weights.empty() ? t.kx.size() : 0, 1.0);
  std::vector<double> const& w = weights.empty() ? ones : weights;
  Phase const phase(context, "point-spread function");
  ExactPsf const psf(context, t, matrix, w);
  if (!(psf.sum() > 0)) {
    throw Error(ErrorKind::bad_option,
                fmt::format("the density weights of {} samples add up to {}", t.size(), psf.sum()),
                "give samples with weights above 0");
  }
  PsfFacts facts;
  for (int d = 0; d < t.dims; ++d) {
    auto const line = psf.line(d);
    facts.fwhm_voxels[static_cast<std::size_t>(d)] = full_width(psf, line, d);
    facts.main_lobe_voxels[static_cast<std::size_t>(d)] = first_minimum(line);
  }
  context.throw_if_cancelled();
  facts.image = image_of(context, t, matrix, psf, w);
  find_side_lobe(psf, t.dims, facts);
  return facts;
}

}  // namespace findrho
