// SPDX-License-Identifier: BSD-3-Clause
// The ladder: F^H d, Q and F rho as exact sums over arbitrary positions, one rung of optimisation after the other.
// docs/design/ladder.md tells the story; src/dft/rungs/ has one file per rung, run by CPU threads and CUDA blocks alike.
#pragma once
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/dft/rung.hpp"

namespace findrho {

/// Accesses to global memory and arithmetic operations of one step (a voxel with a sample), as the source reads.
/// Rule: each read or write of an array element is an access, also where it repeats; an atomic addition is a read and
/// a write. Each multiplication, addition and subtraction is an operation; the factor 2 pi is left out (it can be
/// folded into k), sine and cosine are counted apart, and Mu counts where the step computes it.
struct StepCount {
  int accesses, operations;
};

struct RungFacts {
  Rung rung;
  char const* name;
  char const* idea;
  char const* owner;  // what one thread owns
  StepCount fhd, q;
  bool on_cpu, on_gpu;        // where the ladder shows it
  bool in_double;             // has a double version
  bool slow;                  // timed on a slice of the work: atomics or one core
  int constant_sample_bytes;  // of one float sample in constant memory; 0: uses none
  bool needs_grid = false;    // voxels (F rho: the image) on a regular grid
};

std::span<RungFacts const> rung_facts();
RungFacts const& facts(Rung rung);
/// Errors  bad_option, naming the rungs
RungFacts const& find_rung(std::string_view name);

enum class SumKind {
  fhd,     // F^H d
  q,       // the convolution kernel of F^H W F, on half of its lags
  forward  // F rho
};
char const* name(SumKind kind);

/// One exact sum, ready for any rung:  out[n] = sum_m mu[m] exp(+i 2 pi (kx[m] x[n] + ky[m] y[n] + kz[m] z[n])).
/// Samples in cycles per FOV, voxels in FOV units. For SumKind::forward the roles are exchanged, see forward_sum().
/// Several coils share all positions: d is (coil, sample), the result (coil, voxel).
template <class T>
struct ExactSum {
  SumKind kind = SumKind::fhd;
  std::vector<T> kx, ky, kz;                  // one per sample
  std::vector<T> phi_re, phi_im, d_re, d_im;  // fhd: mu = conj(phi) d;  q: mu = d_re |phi|^2, d_im unused
  std::vector<T> x, y, z;                     // one per voxel
  std::int64_t samples() const { return static_cast<std::int64_t>(kx.size()); }
  std::int64_t voxels() const { return static_cast<std::int64_t>(x.size()); }
  std::int64_t coils() const { return kx.empty() ? 1 : static_cast<std::int64_t>(d_re.size() / kx.size()); }
  double pairs() const { return static_cast<double>(samples() * coils()) * static_cast<double>(voxels()); }
  /// What the problem takes on a device: inputs, Mu, packed samples and the result.
  static std::int64_t bytes(std::int64_t samples, std::int64_t voxels, std::int64_t coils);
  std::int64_t bytes() const { return bytes(samples(), voxels(), coils()); }
};

/// F^H d on a grid.
/// Shapes  d (coil, sample); phi one per sample, or empty: 1
template <class T>
ExactSum<T> fhd_sum(Trajectory const& trajectory, Matrix const& matrix,
                    std::span<std::complex<double> const> d, std::span<std::complex<double> const> phi = {});

/// Q(x) = sum_m w_m |phi_m|^2 exp(+i 2 pi k_m . x) at half of the lags of the doubled grid: Q(-x) = conj(Q(x)), so that
/// z >= 0 (2D: y >= 0) is enough. unfold_q makes the grid of it.
/// Shapes  weights one per sample, or empty: 1
template <class T>
ExactSum<T> q_sum(Trajectory const& trajectory, Matrix const& matrix, std::span<double const> weights = {},
                  std::span<std::complex<double> const> phi = {});

/// Lags that q_sum is over: about half of the doubled grid's.
std::int64_t q_sum_voxels(Matrix const& matrix);

/// Q on the grid of 2N points an axis (2D: one plane), lag l at index l + N; the planes of lag -N are 0, since lag N is
/// not there to make them Hermitian: the spectrum is real.
template <class T>
Array<std::complex<T>> unfold_q(Matrix const& matrix, std::span<T const> re, std::span<T const> im);

/// F rho: the same sum with the roles exchanged. "Samples" are the voxels with negative positions, "voxels" the
/// sampling positions. The result still wants the factor phi per sample, where that is not 1.
/// Shapes  rho (coil, z, y, x), or without the axis coil
template <class T>
ExactSum<T> forward_sum(Trajectory const& trajectory, Matrix const& matrix,
                        View<std::complex<double> const> rho);

/// Whether the sum is one that separable rungs can take: its voxels (F rho: its image) form a regular grid.
template <class T>
bool on_grid(ExactSum<T> const& sum);

/// Which part of a sum to evaluate: the first so many samples and voxels; 0: all.
struct SumSlice {
  std::int64_t samples = 0, voxels = 0;
};

template <class T>
struct SumResult {
  std::vector<T> re, im;  // (coil, voxel of the slice)
  double seconds = 0;     // of the rung alone
};

/// Options that a rung can run with, near what was asked: chunk and block within limits, 0 replaced by defaults.
RungOptions fitting_options(Rung rung, RungOptions options, std::size_t element_bytes);

/// Evaluates a sum with a rung on the CPU. Rungs with atomics run on one thread, all others on all.
/// Errors  bad_option (a rung without a version for T or for the CPU, options that it has not, positions that are no
///         grid for a rung that needs one), cancelled
template <class T>
SumResult<T> run_rung(Context const& context, ExactSum<T> const& sum, Rung rung,
                      RungOptions const& options = {}, SumSlice slice = {});

/// The sum in double at chosen voxels of a coil: the witness of every rung.
template <class T>
std::vector<std::complex<double>> exact_at(Context const& context, ExactSum<T> const& sum,
                                           std::span<std::int64_t const> voxels, std::int64_t samples = 0,
                                           std::int64_t coil = 0);

/// Relative l2 distance of a result from the sum in double, over probes spread evenly through the slice, the coils sharing
/// them.
template <class T>
double probe_error(Context const& context, ExactSum<T> const& sum, SumResult<T> const& result, SumSlice slice,
                   int probes = 64);

}  // namespace findrho
