// SPDX-License-Identifier: BSD-3-Clause
#include "dft/run_separable.hpp"

#include <chrono>

#include "dft/sum_arrays.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace ladder {
namespace {

template <class T>
std::vector<double> doubles(std::vector<T> const& values, std::int64_t count) {
  return {values.begin(), values.begin() + count};
}

/// Of all coils, the first so many samples of each; the rest of `stride` is zero.
template <class T>
std::vector<std::complex<T>> mu_of(ExactSum<T> const& sum, std::int64_t samples, std::int64_t stride) {
  auto const coils = static_cast<std::size_t>(sum.coils()), step = static_cast<std::size_t>(stride);
  std::vector<std::complex<T>> mu(coils * step);
  for (std::size_t c = 0; c < coils; ++c) {
    for (std::size_t m = 0; m < static_cast<std::size_t>(samples); ++m) {
      std::size_t const own = c * sum.kx.size() + m;
      std::complex<double> const phi(sum.phi_re[m], sum.phi_im[m]), d(sum.d_re[own], sum.d_im[own]);
      mu[c * step + m] =
          std::complex<T>(sum.kind == SumKind::q ? d.real() * std::norm(phi) : std::conj(phi) * d);
    }
  }
  return mu;
}

}  // namespace

template <class T>
std::optional<Grid> grid_of(ExactSum<T> const& sum) {
  return sum.kind == SumKind::forward ? find_grid<T>(sum.kx, sum.ky, sum.kz)
                                      : find_grid<T>(sum.x, sum.y, sum.z);
}

void refuse_without_grid(Rung rung) {
  throw Error(ErrorKind::bad_option,
              std::string(facts(rung).name) + " needs voxels on a regular grid, and these are not",
              "take gather_vector on the CPU or tuned on a CUDA device");
}

template <class T>
SumResult<T> run_separable(Context const& context, ExactSum<T> const& sum, SumSlice slice) {
  auto const found = grid_of(sum);
  if (!found) refuse_without_grid(Rung::separable_vector);
  Grid const& grid = *found;
  bool const forward = sum.kind == SumKind::forward;
  std::int64_t const samples = part_of(slice.samples, sum.samples());
  std::int64_t const voxels = part_of(slice.voxels, sum.voxels());
  auto const start = std::chrono::steady_clock::now();
  std::int64_t const coils = sum.coils(), count = forward ? voxels : samples;
  std::int64_t const inputs = forward ? grid.points() : samples, outputs = forward ? voxels : grid.points();
  std::vector<std::complex<T>> const mu = mu_of(sum, samples, inputs);
  std::vector<double> const kx = doubles(forward ? sum.x : sum.kx, count),
                            ky = doubles(forward ? sum.y : sum.ky, count),
                            kz = doubles(forward ? sum.z : sum.kz, count);
  ScatteredPoints const points{{kx, ky, kz}};
  std::vector<std::complex<T>> out(static_cast<std::size_t>(coils * outputs));
  forward ? separable_forward<T>(context, grid, points, coils, mu.data(), out.data())
          : separable_gather<T>(context, grid, points, coils, mu.data(), out.data());
  SumResult<T> result;
  result.re.reserve(static_cast<std::size_t>(coils * voxels));
  result.im.reserve(result.re.capacity());
  for (std::int64_t c = 0; c < coils; ++c) {
    for (std::int64_t n = 0; n < voxels; ++n) {
      std::complex<T> const value = out[static_cast<std::size_t>(c * outputs + n)];
      result.re.push_back(value.real());
      result.im.push_back(value.imag());
    }
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

#define FINDRHO_FOR(T)                                      \
  template std::optional<Grid> grid_of(ExactSum<T> const&); \
  template SumResult<T> run_separable(Context const&, ExactSum<T> const&, SumSlice);
FINDRHO_FOR(float)
FINDRHO_FOR(double)
#undef FINDRHO_FOR

}  // namespace ladder

template <class T>
bool on_grid(ExactSum<T> const& sum) {
  return ladder::grid_of(sum).has_value();
}
template bool on_grid(ExactSum<float> const&);
template bool on_grid(ExactSum<double> const&);

}  // namespace findrho
