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
std::vector<std::complex<T>> mu_of(ExactSum<T> const& sum, std::int64_t samples) {
  std::vector<std::complex<T>> mu(sum.kx.size());  // zero where the slice ends
  for (std::size_t m = 0; m < static_cast<std::size_t>(samples); ++m) {
    std::complex<double> const phi(sum.phi_re[m], sum.phi_im[m]), d(sum.d_re[m], sum.d_im[m]);
    mu[m] = std::complex<T>(sum.kind == SumKind::q ? d.real() * std::norm(phi) : std::conj(phi) * d);
  }
  return mu;
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
  std::vector<std::complex<T>> const mu = mu_of(sum, samples);
  std::int64_t const count = forward ? voxels : samples;
  std::vector<double> const kx = doubles(forward ? sum.x : sum.kx, count),
                            ky = doubles(forward ? sum.y : sum.ky, count),
                            kz = doubles(forward ? sum.z : sum.kz, count);
  ScatteredPoints const points{{kx, ky, kz}};
  std::vector<std::complex<T>> out(static_cast<std::size_t>(forward ? voxels : grid.points()));
  if (forward) {
    separable_forward<T>(context, grid, points, 1, mu.data(), out.data());
  } else {
    separable_gather<T>(context, grid, points, 1, mu.data(), out.data());
  }
  SumResult<T> result{.re = std::vector<T>(static_cast<std::size_t>(voxels)),
                      .im = std::vector<T>(static_cast<std::size_t>(voxels))};
  for (std::size_t n = 0; n < result.re.size(); ++n) {
    result.re[n] = out[n].real();
    result.im[n] = out[n].imag();
  }
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

#define FINDRHO_FOR(T)                                                           \
  template std::optional<Grid> grid_of(ExactSum<T> const&);                      \
  template std::vector<std::complex<T>> mu_of(ExactSum<T> const&, std::int64_t); \
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
