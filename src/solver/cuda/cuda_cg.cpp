// SPDX-License-Identifier: BSD-3-Clause
// The program's side of the module's topic "cg".
#include "findrho/solver/cuda_cg.hpp"

#include <algorithm>

#include "backend/cuda/call.hpp"
#include "solver/cuda/cg_abi.hpp"

namespace findrho {
namespace {

// Rounding q_j puts 2^-12 / sqrt(2 n) of a residual's length, at random, into <q_j, r>: from a million voxels on no more than
// single precision does anyway. There, reading the q_j is a third of the time of an iteration.
template <class T>
bool keeps_halves(std::int64_t voxels) {
  return sizeof(T) == sizeof(float) && voxels >= std::int64_t{1} << 20;
}

// Priors that the last pass of a product can add.
template <class T>
bool is_shift(CudaPrior<T> const& prior) {
  return prior.kind == CudaPrior<T>::Kind::none || prior.kind == CudaPrior<T>::Kind::identity;
}

}  // namespace

template <class T>
std::int64_t cuda_cg_bytes(Matrix const& matrix, CgOptions const& options) {
  std::int64_t const n = matrix.voxels(), complex = sizeof(std::complex<T>);
  return n * (3 * complex + options.kept_residuals * (keeps_halves<T>(n) ? complex / 2 : complex));
}
template std::int64_t cuda_cg_bytes<float>(Matrix const&, CgOptions const&);
template std::int64_t cuda_cg_bytes<double>(Matrix const&, CgOptions const&);

template <class T>
CudaCg<T>::CudaCg(CudaSession const& session, Matrix const& matrix, CudaOperator<T> const& A,
                  CudaPrior<T> const& prior, CgOptions const& options, int read_every)
    : session_(session),
      A_(A),
      shift_(prior.factor),
      options_(options),
      read_every_(std::max(1, read_every)) {
  CudaCgRecord const record{.double_precision = sizeof(T) == sizeof(double) ? 1 : 0,
                            .n = {matrix.x, matrix.y, matrix.z},
                            .max_iterations = options.max_iterations,
                            .kept_residuals = options.kept_residuals,
                            .half_kept = keeps_halves<T>(matrix.voxels()) ? 1 : 0,
                            .tolerance = options.tolerance,
                            .objective_constant = options.objective_constant,
                            .prior = static_cast<int>(prior.kind),
                            .prior_factor = prior.factor,
                            .weights = prior.weights ? prior.weights->data() : nullptr,
                            .form_parts = is_shift(prior) ? static_cast<int>(A.form_parts()) : 0};
  CudaCgVectors vectors{};
  call(session, session.table<CudaCgTable>().open, session.handle(), &record, &solver_, &vectors);
  p_ = static_cast<C*>(vectors.p);
  Ap_ = static_cast<C*>(vectors.Ap);
  form_ = record.form_parts > 0 ? vectors.form : nullptr;
  bytes_ = vectors.bytes;
}

template <class T>
CudaCg<T>::~CudaCg() {
  graph_.reset();
  if (solver_ != nullptr) session_.table<CudaCgTable>().close(solver_);
}

template <class T>
void CudaCg<T>::queue_step() {
  if (form_ != nullptr) {
    A_.apply_with_form(p_, Ap_, shift_, form_);
  } else {
    A_.apply(p_, Ap_);
  }
  call(session_, session_.table<CudaCgTable>().step, solver_);
}

template <class T>
int CudaCg<T>::queue(int count) {
  if (count < read_every_) {
    for (int i = 0; i < count; ++i) queue_step();
    return count;
  }
  if (!graph_) {
    graph_ = std::make_unique<CudaGraph>(session_, [&] {
      for (int i = 0; i < read_every_; ++i) queue_step();
    });
  }
  graph_->launch();
  return read_every_;
}

template <class T>
CgReport CudaCg<T>::solve(Context const& context, C const* b, C* x) {
  if (b != b_ || x != x_) graph_.reset();
  b_ = b;
  x_ = x;
  call(session_, session_.table<CudaCgTable>().start, solver_, static_cast<void const*>(b),
       static_cast<void*>(x));
  return follow(context);
}

// One group of steps is queued ahead of the one whose residuals are read, so that the device never waits for the host.
template <class T>
CgReport CudaCg<T>::follow(Context const& context) {
  auto const& table = session_.table<CudaCgTable>();
  CgReport report;
  int queued = 0, slot = 0, posted = 0;
  auto const post = [&] {
    call(session_, table.post, solver_, slot);
    slot = 1 - slot;
    ++posted;
  };
  // Where nothing is recorded yet, the first step is not either: whatever is made at a first call is made here.
  if (!graph_ && options_.max_iterations > 0 && !context.cancelled()) {
    queue_step();
    queued = 1;
  }
  post();
  bool running = true;
  while (posted > 0) {
    if (running && queued < options_.max_iterations && !context.cancelled()) {
      queued += queue(std::min(read_every_, options_.max_iterations - queued));
      post();
    }
    CudaCgState state{};
    double const *residual = nullptr, *objective = nullptr;
    call(session_, table.wait, solver_, posted == 2 ? slot : 1 - slot, &state, &residual, &objective);
    --posted;
    for (int i = report.iterations; i < state.iterations; ++i) {
      report.residual.push_back(residual[i]);
      report.objective.push_back(objective[i]);
      context.emit({.type = Event::Type::iteration,
                    .text = options_.phase,
                    .step = i + 1,
                    .total = options_.max_iterations,
                    .residual = residual[i],
                    .objective = objective[i]});
    }
    report.iterations = state.iterations;
    running = state.reason == CudaCgState::running;
    report.reason = running ? StopReason::cancelled : static_cast<StopReason>(state.reason);
  }
  return report;
}

template class CudaCg<float>;
template class CudaCg<double>;

}  // namespace findrho
