// SPDX-License-Identifier: BSD-3-Clause
// F with coils: sensitivity maps, then the non-uniform Fourier transform of every coil image.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "findrho/core/scan.hpp"
#include "findrho/dft/fast_sum.hpp"
#include "findrho/nufft/nufft.hpp"
#include "findrho/operator/linear_operator.hpp"

namespace findrho {

enum class TransformKind {
  nufft,  // to the accuracy of NufftOptions
  exact   // the sums themselves
};

struct EncodingOptions {
  TransformKind transform = TransformKind::nufft;
  NufftOptions nufft = {};
  /// TransformKind::exact: F, F^H and Q by the fastest rung of the ladder, in the precision of the images. Nothing: as they
  /// stand, in double.
  std::optional<FastSums> sums = {};
  /// Coils are transformed together, in blocks whose work arrays stay below this (one coil at least).
  std::int64_t memory_bytes = std::int64_t{1} << 30;
};

/// (F x)[c, m] = sum_n S[c, n] x[n] exp(-i 2 pi k_m . r_n)
/// Shapes  domain (z, y, x); range (coil, sample); maps S (coil, z, y, x), or empty: one coil, S = 1
/// Errors  bad_shape; those of Nufft
template <class T>
class Encoding final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;

  /// The maps must outlive the operator; trajectory and options are copied.
  Encoding(Context const& context, Trajectory const& trajectory, Matrix const& matrix,
           View<C const> maps = {}, EncodingOptions const& options = {});
  /// With a plan that exists already; several encodings may share it, one call at a time.
  Encoding(std::shared_ptr<Nufft<T> const> plan, View<C const> maps = {},
           std::int64_t memory_bytes = EncodingOptions{}.memory_bytes);
  ~Encoding() override;

  std::int64_t coils() const { return this->range().extent(Axis::coil); }
  /// Gives the coils' images and the NUFFT's grid back; the next call makes them anew.
  void release_work() const;

 private:
  void do_forward(Context const& context, View<C const> x, View<C> y, Write write) const override;
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override;
  void transform(Context const& context, View<C const> images, View<C> samples, Write write) const;
  void transform_adjoint(Context const& context, View<C const> samples, View<C> images, Write write) const;
  std::int64_t coils_per_block() const;

  Matrix matrix_;
  View<C const> maps_;
  std::int64_t memory_bytes_;
  std::shared_ptr<Nufft<T> const> nufft_;         // TransformKind::nufft
  std::unique_ptr<Trajectory const> trajectory_;  // TransformKind::exact
  std::optional<FastSums> sums_;
  mutable Array<C> coil_images_;  // (coil of a block, z, y, x)
};

/// z = F^H diag(w) F x for a fixed real w >= 0 per sample: the data part of the normal equations.
/// Shapes  domain and range: F's domain; w one weight per sample, the same for all coils; empty: 1
template <class T>
class WeightedNormal final : public LinearOperator<T> {
 public:
  using typename LinearOperator<T>::C;
  /// F must outlive this operator; the weights are copied.
  /// Errors  bad_shape when F's range is not (coil, sample) or w has another length
  WeightedNormal(LinearOperator<T> const& F, std::span<double const> weights = {});

 private:
  void do_forward(Context const& context, View<C const> x, View<C> z, Write write) const override;
  void do_adjoint(Context const& context, View<C const> y, View<C> x, Write write) const override;
  LinearOperator<T> const& F_;
  Array<T> weights_;
  mutable Array<C> samples_;
};

}  // namespace findrho
