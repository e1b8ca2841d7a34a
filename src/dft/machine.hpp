// SPDX-License-Identifier: BSD-3-Clause
// Where a rung's launches go on the host: the production CPU (blocks on the thread pool), and, for tests, one thread
// per lane, so that ThreadSanitizer sees what a GPU would do.
#pragma once
#include <cstring>

#include "dft/rungs/arrays.hpp"
#include "findrho/core/context.hpp"

namespace findrho::ladder {

/// Constant memory's stand-in.
struct HostConstant {
  unsigned char const* bank;
  template <class V>
  V at(unsigned offset, int i) const {
    return reinterpret_cast<V const*>(bank + offset)[i];
  }
};

class HostBank {
 public:
  void to_constant(std::size_t offset, void const* from, std::size_t bytes) {
    std::memcpy(bank_ + offset, from, bytes);
  }
  HostConstant constant() const { return {bank_}; }
  using Constant = HostConstant;

 private:
  alignas(64) unsigned char bank_[kConstantBytes];
};

class CpuMachine : public HostBank {
 public:
  explicit CpuMachine(Context const& context) : context_(context) {}
  std::int64_t slots(int) const { return context_.threads(); }

  template <class Body>
  void launch(Body const& body, std::int64_t blocks, int) {
    context_.throw_if_cancelled();
    if constexpr (requires { Body::kAtomic; }) {
      run_serial(blocks, body);
    } else {
      context_.pool().each(blocks, [&](std::int64_t block) {
        std::vector<std::max_align_t> scratch(body.scratch_bytes() / sizeof(std::max_align_t) + 1);
        body(SerialTeam{}, block, reinterpret_cast<unsigned char*>(scratch.data()));
      });
    }
  }

 private:
  Context const& context_;
};

/// Blocks one after the other, each with a thread per lane.
class ThreadMachine : public HostBank {
 public:
  explicit ThreadMachine(int lanes) : lanes_(lanes) {}
  std::int64_t slots(int) const { return 1; }
  template <class Body>
  void launch(Body const& body, std::int64_t blocks, int) {
    run_threaded(lanes_, blocks, body);
  }

 private:
  int lanes_;
};

}  // namespace findrho::ladder
