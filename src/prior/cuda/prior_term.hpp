// SPDX-License-Identifier: BSD-3-Clause
// lambda W^H W p at one voxel, for the kernel that finishes A p. Host and device: tests compare it with the priors.
#pragma once
#include <cstdint>

#include "backend/cuda/line_transform.hpp"
#include "findrho/backend/team.hpp"

namespace findrho::device {

enum class PriorTermKind : int { none, identity, differences, edges };

template <class T>
struct PriorTerm {
  T lambda;          // differences: times their scale squared
  T const* weights;  // edges: (dim, z, y, x), scale included
  unsigned n[3];

  template <PriorTermKind Kind>
  FINDRHO_HD Complex<T> at(Complex<T> const* p, unsigned i) const {
    if constexpr (Kind == PriorTermKind::none) {
      return {0, 0};
    } else if constexpr (Kind == PriorTermKind::identity) {
      return scaled(lambda, p[i]);
    } else {
      unsigned const place[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]}, voxels = n[0] * n[1] * n[2];
      Complex<T> const here = p[i];
      Complex<T> sum{0, 0};
      unsigned step = 1;
      for (unsigned d = 0; d < 3; ++d) {
        if (place[d] + 1 < n[d])
          sum = sum + scaled(weight_sq<Kind>(static_cast<std::int64_t>(d) * voxels + i), here - p[i + step]);
        if (place[d] > 0)
          sum = sum +
                scaled(weight_sq<Kind>(static_cast<std::int64_t>(d) * voxels + i - step), here - p[i - step]);
        step *= n[d];
      }
      return scaled(lambda, sum);
    }
  }

 private:
  template <PriorTermKind Kind>
  FINDRHO_HD T weight_sq(std::int64_t at) const {
    if constexpr (Kind == PriorTermKind::edges) return weights[at] * weights[at];
    return T(1);
  }
};

}  // namespace findrho::device
