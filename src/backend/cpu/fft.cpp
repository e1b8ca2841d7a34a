// SPDX-License-Identifier: BSD-3-Clause
// Fft: whole transforms of any size over FFTW. The planes y, x are tasks, then the z columns of each row.
#include "findrho/backend/fft.hpp"

#include <fftw3.h>

#include <mutex>

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

std::mutex planner;  // FFTW's planner is the one part of it that is not thread-safe

struct Float {
  using Plan = fftwf_plan;
  using Value = fftwf_complex;
  static constexpr auto plan = fftwf_plan_many_dft;
  static constexpr auto execute = fftwf_execute_dft;
  static constexpr auto destroy = fftwf_destroy_plan;
};
struct Double {
  using Plan = fftw_plan;
  using Value = fftw_complex;
  static constexpr auto plan = fftw_plan_many_dft;
  static constexpr auto execute = fftw_execute_dft;
  static constexpr auto destroy = fftw_destroy_plan;
};

/// One FFTW plan for `count` transforms of n (slowest axis first), their elements `stride` apart.
template <class Api>
class Plan {
 public:
  using Value = typename Api::Value;
  Plan(std::vector<int> const& n, std::int64_t count, std::int64_t stride, std::int64_t distance, int sign) {
    std::lock_guard const lock(planner);
    // ESTIMATE does not touch the array, so that any aligned pointer will do; UNALIGNED lets planes start
    // anywhere.
    Value* const nowhere = nullptr;
    plan_ =
        Api::plan(static_cast<int>(n.size()), n.data(), static_cast<int>(count), nowhere, nullptr,
                  static_cast<int>(stride), static_cast<int>(distance), nowhere, nullptr,
                  static_cast<int>(stride), static_cast<int>(distance), sign, FFTW_ESTIMATE | FFTW_UNALIGNED);
    if (plan_ == nullptr) throw Error(ErrorKind::out_of_memory, "FFTW cannot plan a transform of this size");
  }
  ~Plan() {
    std::lock_guard const lock(planner);
    Api::destroy(plan_);
  }
  Plan(Plan const&) = delete;
  Plan& operator=(Plan const&) = delete;
  template <class C>
  void run(C* data) const {
    Value* const values = reinterpret_cast<Value*>(data);
    Api::execute(plan_, values, values);
  }

 private:
  typename Api::Plan plan_;
};

}  // namespace

template <class T>
struct Fft<T>::Impl {
  using Api = std::conditional_t<std::is_same_v<T, float>, Float, Double>;
  struct Direction {
    std::unique_ptr<Plan<Api>> plane, columns;
  };
  std::int64_t planes, plane_size, rows, row_size, row_planes;  // loops of the two passes
  Direction directions[2];

  Impl(Matrix const& m, std::int64_t coils, CoilOrder order) {
    if (m.x < 1 || m.y < 1 || m.z < 1 || coils < 1) {
      throw Error(ErrorKind::bad_shape, "a transform needs at least one voxel per axis and one coil");
    }
    bool const inner = order == CoilOrder::innermost;
    std::int64_t const step = inner ? coils : 1;
    planes = inner ? m.z : m.z * coils;
    plane_size = m.x * m.y * step;
    row_planes = inner ? 1 : coils;
    rows = m.y;
    row_size = m.x * step;
    for (int i = 0; i < 2; ++i) {
      int const sign = i == 0 ? FFTW_FORWARD : FFTW_BACKWARD;
      directions[i].plane = std::make_unique<Plan<Api>>(
          std::vector{static_cast<int>(m.y), static_cast<int>(m.x)}, step, step, 1, sign);
      if (m.z > 1) {
        directions[i].columns =
            std::make_unique<Plan<Api>>(std::vector{static_cast<int>(m.z)}, row_size, plane_size, 1, sign);
      }
    }
    volume = m.z * plane_size;
  }
  std::int64_t volume;

  void run(Context const& context, C* data, Direction const& direction) const {
    context.pool().each(planes, [&](std::int64_t p) { direction.plane->run(data + p * plane_size); });
    if (!direction.columns) return;
    context.pool().each(row_planes * rows, [&](std::int64_t r) {
      direction.columns->run(data + r / rows * volume + r % rows * row_size);
    });
  }
};

template <class T>
Fft<T>::Fft(Matrix const& matrix, std::int64_t coils, CoilOrder order)
    : impl_(std::make_unique<Impl>(matrix, coils, order)) {}
template <class T>
Fft<T>::~Fft() = default;
template <class T>
Fft<T>::Fft(Fft&&) noexcept = default;
template <class T>
Fft<T>& Fft<T>::operator=(Fft&&) noexcept = default;
template <class T>
void Fft<T>::forward(Context const& context, C* data) const {
  impl_->run(context, data, impl_->directions[0]);
}
template <class T>
void Fft<T>::inverse(Context const& context, C* data) const {
  impl_->run(context, data, impl_->directions[1]);
}
template class Fft<float>;
template class Fft<double>;

}  // namespace findrho
