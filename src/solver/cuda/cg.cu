// SPDX-License-Identifier: BSD-3-Clause
// The topic "cg": memory and launches of conjugate gradients.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "backend/cuda/session.hpp"
#include "solver/cuda/cg_kernels.hpp"

namespace findrho::device {
namespace {

class AnySolver {
 public:
  virtual ~AnySolver() = default;
  virtual CudaCgVectors vectors() const = 0;
  virtual void start(void const* b, void* x) = 0;
  virtual void step() = 0;
  virtual void post(int slot) = 0;
  virtual CudaCgState wait(int slot, double const** residual, double const** objective) = 0;
};

/// Element: of the kept residuals.
template <class T, class Element>
class Solver final : public AnySolver {
 public:
  Solver(Session& session, CudaCgRecord const& r)
      : session_(session),
        record_(r),
        size_(static_cast<std::size_t>(r.n[0] * r.n[1] * r.n[2])),
        step_(step_kernel(r.kept_residuals)),
        grid_(session, step_, size_),
        vectors_(session, 3 * size_),
        kept_(session, (size_ + kRun - 1) / kRun * kRun * static_cast<std::size_t>(r.kept_residuals)),
        scalars_(session, 1),
        partial_(session, static_cast<std::size_t>(grid_.blocks) * (1 + 2 * kMostKept)),
        form_(session, static_cast<std::size_t>(std::max(1, r.form_parts))),
        histories_(session, 2 * history()),
        host_{Pinned<char>(host_bytes()), Pinned<char>(host_bytes())} {
    prior_ = {static_cast<T>(r.prior_factor), static_cast<T const*>(r.weights), {}};
    for (int d = 0; d < 3; ++d) prior_.n[d] = static_cast<unsigned>(r.n[d]);
  }

  CudaCgVectors vectors() const override {
    return {vectors_.get() + size_, vectors_.get() + 2 * size_, form_.get(),
            static_cast<long long>(vectors_.bytes() + kept_.bytes() + histories_.bytes() + partial_.bytes() +
                                   form_.bytes())};
  }

  void start(void const* b, void* x) override {
    auto* const first = vectors_.get();
    v_ = {static_cast<Complex<T> const*>(b),
          static_cast<Complex<T>*>(x),
          first,
          first + size_,
          first + 2 * size_,
          static_cast<unsigned>(size_)};
    CgScalars scalars{};
    scalars.constant = record_.objective_constant;
    scalars.max_iterations = record_.max_iterations;
    scalars.kept_most = record_.kept_residuals;
    scalars_.upload(&scalars);
    launch(cg_start<T>, scalars_.get(), v_, record_.tolerance, partial_.get());
  }

  void step() override {
    if (record_.form_parts == 0) curvature();
    KeptResiduals<Element> const kept{kept_.get(), record_.kept_residuals,
                                      1 / std::sqrt(static_cast<double>(size_))};
    CurvatureParts const form{form_.get(), static_cast<unsigned>(record_.form_parts)};
    CgHistories const histories{histories_.get(), histories_.get() + history()};
    cudaLaunchAttribute together{};
    together.id = cudaLaunchAttributeCooperative;
    together.val.cooperative = 1;
    cudaLaunchConfig_t config = launch_config();
    config.dynamicSmemBytes = grid_.held_bytes();
    config.attrs = &together;
    config.numAttrs = 1;
    FINDRHO_CHECK(cudaLaunchKernelEx(&config, step_, scalars_.get(), v_, kept, form, histories, grid_.held,
                                     partial_.get()));
  }

  void post(int slot) override {
    char* const to = host_[slot].get();
    FINDRHO_CHECK(
        cudaMemcpyAsync(to, histories_.get(), histories_.bytes(), cudaMemcpyDeviceToHost, session_.stream));
    FINDRHO_CHECK(cudaMemcpyAsync(to + histories_.bytes(), &scalars_.get()->state, sizeof(CudaCgState),
                                  cudaMemcpyDeviceToHost, session_.stream));
    posted_[slot].record(session_.stream);
  }

  CudaCgState wait(int slot, double const** residual, double const** objective) override {
    posted_[slot].seconds_since(posted_[slot]);  // waits for it
    *residual = reinterpret_cast<double const*>(host_[slot].get());
    *objective = *residual + history();
    CudaCgState state;
    std::memcpy(&state, host_[slot].get() + histories_.bytes(), sizeof state);
    return state;
  }

 private:
  static constexpr std::size_t kRun = KeptResiduals<Element>::kRun;
  void curvature() {
    switch (static_cast<PriorTermKind>(record_.prior)) {
      case PriorTermKind::none:
        return curvature<PriorTermKind::none>();
      case PriorTermKind::identity:
        return curvature<PriorTermKind::identity>();
      case PriorTermKind::differences:
        return curvature<PriorTermKind::differences>();
      case PriorTermKind::edges:
        return curvature<PriorTermKind::edges>();
    }
  }
  std::size_t history() const { return static_cast<std::size_t>(std::max(1, record_.max_iterations)); }
  std::size_t host_bytes() const { return 2 * history() * sizeof(double) + sizeof(CudaCgState); }
  template <PriorTermKind Kind>
  void curvature() {
    launch(cg_curvature<T, Kind>, scalars_.get(), v_, prior_, partial_.get());
  }
  using Step = decltype(&cg_step<T, 0, Element>);
  static Step step_kernel(int kept_residuals) {
    if (kept_residuals == 0) return cg_step<T, 0, Element>;
    return kept_residuals <= 12 ? cg_step<T, 12, Element> : cg_step<T, kMostKept, Element>;
  }

  /// As many blocks as run at the same time, and how many elements of r each of their threads can hold.
  struct Grid {
    unsigned blocks;
    int held;
    Grid(Session const& session, Step kernel, std::size_t size) {
      cudaFuncAttributes function{};
      FINDRHO_CHECK(cudaFuncGetAttributes(&function, kernel));
      int const most = session.attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin) -
                       static_cast<int>(function.sharedSizeBytes);
      FINDRHO_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most));
      FINDRHO_CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout,
                                         cudaSharedmemCarveoutMaxShared));
      auto const fit = [&](std::size_t shared) {  // blocks of a multiprocessor
        int blocks_at_once = 0;
        FINDRHO_CHECK(
            cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_at_once, kernel, kReduceThreads, shared));
        return static_cast<unsigned>(blocks_at_once);
      };
      auto const multiprocessors = static_cast<unsigned>(session.attribute(cudaDevAttrMultiProcessorCount));
      auto const for_one_turn = static_cast<unsigned>(std::clamp<std::size_t>(
          (size + kReduceThreads - 1) / kReduceThreads, 1, static_cast<std::size_t>(kReduceBlocks)));
      blocks = std::min(for_one_turn, fit(0) * multiprocessors);
      std::size_t const threads = static_cast<std::size_t>(blocks) * kReduceThreads;
      held = std::min(static_cast<int>((size + threads - 1) / threads), most / kHeldElement);
      while (held > 0 && fit(held_bytes()) * multiprocessors < blocks) --held;
    }
    std::size_t held_bytes() const { return static_cast<std::size_t>(held) * kHeldElement; }
    static constexpr int kHeldElement = kReduceThreads * static_cast<int>(sizeof(Complex<T>));
  };

  cudaLaunchConfig_t launch_config() const {
    cudaLaunchConfig_t config{};
    config.gridDim = {grid_.blocks};
    config.blockDim = {kReduceThreads};
    config.stream = session_.stream;
    return config;
  }
  template <class... Parameters>
  void launch(void (*kernel)(Parameters...), Parameters... arguments) const {
    cudaLaunchConfig_t const config = launch_config();
    FINDRHO_CHECK(cudaLaunchKernelEx(&config, kernel, arguments...));
  }

  Session& session_;
  CudaCgRecord record_;
  std::size_t size_;
  Step step_;
  Grid grid_;
  Buffer<Complex<T>> vectors_;  // r, p, A p
  Buffer<Element> kept_;
  Buffer<CgScalars> scalars_;
  Buffer<double> partial_, form_, histories_;
  Pinned<char> host_[2];
  Event posted_[2];
  PriorTerm<T> prior_{};
  CgVectors<T> v_{};
};

int open(void* session, CudaCgRecord const* record, void** solver, CudaCgVectors* vectors, CudaFault* fault) {
  return guarded(fault, [&] {
    bool const sound = record->kept_residuals >= 0 && record->kept_residuals <= kMostKept &&
                       record->max_iterations >= 0 &&
                       record->n[0] * record->n[1] * record->n[2] < (1ll << 31);
    if (!sound)
      throw ModuleFailure(CudaFault::bad_argument, "cg with too many voxels, kept residuals or iterations");
    Session& s = *static_cast<Session*>(session);
    std::unique_ptr<AnySolver> made;
    if (record->double_precision != 0) {
      made = std::make_unique<Solver<double, Complex<double>>>(s, *record);
    } else if (record->half_kept != 0) {
      made = std::make_unique<Solver<float, __half2>>(s, *record);
    } else {
      made = std::make_unique<Solver<float, Complex<float>>>(s, *record);
    }
    *vectors = made->vectors();
    *solver = made.release();
  });
}
AnySolver& as_solver(void* solver) {
  return *static_cast<AnySolver*>(solver);
}
void close(void* solver) {
  delete static_cast<AnySolver*>(solver);
}
int start(void* solver, void const* b, void* x, CudaFault* fault) {
  return guarded(fault, [&] { as_solver(solver).start(b, x); });
}
int step(void* solver, CudaFault* fault) {
  return guarded(fault, [&] { as_solver(solver).step(); });
}
int post(void* solver, int slot, CudaFault* fault) {
  return guarded(fault, [&] { as_solver(solver).post(slot); });
}
int wait(void* solver, int slot, CudaCgState* state, double const** residual, double const** objective,
         CudaFault* fault) {
  return guarded(fault, [&] { *state = as_solver(solver).wait(slot, residual, objective); });
}
constexpr CudaCgTable kTable{open, close, start, step, post, wait};

}  // namespace
}  // namespace findrho::device

FINDRHO_EXPORT void const* findrho_cuda_topic_cg(int version) {
  return version == findrho::CudaCgTable::kVersion ? &findrho::device::kTable : nullptr;
}
