// SPDX-License-Identifier: BSD-3-Clause
// k-space of solids seen through polynomial sensitivities. Read solid_transform.hpp first.
// With r = c + A x a solid becomes the unit ball, cube or cylinder: q = 2 pi A^T k, and the sensitivity a polynomial in x,
// so that each (solid, coil) is one vector of coefficients for the unit solid's moments. Where the object moves, c and A do.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/phantom/phantom.hpp"
#include "polynomial.hpp"
#include "solid.hpp"
#include "solid_transform.hpp"

namespace findrho {
namespace {

using detail::SolidTransform;
using std::numbers::pi;
using Lane = SolidTransform::Lane;
constexpr std::size_t kBlock = detail::BallTransform::kBlock;

/// Real and imaginary factor of each derivative, for one coil.
struct Coefficients {
  std::vector<double> real, imag;
};

struct Part {
  SolidTransform const* transform;
  Solid const* solid;
  std::array<std::array<double, 3>, 3> to_q;  // q_e = sum_d to_q[e][d] k_d
  std::array<double, 3> to_phase;             // phase = -sum_d to_phase[d] k_d
  std::vector<Coefficients> coils;
};

/// x -> r of a solid's unit coordinates in the FOV, the object being placed.
detail::AffineMap unit_to_fov(Solid const& solid, int dims, Placement const& placement) {
  auto const axes = detail::scaled_axes(solid, dims);
  detail::AffineMap map{placement.shift, {}};
  for (std::size_t d = 0; d < static_cast<std::size_t>(dims); ++d) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(dims); ++i) {
      map.offset[d] += placement.turn[d][i] * solid.center[i];
      for (std::size_t e = 0; e < 3; ++e) map.matrix[d][e] += placement.turn[d][i] * axes[e][i];
    }
  }
  return map;
}

/// Turns solids into parts; what does not depend on where they are is made once.
class PartMaker {
 public:
  PartMaker(Phantom const& phantom, Matrix const& matrix, CoilSet const& coils)
      : phantom_(phantom),
        coils_(coils),
        voxels_(static_cast<double>(matrix.voxels())),
        substitution_(coils.dims, coils.degree) {
    for (auto const shape : {SolidShape::ellipsoid, SolidShape::box, SolidShape::cylinder}) {
      transforms_.emplace_back(shape, coils.dims, coils.degree);
    }
  }

  std::vector<Part> parts(Placement const& placement) const {
    std::vector<Part> result;
    for (Solid const& solid : phantom_.solids) result.push_back(part(solid, placement));
    return result;
  }

 private:
  Part part(Solid const& solid, Placement const& placement) const {
    auto const dims = static_cast<std::size_t>(coils_.dims);
    auto map = unit_to_fov(solid, coils_.dims, placement);
    Part part{};
    part.transform = &transforms_[static_cast<std::size_t>(solid.shape)];
    part.solid = &solid;
    double volume = voxels_ * solid.density;
    for (std::size_t d = 0; d < dims; ++d) {
      volume *= solid.semi_axis[d];
      part.to_phase[d] = 2 * pi * map.offset[d];
      map.offset[d] *= 2;  // sensitivities are polynomials in 2 r
      for (std::size_t e = 0; e < 3; ++e) {
        part.to_q[e][d] = 2 * pi * map.matrix[d][e];
        map.matrix[d][e] *= 2;
      }
    }
    static constexpr std::complex<double> kPowerOfI[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    auto const powers = substitution_.powers(map);
    for (auto const& sensitivity : coils_.coefficients) {
      auto const local = detail::substitute(sensitivity, powers);
      Coefficients c;
      for (std::size_t a = 0; a < local.size(); ++a) {
        auto const& exponent = substitution_.exponents()[a];
        std::complex<double> const factor =
            volume * local[a] * kPowerOfI[(exponent[0] + exponent[1] + exponent[2]) % 4];
        c.real.push_back(factor.real());
        c.imag.push_back(factor.imag());
      }
      part.coils.push_back(std::move(c));
    }
    return part;
  }

  Phantom const& phantom_;
  CoilSet const& coils_;
  double voxels_;
  detail::Substitution substitution_;
  std::vector<SolidTransform> transforms_;
};

/// sum_a factor[a] table[a] for every lane, a few lanes at a time so that the sums stay in registers.
void contract(Coefficients const& factors, std::vector<Lane> const& table, Lane& real, Lane& imag) {
  constexpr std::size_t kWide = 4;
  for (std::size_t b = 0; b < kBlock; b += kWide) {
    double re[kWide] = {}, im[kWide] = {};
    for (std::size_t a = 0; a < factors.real.size(); ++a) {
      double const* moment = table[a].data() + b;
      for (std::size_t i = 0; i < kWide; ++i) {
        re[i] += factors.real[a] * moment[i];
        im[i] += factors.imag[a] * moment[i];
      }
    }
    std::copy_n(re, kWide, real.data() + b);
    std::copy_n(im, kWide, imag.data() + b);
  }
}

/// Work arrays of one block of samples.
struct Scratch {
  std::array<Lane, 3> k{}, q{};
  Lane time_s{}, cos{}, sin{}, real{}, imag{};
  std::vector<Lane> table;
  SolidTransform::Tables factors;
};

/// The phase of the solid's place, times what its signal does at the samples' times.
void set_factor(Part const& part, Scratch& s) {
  bool const steady = part.solid->frequency_hz == 0 && part.solid->decay.none();
  for (std::size_t b = 0; b < kBlock; ++b) {
    double const phase =
        2 * pi * part.solid->frequency_hz * s.time_s[b] -
        (part.to_phase[0] * s.k[0][b] + part.to_phase[1] * s.k[1][b] + part.to_phase[2] * s.k[2][b]);
    double const size = steady ? 1 : decay_at(part.solid->decay, s.time_s[b]);
    s.cos[b] = size * std::cos(phase);
    s.sin[b] = size * std::sin(phase);
  }
}

void add_part(Part const& part, Scratch& s, std::size_t lanes, std::complex<double>* samples,
              std::int64_t coil_stride) {
  for (std::size_t e = 0; e < 3; ++e) {
    for (std::size_t b = 0; b < kBlock; ++b) {
      s.q[e][b] = part.to_q[e][0] * s.k[0][b] + part.to_q[e][1] * s.k[1][b] + part.to_q[e][2] * s.k[2][b];
    }
  }
  set_factor(part, s);
  part.transform->derivatives(s.q, s.factors, s.table);
  for (std::size_t c = 0; c < part.coils.size(); ++c) {
    contract(part.coils[c], s.table, s.real, s.imag);
    std::complex<double>* out = samples + static_cast<std::int64_t>(c) * coil_stride;
    for (std::size_t b = 0; b < lanes; ++b) {
      out[b] += std::complex<double>(s.real[b] * s.cos[b] - s.imag[b] * s.sin[b],
                                     s.real[b] * s.sin[b] + s.imag[b] * s.cos[b]);
    }
  }
}

void check_coils(CoilSet const& coils) {
  std::size_t const terms = monomials(coils.dims, coils.degree).size();
  for (auto const& c : coils.coefficients) {
    if (c.size() == terms && coils.degree <= detail::BallTransform::kMostDegree) continue;
    throw Error(ErrorKind::bad_shape,
                "a coil of degree " + std::to_string(coils.degree) + " has " + std::to_string(c.size()) +
                    " coefficients, expected " + std::to_string(terms),
                "degrees go up to " + std::to_string(detail::BallTransform::kMostDegree));
  }
}

void check(Phantom const& phantom, Matrix const& matrix, Trajectory const& trajectory, CoilSet const& coils,
           std::vector<Placement> const& placements) {
  detail::require_phantom(phantom, matrix);
  if (trajectory.dims != phantom.dims || coils.dims != phantom.dims) {
    throw Error(ErrorKind::bad_shape,
                "the phantom has " + std::to_string(phantom.dims) + " dimensions, the trajectory " +
                    std::to_string(trajectory.dims) + ", the coils " + std::to_string(coils.dims),
                "make all three for the same matrix");
  }
  check_coils(coils);
  auto const placed = static_cast<std::int64_t>(placements.size()) * trajectory.samples_per_readout;
  if (!placements.empty() && placed != trajectory.size()) {
    throw Error(ErrorKind::bad_shape,
                std::to_string(placements.size()) + " places of the object for " +
                    std::to_string(trajectory.size()) + " samples in readouts of " +
                    std::to_string(trajectory.samples_per_readout),
                "give one place per readout");
  }
  bool const changes = std::any_of(phantom.solids.begin(), phantom.solids.end(),
                                   [](Solid const& s) { return s.frequency_hz != 0 || !s.decay.none(); });
  if (changes && trajectory.time_s.empty()) {
    throw Error(ErrorKind::bad_option,
                "the signal changes during the readout, but the samples' times are unknown",
                "give the trajectory its times, or leave out T2* and off-resonance");
  }
}

}  // namespace

Array<std::complex<double>> phantom_samples(Context const& context, Phantom const& phantom,
                                            Matrix const& matrix, Trajectory const& trajectory,
                                            CoilSet const& coils, std::vector<Placement> const& placements) {
  check(phantom, matrix, trajectory, coils, placements);
  PartMaker const maker(phantom, matrix, coils);
  std::vector<Part> const at_rest = placements.empty() ? maker.parts({}) : std::vector<Part>{};

  std::int64_t const samples = trajectory.size();
  Array<std::complex<double>> result(sample_shape(coils.coils(), samples));
  constexpr auto kStep = static_cast<std::int64_t>(kBlock);
  std::int64_t const per_task = placements.empty() ? 64 * kStep : trajectory.samples_per_readout;
  context.pool().each((samples + per_task - 1) / per_task, [&](std::int64_t task) {
    context.throw_if_cancelled();
    std::vector<Part> const moved =
        placements.empty() ? std::vector<Part>{} : maker.parts(placements[static_cast<std::size_t>(task)]);
    std::vector<Part> const& parts = placements.empty() ? at_rest : moved;
    Scratch scratch;
    std::int64_t const end = std::min(samples, (task + 1) * per_task);
    for (std::int64_t m = task * per_task; m < end; m += kStep) {
      std::int64_t const lanes = std::min(end - m, kStep);
      for (int d = 0; d < phantom.dims; ++d) {
        std::copy_n(trajectory[d].begin() + m, lanes, scratch.k[static_cast<std::size_t>(d)].begin());
      }
      if (!trajectory.time_s.empty())
        std::copy_n(trajectory.time_s.begin() + m, lanes, scratch.time_s.begin());
      for (Part const& part : parts)
        add_part(part, scratch, static_cast<std::size_t>(lanes), result.data() + m, samples);
    }
  });
  return result;
}

Array<std::complex<double>> phantom_samples(Context const& context, Phantom const& phantom,
                                            Matrix const& matrix, Trajectory const& trajectory) {
  return phantom_samples(context, phantom, matrix, trajectory, uniform_coil(phantom.dims));
}

}  // namespace findrho
