// SPDX-License-Identifier: BSD-3-Clause
#include "solid_transform.hpp"

#include <algorithm>

#include "findrho/phantom/coils.hpp"

namespace findrho::detail {
namespace {

std::vector<int> factor_dims(SolidShape shape, int dims) {
  if (shape == SolidShape::box) return std::vector<int>(static_cast<std::size_t>(dims), 1);
  if (shape == SolidShape::cylinder && dims == 3) return {2, 1};
  return {dims};
}

}  // namespace

SolidTransform::SolidTransform(SolidShape shape, int dims, int degree) {
  std::size_t axis = 0;
  for (int const d : factor_dims(shape, dims)) {
    factors_.push_back({BallTransform(d, degree), axis});
    axis += static_cast<std::size_t>(d);
  }
  if (factors_.size() == 1) return;
  auto const planar = monomials(2, degree);
  for (auto const& a : monomials(dims, degree)) {
    std::array<std::size_t, 3> where{};
    for (std::size_t f = 0; f < factors_.size(); ++f)
      where[f] = static_cast<std::size_t>(a[factors_[f].first_axis]);
    if (shape == SolidShape::cylinder) {
      auto const disc = std::find(planar.begin(), planar.end(), std::array<int, 3>{a[0], a[1], 0});
      where[0] = static_cast<std::size_t>(disc - planar.begin());
    }
    product_.push_back(where);
  }
}

void SolidTransform::derivatives(std::array<Lane, 3> const& q, Tables& scratch,
                                 std::vector<Lane>& table) const {
  if (factors_.size() == 1) {
    table.resize(std::max(table.size(), factors_[0].ball.table_size()));
    factors_[0].ball.derivatives(q.data(), table);
    return;
  }
  for (std::size_t f = 0; f < factors_.size(); ++f) {
    scratch[f].resize(std::max(scratch[f].size(), factors_[f].ball.table_size()));
    factors_[f].ball.derivatives(q.data() + factors_[f].first_axis, scratch[f]);
  }
  table.resize(std::max(table.size(), product_.size()));
  for (std::size_t a = 0; a < product_.size(); ++a) {
    table[a] = scratch[0][product_[a][0]];
    for (std::size_t f = 1; f < factors_.size(); ++f) {
      Lane const& factor = scratch[f][product_[a][f]];
      for (std::size_t b = 0; b < BallTransform::kBlock; ++b) table[a][b] *= factor[b];
    }
  }
}

}  // namespace findrho::detail
