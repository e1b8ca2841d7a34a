// SPDX-License-Identifier: BSD-3-Clause
// Inside the module: a plan with its work memory.
#pragma once
#include <map>

#include "backend/cuda/fft.hpp"
#include "nufft/cuda/box_transform.hpp"
#include "nufft/cuda/moves.hpp"

namespace findrho::nufft {

/// What the table's functions see of a plan of either precision.
class AnyPlan {
 public:
  virtual ~AnyPlan() = default;
  virtual void reserve(long long coils) = 0;
  virtual void forward(void const* image, void const* maps, void* samples, long long coils, int add) = 0;
  virtual void adjoint(void const* samples, void const* maps, void* image, long long coils, int add) = 0;
  virtual long long bytes(long long coils) = 0;
  virtual void spectrum(void const* weights, double const* slowest_k, long long const* grid, double scale,
                        void* spectrum) = 0;
  virtual long long spectrum_bytes(long long const* grid) = 0;
  virtual void pipe_menon(float* weights, int iterations) = 0;
  virtual void normalise(double const* const k[3], float* weights) = 0;
};

template <class T>
class Plan final : public AnyPlan {
 public:
  using C = Complex<T>;
  Plan(Session& session, CudaNufftRecord const& record);

  void reserve(long long coils) override;
  void forward(void const* image, void const* maps, void* samples, long long coils, int add) override;
  void adjoint(void const* samples, void const* maps, void* image, long long coils, int add) override;
  long long bytes(long long coils) override;
  void spectrum(void const* weights, double const* slowest_k, long long const* grid, double scale,
                void* spectrum) override;
  long long spectrum_bytes(long long const* grid) override;
  void pipe_menon(float* weights, int iterations) override;
  void normalise(double const* const k[3], float* weights) override;

 private:
  long long voxels() const;
  std::int64_t cells() const;
  /// Coils of the largest pass when `coils` are transformed.
  int pass(long long coils) const;
  template <class F>
  void each_pass(long long coils, F const& f);
  bool by_samples(double least) const;
  bool scatters(int coils) const;
  bool collects() const;
  /// Coils whose boxes are joined together, so that they stay in the L2 cache.
  int scatter_coils(int coils) const;
  std::size_t slots_for(int coils) const;
  std::size_t slots_up_to(int coils) const;
  void spread_pass(C const* samples, int coils);
  BoxesJob boxes_job(Pieces const& pieces, int coils) const;
  void scatter_pass(C const* samples, int coils);
  void collect_pass(C* samples, int coils, int add);
  void interpolate_pass(C* samples, int coils, int add);
  BoxJob<T> box_job(C* image, C const* maps, int coils, int add) const;
  void to_grid(BoxJob<T> const& job);
  void to_image(BoxJob<T> const& job);
  CufftPlan& fft(int coils);
  CudaFftRecord fft_record(int coils) const;

  Session& session_;
  int dims_;
  long long matrix_[3], grid_bytes_;
  int spreading_;
  TileGrid tiles_;
  Polynomials<T> kernel_;
  Sorted<T> sorted_;
  std::shared_ptr<Buffer<T>> factor_;  // axis after axis
  std::unique_ptr<Buffer<C>> grid_, slots_;
  std::shared_ptr<BoxTransform> transform_;         // where there is one for the grid; otherwise cuFFT:
  std::map<int, std::unique_ptr<CufftPlan>> ffts_;  // by the number of transforms
};

}  // namespace findrho::nufft
