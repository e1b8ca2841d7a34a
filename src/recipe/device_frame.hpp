// SPDX-License-Identifier: BSD-3-Clause
// What belongs to one trajectory on a CUDA device: F, the maps, the normal equations and their solution. Samples go in and
// images come out; all between stays on the device.
#pragma once
#include <complex>
#include <memory>
#include <optional>
#include <vector>

#include "findrho/nufft/cuda_nufft.hpp"
#include "findrho/operator/cuda_toeplitz.hpp"
#include "findrho/recipe/recon.hpp"
#include "findrho/solver/cuda_cg.hpp"

namespace findrho {

template <class T>
class DeviceFrame {
 public:
  using C = std::complex<T>;
  /// The trajectory and options must outlive this object.
  DeviceFrame(CudaSession const& session, Trajectory const& trajectory, Matrix const& matrix,
              ReconOptions const& options);

  /// Of all that follows: (coil, z, y, x), or empty for one coil at a time.
  void use_maps(View<C const> maps);

  /// F^H of each coil by itself.    Shapes  samples (coil, sample); result (coil, z, y, x)
  Array<C> coil_images(View<C const> samples) const;
  /// F^H d through the maps.    Shapes  samples (coil, sample); image (z, y, x)
  void adjoint(View<C const> samples, View<C> image);

  /// F^H W_d F, by options.normal and options.q.
  ///   lags  Q where it is exact; otherwise empty
  void make_normal(std::vector<double> const& weights, View<C const> lags);
  double largest_eigenvalue(Context const& context) const;

  /// The right-hand side: F^H d as adjoint() gives it, or as it was computed elsewhere.
  void set_samples(View<C const> samples);
  void set_right_side(View<C const> b) { b_.upload(b.data); }
  /// (F^H W_d F + lambda W^H W) x = b from 0.
  CgReport solve(Context const& context, View<float const> reference, double lambda,
                 double objective_constant, View<C> x);

 private:
  CudaNufft<T> const& nufft() const;
  CudaPrior<T> prior(Context const& context, View<float const> reference, double lambda) const;
  C const* maps() const { return maps_ ? maps_->data() : nullptr; }

  CudaSession session_;
  Trajectory const& trajectory_;
  Matrix matrix_;
  ReconOptions const& options_;
  CudaTrajectoryCopy k_;
  mutable std::optional<CudaNufft<T>> nufft_;
  std::int64_t coils_ = 1;
  std::optional<CudaVector<C>> maps_;
  std::optional<CudaVector<T>> weights_;
  std::unique_ptr<CudaOperator<T>> normal_;
  CudaVector<C> b_, x_;
};

}  // namespace findrho
