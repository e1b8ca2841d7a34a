// SPDX-License-Identifier: BSD-3-Clause
// One frame's samples to one image, by the method asked for; plans are kept while the trajectory stays the same.
#pragma once
#include <complex>
#include <memory>
#include <vector>

#include "device_frame.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/nufft/nufft.hpp"
#include "findrho/operator/encoding.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/recipe/recon.hpp"

namespace findrho {

template <class T>
class FrameReconstructor {
 public:
  using C = std::complex<T>;

  /// options: method and coil mode are resolved. All three references must outlive this object.
  FrameReconstructor(Context const& context, Dataset const& dataset, ReconOptions const& options);

  /// Shapes  maps (coil, z, y, x) or empty; reference (z, y, x) or empty; image (z, y, x)
  /// reports gets one entry per solve.
  void reconstruct(Frame const& frame, View<std::complex<float> const> maps, View<float const> reference,
                   View<std::complex<float>> image, std::vector<FrameReport>& reports);

 private:
  void plan_for(Frame const& frame);
  std::vector<double> const& gridding_density();
  /// Samples times window and shift, times the density weights where there are any.
  Array<C> prepared_samples(Frame const& frame, WindowKind window, std::vector<double> const& density) const;
  /// Images of all coils, each in rho's units times its sensitivity.
  Array<C> ifft(Frame const& frame) const;
  Array<C> gridding(Frame const& frame);
  void inverse_fft(Matrix const& grid, Array<C>& work) const;  // of every coil
  void adjoint(Frame const& frame, View<C const> maps, View<std::complex<float>> image);
  void cg(Frame const& frame, View<C const> maps, View<float const> reference,
          View<std::complex<float>> image, std::vector<FrameReport>& reports);
  /// The weights w of the objective; empty: 1.
  std::vector<double> objective_weights();
  std::shared_ptr<ToeplitzKernel<T> const> toeplitz_kernel();
  /// Q for the device, where it is an exact sum.
  View<C const> exact_lags();
  /// Null where the processor computes. A normal operator by exact sums is the processor's alone.
  DeviceFrame<T>* device_frame(View<C const> maps);
  std::shared_ptr<Nufft<T> const> nufft();
  /// Where exact sums are taken.
  FastSums fast_sums() const { return {.accuracy = options_.nufft.accuracy, .cuda = options_.cuda}; }
  /// With maps all coils together; without, one coil at a time.
  std::unique_ptr<Encoding<T>> encoding(View<C const> maps);

  Context const& context_;
  Dataset const& dataset_;
  ReconOptions const& options_;
  Frame const* frame_ = nullptr;  // the frame at hand, and what belongs to its trajectory:
  std::shared_ptr<Trajectory const> planned_;
  std::vector<double> density_;
  std::shared_ptr<Nufft<T> const> nufft_;
  std::shared_ptr<ToeplitzKernel<T> const> kernel_;
  Array<C> lags_;
  std::unique_ptr<DeviceFrame<T>> device_;
};

}  // namespace findrho
