// SPDX-License-Identifier: BSD-3-Clause
// Every operator, in both precisions, 2D and 3D, odd and even sizes, with and without maps, against the laws.
#include <memory>
#include <string>

#include "conformance/operator_laws.hpp"
#include "findrho/operator/encoding.hpp"
#include "findrho/operator/regularized_normal.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/prior/edge_weighted_differences.hpp"
#include "findrho/prior/finite_differences.hpp"
#include "findrho/prior/identity.hpp"

namespace findrho {
namespace {

using laws::random_array;
using laws::random_trajectory;
using laws::random_weights;

struct Case {
  Matrix matrix;
  std::int64_t coils;  // 0: without maps
};

class OperatorLaws : public testing::TestWithParam<Case> {
 protected:
  static constexpr std::int64_t kSamples = 257;
  Case const c = GetParam();
  Context const context = Context::cpu(2);
  Trajectory const trajectory = random_trajectory(c.matrix, kSamples, 1);
  std::vector<double> const weights = random_weights(kSamples, 2);

  template <class T>
  Array<std::complex<T>> maps() const {
    if (c.coils == 0) return {};
    return random_array<T>(c.matrix.shape(c.coils), 3);
  }
  template <class T>
  static View<std::complex<T> const> view_of(Array<std::complex<T>> const& maps) {
    if (maps.empty()) return {};
    return maps;
  }

  template <class T>
  void encoding(EncodingOptions const& options) const {
    Array<std::complex<T>> const S = maps<T>();
    // The exact sums are a witness without a plan: they take memory at every call.
    bool const planned = options.transform == TransformKind::nufft;
    laws::expect_operator_laws<T>(Encoding<T>(context, trajectory, c.matrix, view_of<T>(S), options),
                                  planned ? laws::Scratch::kept : laws::Scratch::taken_anew);
  }
  template <class T>
  void normal_operators() const {
    Array<std::complex<T>> const S = maps<T>();
    Encoding<T> const F(context, trajectory, c.matrix, view_of<T>(S));
    WeightedNormal<T> const data(F, weights);
    laws::expect_operator_laws<T>(data);
    auto const kernel = std::make_shared<ToeplitzKernel<T> const>(context, trajectory, c.matrix, weights);
    laws::expect_operator_laws<T>(ToeplitzNormal<T>(kernel, view_of<T>(S)));
    laws::expect_operator_laws<T>(ToeplitzNormal<T>(kernel, view_of<T>(S), 1));  // coil by coil
    FiniteDifferences<T> const W(c.matrix);
    laws::expect_operator_laws<T>(RegularizedNormal<T>(data, W, 3.0));
  }
  template <class T>
  void priors() const {
    laws::expect_operator_laws<T>(Identity<T>(c.matrix.shape()));
    laws::expect_operator_laws<T>(FiniteDifferences<T>(c.matrix));
    Array<float> reference(c.matrix.shape());
    for (std::int64_t i = 0; i < reference.size(); ++i) reference[i] = static_cast<float>(i * i % 7);
    laws::expect_operator_laws<T>(EdgeWeightedDifferences<T>(context, c.matrix, reference));
  }
};

TEST_P(OperatorLaws, HoldForEncodingByNufft) {
  encoding<float>({});
  encoding<double>({.nufft = {.accuracy = 1e-6}});
}

TEST_P(OperatorLaws, HoldForEncodingInBlocksOfOneCoil) {
  encoding<float>({.memory_bytes = 1});
}

TEST_P(OperatorLaws, HoldForEncodingByExactSums) {
  encoding<float>({.transform = TransformKind::exact});
  encoding<double>({.transform = TransformKind::exact});
}

TEST_P(OperatorLaws, HoldForNormalOperators) {
  normal_operators<float>();
  normal_operators<double>();
}

TEST_P(OperatorLaws, HoldForPriors) {
  priors<float>();
  priors<double>();
}

INSTANTIATE_TEST_SUITE_P(Sizes, OperatorLaws,
                         testing::Values(Case{{16, 16, 1}, 0}, Case{{16, 20, 1}, 3}, Case{{15, 33, 1}, 2},
                                         Case{{8, 10, 6}, 0}, Case{{9, 7, 5}, 3}, Case{{18, 8, 9}, 2}),
                         [](testing::TestParamInfo<Case> const& parameter) {
                           Case const& c = parameter.param;
                           return std::to_string(c.matrix.x) + "x" + std::to_string(c.matrix.y) + "x" +
                                  std::to_string(c.matrix.z) + "_" + std::to_string(c.coils) + "maps";
                         });

}  // namespace
}  // namespace findrho
