// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/core/context.hpp"

#include <utility>

#include "findrho/core/error.hpp"

namespace findrho {

Context::Context(int threads) : pool_(std::make_shared<ThreadPool>(threads)) {}

Context Context::cpu(int threads) {
  if (threads < 0 || threads > 4096) {
    throw Error(ErrorKind::bad_option, "thread count is " + std::to_string(threads),
                "give 1 to 4096, or 0 for one per core");
  }
  return Context(threads);
}

void Context::throw_if_cancelled() const {
  if (cancelled()) throw Error(ErrorKind::cancelled, "stopped on request");
}

Phase::Phase(Context const& context, std::string name)
    : context_(context), name_(std::move(name)), start_(std::chrono::steady_clock::now()) {
  context_.emit({.type = Event::Type::phase_begin, .text = name_});
}

Phase::~Phase() {
  std::chrono::duration<double> const elapsed = std::chrono::steady_clock::now() - start_;
  context_.emit({.type = Event::Type::phase_end, .text = name_, .seconds = elapsed.count()});
}

}  // namespace findrho
