// SPDX-License-Identifier: BSD-3-Clause
// The program's side of the module's topic "nufft": the kernel and the grid are chosen here, by the CPU's rules.
#include "findrho/nufft/cuda_nufft.hpp"

#include <array>
#include <map>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "backend/cuda/call.hpp"
#include "findrho/core/error.hpp"
#include "findrho/core/lag_boxes.hpp"
#include "nufft/cuda/nufft_abi.hpp"
#include "nufft/kernel.hpp"

namespace findrho {
namespace {

using nufft::Design;
using nufft::PiecewiseKernel;

/// Kernel and grid with the numbers that the module is given.
struct Tables {
  Design design;
  int degree = 0;
  std::vector<double> polynomial;
  std::array<std::vector<double>, 3> factors;

  Tables(Design const& d, Matrix const& m) : design(d) {
    PiecewiseKernel const kernel(d);
    degree = kernel.degree();
    for (int cell = 0; cell < kernel.width(); ++cell) {
      for (int power = degree; power >= 0; --power) polynomial.push_back(kernel.coefficient(cell, power));
    }
    for (int axis = 0; axis < d.dims; ++axis)
      factors[static_cast<std::size_t>(axis)] = nufft::deapodisation(kernel, m[axis], d.grid[axis]);
  }
};

/// The choice and the tables take the host a millisecond, many times as long as the device's part of a plan: a scan that
/// is planned again (frames, Q and F of one trajectory) finds them here.
std::shared_ptr<Tables const> tables(std::int64_t samples, Matrix const& m, NufftOptions const& o,
                                     bool single) {
  constexpr std::size_t kMostKept = 16;
  using Key =
      std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, double, double, int, int, bool>;
  static std::mutex mutex;
  static std::map<Key, std::shared_ptr<Tables const>> kept;
  Key const key{samples, m.x, m.y, m.z, o.accuracy, o.oversampling, o.width, static_cast<int>(o.kernel),
                single};
  std::scoped_lock const lock(mutex);
  if (auto const found = kept.find(key); found != kept.end()) return found->second;
  auto made = std::make_shared<Tables const>(
      single ? nufft::choose_design<float>(samples, m, o) : nufft::choose_design<double>(samples, m, o), m);
  if (kept.size() >= kMostKept) kept.clear();
  kept.emplace(key, made);
  return made;
}

template <class T>
constexpr bool kSingle = sizeof(T) == sizeof(float);

constexpr std::array<double, 3> kAsGiven{1, 1, 1};

/// A plan of the module, closed when it goes.
class Handle {
 public:
  /// k_factor: what the trajectory is multiplied by.
  Handle(CudaSession const& session, CudaTrajectory const& t, Matrix const& m, Tables const& tables,
         CudaNufftOptions const& options, std::array<double, 3> const& k_factor, bool single)
      : session_(session), table_(&session.table<CudaNufftTable>()) {
    CudaNufftRecord record{.double_precision = single ? 0 : 1,
                           .dims = tables.design.dims,
                           .matrix = {},
                           .grid = {},
                           .samples = t.samples,
                           .k = {t.k[0], t.k[1], t.k[2]},
                           .k_factor = {k_factor[0], k_factor[1], k_factor[2]},
                           .width = tables.design.width,
                           .degree = tables.degree,
                           .polynomial = tables.polynomial.data(),
                           .deapodisation = {},
                           .grid_bytes = options.grid_bytes,
                           .spreading = static_cast<int>(options.spreading)};
    for (int d = 0; d < 3; ++d) {
      record.matrix[d] = m[d];
      record.grid[d] = tables.design.grid[d];
      record.deapodisation[d] = tables.factors[static_cast<std::size_t>(d)].data();
    }
    call(session_, table_->open, session_.handle(), &record, &plan_);
  }
  ~Handle() { table_->close(plan_); }
  Handle(Handle const&) = delete;
  Handle& operator=(Handle const&) = delete;

  template <class... Parameters, class... Arguments>
  void run(int (*CudaNufftTable::*function)(void*, Parameters...), Arguments... arguments) const {
    call(session_, table_->*function, plan_, arguments...);
  }
  std::int64_t bytes(std::int64_t coils) const {
    long long result = 0;
    run(&CudaNufftTable::bytes, static_cast<long long>(coils), &result);
    return result;
  }

 private:
  CudaSession session_;
  CudaNufftTable const* table_;
  void* plan_ = nullptr;
};

int as_flag(Write write) {
  return write == Write::add ? 1 : 0;
}

}  // namespace

CudaTrajectoryCopy::CudaTrajectoryCopy(CudaSession const& session, Trajectory const& t)
    : dims_(t.dims), samples_(t.size()), k_(session, [&] {
        std::vector<double> all;
        all.reserve(static_cast<std::size_t>(t.dims) * t.kx.size());
        for (int d = 0; d < t.dims; ++d) {
          if (t[d].size() != t.kx.size()) {
            throw Error(ErrorKind::bad_shape, "the trajectory has " + std::to_string(t.kx.size()) +
                                                  " kx and " + std::to_string(t[d].size()) +
                                                  " values along another axis");
          }
          all.insert(all.end(), t[d].begin(), t[d].end());
        }
        return all;
      }()) {}

CudaTrajectory CudaTrajectoryCopy::view() const {
  CudaTrajectory view{.dims = dims_, .samples = samples_, .k = {}};
  for (int d = 0; d < dims_; ++d) view.k[d] = k_.data() + d * samples_;
  return view;
}

template <class T>
struct CudaNufft<T>::Impl {
  Matrix matrix;
  std::int64_t samples;
  Design design;
  Handle plan;

  Impl(CudaSession const& session, CudaTrajectory const& t, Matrix const& m, CudaNufftOptions const& o,
       Tables const& chosen)
      : matrix(m),
        samples(t.samples),
        design(chosen.design),
        plan(session, t, m, chosen, o, kAsGiven, kSingle<T>) {}
};

template <class T>
CudaNufft<T>::CudaNufft(CudaSession const& session, CudaTrajectory const& trajectory, Matrix const& matrix,
                        CudaNufftOptions const& options) {
  nufft::require_dims(trajectory.dims, matrix);
  impl_ = std::make_unique<Impl>(session, trajectory, matrix, options,
                                 *tables(trajectory.samples, matrix, options.nufft, kSingle<T>));
}
template <class T>
CudaNufft<T>::CudaNufft(CudaSession const& session, Trajectory const& trajectory, Matrix const& matrix,
                        CudaNufftOptions const& options)
    : CudaNufft(session, CudaTrajectoryCopy(session, trajectory).view(), matrix, options) {}
template <class T>
CudaNufft<T>::~CudaNufft() = default;
template <class T>
CudaNufft<T>::CudaNufft(CudaNufft&&) noexcept = default;
template <class T>
CudaNufft<T>& CudaNufft<T>::operator=(CudaNufft&&) noexcept = default;

template <class T>
void CudaNufft<T>::forward(C const* image, C* samples, std::int64_t coils, Write write) const {
  forward_with_maps(image, nullptr, samples, coils, write);
}
template <class T>
void CudaNufft<T>::adjoint(C const* samples, C* image, std::int64_t coils, Write write) const {
  adjoint_with_maps(samples, nullptr, image, coils, write);
}
template <class T>
void CudaNufft<T>::forward_with_maps(C const* image, C const* maps, C* samples, std::int64_t coils,
                                     Write write) const {
  impl_->plan.run(&CudaNufftTable::forward, static_cast<void const*>(image), static_cast<void const*>(maps),
                  static_cast<void*>(samples), static_cast<long long>(coils), as_flag(write));
}
template <class T>
void CudaNufft<T>::adjoint_with_maps(C const* samples, C const* maps, C* image, std::int64_t coils,
                                     Write write) const {
  impl_->plan.run(&CudaNufftTable::adjoint, static_cast<void const*>(samples), static_cast<void const*>(maps),
                  static_cast<void*>(image), static_cast<long long>(coils), as_flag(write));
}
template <class T>
void CudaNufft<T>::reserve(std::int64_t coils) const {
  impl_->plan.run(&CudaNufftTable::reserve, static_cast<long long>(coils));
}
template <class T>
Matrix const& CudaNufft<T>::matrix() const {
  return impl_->matrix;
}
template <class T>
std::int64_t CudaNufft<T>::samples() const {
  return impl_->samples;
}
template <class T>
std::int64_t CudaNufft<T>::bytes(std::int64_t coils) const {
  return impl_->plan.bytes(coils);
}
template <class T>
std::string CudaNufft<T>::description() const {
  return nufft::describe(impl_->design);
}

template class CudaNufft<float>;
template class CudaNufft<double>;

namespace {

// Q is an adjoint transform, on the same box of lags as the processor's (toeplitz_kernel.cpp).
template <class T>
Handle plan_lags(CudaSession const& session, CudaTrajectory const& trajectory, Matrix const& matrix,
                 CudaNufftOptions const& options) {
  nufft::require_dims(trajectory.dims, matrix);
  Matrix const box = half_doubled(matrix);
  std::array<double, 3> factor{2, 2, 2};
  factor[static_cast<std::size_t>(trajectory.dims - 1)] = 1;
  return {session, trajectory, box,       *tables(trajectory.samples, box, options.nufft, kSingle<T>),
          options, factor,     kSingle<T>};
}

}  // namespace

template <class T>
void cuda_toeplitz_spectrum(CudaSession const& session, CudaTrajectory const& trajectory, T const* weights,
                            Matrix const& matrix, Matrix const& grid, double scale, T* spectrum,
                            CudaNufftOptions const& options) {
  Handle const plan = plan_lags<T>(session, trajectory, matrix, options);
  long long const points[3] = {grid.x, grid.y, grid.z};
  plan.run(&CudaNufftTable::spectrum, static_cast<void const*>(weights), trajectory.k[trajectory.dims - 1],
           static_cast<long long const*>(points), scale, static_cast<void*>(spectrum));
}
template void cuda_toeplitz_spectrum(CudaSession const&, CudaTrajectory const&, float const*, Matrix const&,
                                     Matrix const&, double, float*, CudaNufftOptions const&);
template void cuda_toeplitz_spectrum(CudaSession const&, CudaTrajectory const&, double const*, Matrix const&,
                                     Matrix const&, double, double*, CudaNufftOptions const&);

template <class T>
std::int64_t cuda_toeplitz_spectrum_bytes(CudaSession const& session, CudaTrajectory const& trajectory,
                                          Matrix const& matrix, Matrix const& grid,
                                          CudaNufftOptions const& options) {
  long long const points[3] = {grid.x, grid.y, grid.z};
  long long result = 0;
  plan_lags<T>(session, trajectory, matrix, options)
      .run(&CudaNufftTable::spectrum_bytes, static_cast<long long const*>(points), &result);
  return result;
}
template std::int64_t cuda_toeplitz_spectrum_bytes<float>(CudaSession const&, CudaTrajectory const&,
                                                          Matrix const&, Matrix const&,
                                                          CudaNufftOptions const&);
template std::int64_t cuda_toeplitz_spectrum_bytes<double>(CudaSession const&, CudaTrajectory const&,
                                                           Matrix const&, Matrix const&,
                                                           CudaNufftOptions const&);

void cuda_pipe_menon_weights(CudaSession const& session, CudaTrajectory const& trajectory,
                             Matrix const& matrix, float* weights, int iterations) {
  nufft::require_dims(trajectory.dims, matrix);
  Handle const plan(session, trajectory, matrix, Tables(nufft::convolution_design(matrix), matrix), {},
                    kAsGiven, true);
  plan.run(&CudaNufftTable::pipe_menon, weights, iterations);
  plan.run(&CudaNufftTable::normalise, static_cast<double const* const*>(trajectory.k), weights);
}

}  // namespace findrho
