// SPDX-License-Identifier: BSD-3-Clause
// The device's prior term, on the CPU: lambda W^H W p voxel by voxel against the priors' own normal operators.
#include <gtest/gtest.h>

#include <limits>

#include "conformance/random.hpp"
#include "findrho/prior/edge_weighted_differences.hpp"
#include "findrho/prior/finite_differences.hpp"
#include "prior/cuda/prior_term.hpp"

namespace findrho {
namespace {

using C = std::complex<double>;
using device::PriorTerm;
using device::PriorTermKind;

constexpr double kLambda = 0.7;

template <PriorTermKind Kind>
double error(Matrix const& n, LinearOperator<double> const& W, double factor, double const* weights) {
  Array<C> const p = laws::random_array<double>(n.shape(), 1);
  Array<C> expected(n.shape()), result(n.shape());
  W.normal(Context::cpu(1), p, expected);
  PriorTerm<double> const term{
      factor, weights, {static_cast<unsigned>(n.x), static_cast<unsigned>(n.y), static_cast<unsigned>(n.z)}};
  auto const* const in = reinterpret_cast<device::Complex<double> const*>(p.data());
  for (std::int64_t i = 0; i < p.size(); ++i) {
    expected[i] *= kLambda;
    auto const value = term.at<Kind>(in, static_cast<unsigned>(i));
    result[i] = {value.x, value.y};
  }
  return laws::relative_error(result, expected);
}

// Up to six differences and products a voxel, in another order than the prior's.
constexpr double kAllowed = 20 * std::numeric_limits<double>::epsilon();

TEST(PriorTerm, AgreesWithThePriorsNormalOperators) {
  for (Matrix const& n : {Matrix{6, 5, 1}, Matrix{7, 2, 1}, Matrix{4, 3, 5}, Matrix{2, 2, 2}}) {
    FiniteDifferences<double> const differences(n);
    double const scale = differences.scale();
    EXPECT_LT(error<PriorTermKind::differences>(n, differences, kLambda * scale * scale, nullptr), kAllowed);
    Array<float> reference(n.shape());
    for (std::int64_t i = 0; i < reference.size(); ++i) reference[i] = static_cast<float>(i * i % 7);
    EdgeWeightedDifferences<double> const edges(Context::cpu(1), n, reference);
    EXPECT_LT(error<PriorTermKind::edges>(n, edges, kLambda, edges.weights().data), kAllowed);
  }
}

}  // namespace
}  // namespace findrho
