// SPDX-License-Identifier: BSD-3-Clause
#include "whiten.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <string>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

using MatrixXcd = Eigen::MatrixXcd;

MatrixXcd covariance(View<std::complex<float> const> noise) {
  std::int64_t const coils = noise.shape.extent(Axis::coil), samples = noise.shape.extent(Axis::sample);
  using Rows = Eigen::Matrix<std::complex<float>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  MatrixXcd const n = Eigen::Map<Rows const>(noise.data, coils, samples).cast<std::complex<double>>();
  return n * n.adjoint() / static_cast<double>(samples);
}

}  // namespace

NoiseWhitening::NoiseWhitening(View<std::complex<float> const> noise)
    : coils_(noise.shape.extent(Axis::coil)) {
  MatrixXcd const psi = covariance(noise);
  Eigen::LLT<MatrixXcd> const llt(psi);
  double const mean_variance = psi.trace().real() / static_cast<double>(coils_);
  double weakest = mean_variance;
  if (llt.info() == Eigen::Success) weakest = llt.matrixLLT().diagonal().cwiseAbs2().minCoeff();
  constexpr double kSingular = 1e-10;  // of the mean variance: far below any real coil, far above rounding
  if (llt.info() != Eigen::Success || !(weakest > kSingular * mean_variance)) {
    throw Error(ErrorKind::bad_file,
                "the noise covariance of " + std::to_string(coils_) + " coils from " +
                    std::to_string(noise.shape.extent(Axis::sample)) + " noise samples is singular",
                "leave dead coils out with --coil-list, or do without whitening: --whiten off");
  }
  MatrixXcd const inverse =
      std::sqrt(mean_variance) * MatrixXcd(llt.matrixL().solve(MatrixXcd::Identity(coils_, coils_)));
  matrix_.resize(static_cast<std::size_t>(coils_ * coils_));
  for (std::int64_t i = 0; i < coils_; ++i) {
    for (std::int64_t j = 0; j <= i; ++j) matrix_[static_cast<std::size_t>(i * coils_ + j)] = inverse(i, j);
  }
}

void NoiseWhitening::apply(Context const& context, View<std::complex<float>> data) const {
  std::int64_t const elements = data.size() / coils_;
  constexpr std::int64_t kBlock = 4096;
  context.pool().each((elements + kBlock - 1) / kBlock, [&](std::int64_t block) {
    std::int64_t const end = std::min(elements, (block + 1) * kBlock);
    for (std::int64_t e = block * kBlock; e < end; ++e) {
      // From the last coil down: row i needs coils 0..i only, so the work is in place.
      for (std::int64_t i = coils_ - 1; i >= 0; --i) {
        std::complex<double> sum = 0;
        for (std::int64_t j = 0; j <= i; ++j) {
          sum += matrix_[static_cast<std::size_t>(i * coils_ + j)] *
                 std::complex<double>(data[j * elements + e]);
        }
        data[i * elements + e] = std::complex<float>(sum);
      }
    }
  });
}

}  // namespace findrho
