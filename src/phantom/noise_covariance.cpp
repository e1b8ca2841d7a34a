// SPDX-License-Identifier: BSD-3-Clause
#include <Eigen/Dense>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>

#include "coil_loops.hpp"
#include "findrho/core/error.hpp"
#include "findrho/phantom/noise.hpp"

namespace findrho {
namespace {

using Complex = std::complex<double>;
using Matrices = Eigen::Matrix<Complex, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrices matrix_of(NoiseCovariance const& covariance) {
  return Eigen::Map<Matrices const>(covariance.values.data(), covariance.coils, covariance.coils);
}

/// "0.5", "0.5+0.1i"; false where the text is neither.
bool parse_complex(std::string_view text, Complex& value) {
  double real = 0, imag = 0;
  char const *begin = text.data(), *end = begin + text.size();
  auto const first = std::from_chars(begin, end, real);
  if (first.ec != std::errc()) return false;
  if (first.ptr != end) {
    char const* sign = first.ptr + (*first.ptr == '+' ? 1 : 0);  // from_chars takes no plus
    auto const second = std::from_chars(sign, end, imag);
    if (second.ec != std::errc() || second.ptr == end || *second.ptr != 'i' || second.ptr + 1 != end)
      return false;
  }
  value = {real, imag};
  return std::isfinite(real) && std::isfinite(imag);
}

constexpr char const* kFileHint =
    "write one line per coil with as many numbers, as 0.5, 0.5+0.1i or 0.5-0.1i";

std::vector<Complex> parse_row(std::string const& content, std::string const& place, std::int64_t coils) {
  std::istringstream words(content);
  std::vector<Complex> row;
  for (std::string word; words >> word;) {
    if (!parse_complex(word, row.emplace_back())) {
      throw Error(ErrorKind::bad_file, place + ": '" + word + "' is not a complex number", kFileHint);
    }
  }
  if (!row.empty() && static_cast<std::int64_t>(row.size()) != coils) {
    throw Error(
        ErrorKind::bad_file,
        place + ": " + std::to_string(row.size()) + " numbers for " + std::to_string(coils) + " coils",
        kFileHint);
  }
  return row;
}

}  // namespace

NoiseCovariance make_noise_covariance(std::int64_t coils, std::vector<Complex> const& values) {
  NoiseCovariance covariance{coils, values};
  if (coils < 1 || static_cast<std::int64_t>(values.size()) != coils * coils) {
    throw Error(ErrorKind::bad_option,
                "a noise covariance of " + std::to_string(values.size()) + " numbers for " +
                    std::to_string(coils) + " coils",
                "give a square matrix");
  }
  Matrices psi = matrix_of(covariance);
  double const mean = psi.trace().real() / static_cast<double>(coils);
  if (!((psi - psi.adjoint()).norm() <= 1e-6 * psi.norm())) {
    throw Error(ErrorKind::bad_option, "the noise covariance is not Hermitian",
                "its lower half must be the upper one's conjugate");
  }
  psi = 0.5 * (psi + psi.adjoint().eval()) / mean;
  if (!(mean > 0) || Eigen::LLT<Matrices>(psi).info() != Eigen::Success) {
    throw Error(ErrorKind::bad_option, "the noise covariance is not positive definite",
                "two coils have the same noise, or the matrix is no covariance");
  }
  std::copy_n(psi.data(), values.size(), covariance.values.begin());
  return covariance;
}

NoiseCovariance loop_noise_covariance(CoilArray const& coils) {
  if (coils.loops.empty()) {
    throw Error(ErrorKind::bad_option, "one uniform coil has no loop whose noise could be coupled",
                "give more coils");
  }
  constexpr int kHalf = 8;
  constexpr double kRadius = 0.45, kOwn = 0.1;
  auto const count = static_cast<Eigen::Index>(coils.loops.size());
  Eigen::MatrixXd psi = Eigen::MatrixXd::Zero(count, count);
  Eigen::MatrixXd potentials(count, 3);
  for (int k = -kHalf; k <= kHalf; ++k) {
    for (int j = -kHalf; j <= kHalf; ++j) {
      for (int i = -kHalf; i <= kHalf; ++i) {
        if (i * i + j * j + k * k > kHalf * kHalf) continue;
        double const step = kRadius / kHalf;
        for (Eigen::Index c = 0; c < count; ++c) {
          auto const a = detail::vector_potential(coils.loops[static_cast<std::size_t>(c)],
                                                  {i * step, j * step, k * step});
          potentials.row(c) << a[0], a[1], a[2];
        }
        psi += potentials * potentials.transpose();
      }
    }
  }
  psi += kOwn * psi.trace() / static_cast<double>(count) * Eigen::MatrixXd::Identity(count, count);
  std::vector<Complex> values;
  for (Eigen::Index i = 0; i < count; ++i) {
    for (Eigen::Index j = 0; j < count; ++j) values.emplace_back(psi(i, j));
  }
  return make_noise_covariance(coils.coils(), values);
}

NoiseCovariance read_noise_covariance(std::string const& path, std::int64_t coils) {
  std::ifstream file(path);
  if (!file) throw Error(ErrorKind::bad_file, "cannot read the noise covariance " + path, kFileHint);
  std::vector<Complex> values;
  std::string content;
  for (int number = 1; std::getline(file, content); ++number) {
    auto const row =
        parse_row(content.substr(0, content.find('#')), path + ", line " + std::to_string(number), coils);
    values.insert(values.end(), row.begin(), row.end());
  }
  if (static_cast<std::int64_t>(values.size()) != coils * coils) {
    throw Error(ErrorKind::bad_file,
                path + " has " + std::to_string(static_cast<std::int64_t>(values.size()) / coils) +
                    " lines of numbers for " + std::to_string(coils) + " coils",
                kFileHint);
  }
  return make_noise_covariance(coils, values);
}

void add_noise(Context const& context, View<Complex> samples, double sigma, NoiseCovariance const& covariance,
               std::uint64_t seed, std::uint64_t stream) {
  std::int64_t const coils = covariance.coils, count = samples.shape.extent(Axis::sample);
  require_shape(samples.shape, sample_shape(coils, count), "samples");
  Array<Complex> white(samples.shape);
  add_noise(context, white, sigma, seed, stream);
  Matrices const psi = matrix_of(covariance), lower = Eigen::LLT<Matrices>(psi).matrixL();
  constexpr std::int64_t kTask = 1 << 12;
  context.pool().each((count + kTask - 1) / kTask, [&](std::int64_t task) {
    for (std::int64_t m = task * kTask; m < std::min(count, (task + 1) * kTask); ++m) {
      for (std::int64_t i = 0; i < coils; ++i) {
        for (std::int64_t j = 0; j <= i; ++j) samples[i * count + m] += lower(i, j) * white[j * count + m];
      }
    }
  });
}

}  // namespace findrho
