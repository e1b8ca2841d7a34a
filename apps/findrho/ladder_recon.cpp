// SPDX-License-Identifier: BSD-3-Clause
#include "ladder_recon.hpp"

#include <cmath>

#include "findrho/dft/cuda_ladder.hpp"
#include "findrho/quality/compare.hpp"
#include "findrho/recipe/simulate.hpp"

namespace findrho {
namespace {

constexpr double kBetweenReadouts = 0.01;  // seconds

template <class T>
SumResult<T> result_of(Context const& context, ExactSum<T> const& sum, RungPlace const& place) {
  if (place.session == nullptr) return run_rung(context, sum, place.rung, place.options);
  CudaSum<T> device_sum(*place.session, sum);
  device_sum.run(place.rung, place.options);
  return device_sum.result();
}

}  // namespace

PhantomScan scan_phantom(Context const& context, Matrix const& matrix, TrajectoryOptions trajectory,
                         double snr, std::uint64_t seed) {
  SimulatedScan s = simulate(context, {.matrix = matrix,
                                       .trajectory = std::move(trajectory),
                                       .snr = snr,
                                       .seed = seed,
                                       .repetition_time_s = 0});
  PhantomScan scan{.dataset = prepare(context, s.scan, {}), .truth = Array<float>(s.truth.shape())};
  scan.scan_time_s = static_cast<double>(s.shots) * kBetweenReadouts +
                     static_cast<double>(s.trajectory.size()) * scan.dataset.dwell_s;
  for (std::int64_t i = 0; i < s.truth.size(); ++i) scan.truth[i] = static_cast<float>(std::abs(s.truth[i]));
  return scan;
}

double psnr_of(PhantomScan const& scan, Array<std::complex<float>> const& image) {
  Array<float> const shown = magnitude(image);
  return compare_images(View<float const>(shown.data(), scan.truth.shape()), scan.truth, {}).psnr_db;
}

double distance(Array<std::complex<float>> const& image, Array<std::complex<float>> const& from) {
  double difference = 0, norm = 0;
  for (std::int64_t i = 0; i < image.size(); ++i) {
    difference += std::norm(image[i] - from[i]);
    norm += std::norm(from[i]);
  }
  return std::sqrt(difference / norm);
}

template <class T>
ExactRecon reconstruct_by_rung(Context const& context, PhantomScan const& scan, RungPlace const& place,
                               ExactReconOptions const& options) {
  Matrix const& m = scan.dataset.matrix;
  Trajectory const& t = *scan.frame().trajectory;
  auto const& samples = scan.frame().samples;
  std::vector<std::complex<double>> const d(samples.begin(), samples.end());
  SumResult<T> const fhd = result_of(context, fhd_sum<T>(t, m, d), place);
  SumResult<T> const half = result_of(context, q_sum<T>(t, m), place);
  Array<std::complex<T>> const q = unfold_q<T>(m, half.re, half.im);
  Array<std::complex<T>> b(m.shape());
  for (std::int64_t n = 0; n < b.size(); ++n) {
    b[n] = {fhd.re[static_cast<std::size_t>(n)], fhd.im[static_cast<std::size_t>(n)]};
  }
  return reconstruct_exact<T>(context, m, b, q, options);
}

template ExactRecon reconstruct_by_rung<float>(Context const&, PhantomScan const&, RungPlace const&,
                                               ExactReconOptions const&);
template ExactRecon reconstruct_by_rung<double>(Context const&, PhantomScan const&, RungPlace const&,
                                                ExactReconOptions const&);

}  // namespace findrho
