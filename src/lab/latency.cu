// SPDX-License-Identifier: BSD-3-Clause
// Latency: one thread follows a chain in which every step needs the one before, so nothing overlaps. Cycles a step,
// beside the textbook's table, which a real device contradicts in places.
#include <optional>

#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kSteps = 4096, kSmallNodes = 512;
__constant__ unsigned kChain[kSmallNodes];

__global__ void make_chain(unsigned* chain, Cycle cycle, unsigned spacing) {
  for (std::uint64_t i = blockIdx.x * std::uint64_t{blockDim.x} + threadIdx.x; i < cycle.n;
       i += gridDim.x * std::uint64_t{blockDim.x}) {
    chain[i * spacing] = static_cast<unsigned>(cycle.next(i) * spacing);
  }
}

/// Assembly, because the compiler would fold 16 steps into one.
struct MultiplyAdd {
  __device__ unsigned operator()(unsigned a) const {
    asm volatile("mad.lo.u32 %0, %0, 5, 3;" : "+r"(a));
    return a;
  }
};

template <class Next>
__device__ void follow(Next next, unsigned at, int warm, unsigned* end, long long* cycles) {
  for (int i = 0; i < warm; ++i) at = next(at);
  long long const begin = clock64();
#pragma unroll 16
  for (int i = 0; i < kSteps; ++i) at = next(at);
  *end = at;
  __threadfence_block();
  *cycles = clock64() - begin;
}

enum class Level { registers, shared, constant, l1, texture, l2, dram, local };

__global__ void chase(Level level, unsigned const* chain, cudaTextureObject_t texture, unsigned start,
                      int warm, unsigned* end, long long* cycles) {
  __shared__ unsigned shared[kSmallNodes];
  switch (level) {
    case Level::registers:
      return follow(MultiplyAdd{}, start, warm, end, cycles);
    case Level::shared:
      for (int i = 0; i < kSmallNodes; ++i) shared[i] = chain[i];
      return follow([&](unsigned a) { return shared[a]; }, start, warm, end, cycles);
    case Level::constant:
      return follow([](unsigned a) { return kChain[a]; }, start, warm, end, cycles);
    case Level::texture:
      return follow([=](unsigned a) { return tex1Dfetch<unsigned>(texture, static_cast<int>(a)); }, start,
                    warm, end, cycles);
    case Level::l1:
      return follow([=](unsigned a) { return __ldca(chain + a); }, start, warm, end, cycles);
    case Level::l2:
    case Level::dram:
      return follow([=](unsigned a) { return __ldcg(chain + a); }, start, warm, end, cycles);
    case Level::local: {
      unsigned local[64];
      for (unsigned i = 0; i < 64; ++i) local[i] = chain[64 + i];
      return follow([&](unsigned a) { return local[a]; }, start, warm, end, cycles);
    }
  }
}

class LinearTexture {
 public:
  explicit LinearTexture(Buffer<unsigned> const& data) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = data.get();
    resource.res.linear.desc = cudaCreateChannelDesc<unsigned>();
    resource.res.linear.sizeInBytes = data.bytes();
    cudaTextureDesc description{};
    description.readMode = cudaReadModeElementType;
    FINDRHO_CHECK(cudaCreateTextureObject(&texture_, &resource, &description, nullptr));
  }
  ~LinearTexture() { cudaDestroyTextureObject(texture_); }
  LinearTexture(LinearTexture const&) = delete;
  LinearTexture& operator=(LinearTexture const&) = delete;
  operator cudaTextureObject_t() const { return texture_; }

 private:
  cudaTextureObject_t texture_ = 0;
};

struct Case {
  Level level;
  std::string variant;
  std::uint64_t nodes;
  unsigned spacing;  // words
  double predicted;
  std::string textbook, reason;
};

std::uint64_t expected_end(Case const& c, int steps) {
  if (c.level == Level::registers) {
    unsigned a = 0;
    for (int i = 0; i < steps; ++i) a = a * 5u + 3u;
    return a;
  }
  Cycle const cycle{c.nodes};
  std::uint64_t at = 0;
  for (int i = 0; i < steps; ++i) at = cycle.next(at);
  return at * c.spacing;
}

}  // namespace

void gpu_latency(Gpu const& gpu) {
  std::vector<Case> const cases{
      {Level::registers, "register (dependent multiply-add)", 1, 1, 4, "1",
       "the arithmetic pipeline is four stages deep"},
      {Level::shared, "shared memory", kSmallNodes, 1, 29, "1-2",
       "a trip to the memory beside the L1 cache, address included"},
      {Level::constant, "constant, hit", kSmallNodes, 1, 30, "1 on a hit",
       "an indexed read is no operand: it goes to a cache of 2 KB, as far away as shared memory"},
      {Level::l1, "L1 cache", kSmallNodes * 4, 1, 33, "20", "as shared memory, and the tag"},
      {Level::texture, "texture, hit", kSmallNodes * 4, 1, 110, "1 on a hit",
       "the texture unit's long pipeline; it is built for throughput"},
      {Level::local, "local memory", 64, 1, 36, "400-800",
       "lies in the L1 cache, not in memory as the textbook has it"},
      {Level::l2, "L2 cache", gpu.choose(1 << 15, 1 << 12), 32, 260, "100",
       "across the crossbar; half of the lines lie in the far half"},
      {Level::dram, "memory", gpu.choose(1 << 22, 1 << 14), 32, 650, "400-800",
       "L2 miss, and the memory's own access"}};
  std::string contradictions;
  for (Case const& c : cases) {
    Buffer<unsigned> chain(gpu.session, std::max<std::size_t>(c.nodes * c.spacing, 4 * kSmallNodes));
    chain.fill(0);
    // The local chain lies behind the first 64 words, which the fill left 0.
    unsigned* const first = chain.get() + (c.level == Level::local ? 64 : 0);
    make_chain<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(first, Cycle{c.nodes}, c.spacing);
    check_launch("make_chain");
    if (c.level == Level::constant) {
      FINDRHO_CHECK(cudaMemcpyToSymbolAsync(kChain, chain.get(), sizeof(kChain), 0, cudaMemcpyDeviceToDevice,
                                            gpu.session.stream));
    }
    std::optional<LinearTexture> texture;
    if (c.level == Level::texture) texture.emplace(chain);
    // Small chains are walked once to fill the cache; the memory's chain never fits one, and make_chain's last lines
    // are far from the first ones.
    int const warm = c.level == Level::dram ? 0 : static_cast<int>(std::min<std::uint64_t>(c.nodes, 1 << 15));
    Buffer<unsigned> end(gpu.session, 1);
    Buffer<long long> cycles(gpu.session, 1);
    chase<<<1, 1, 0, gpu.session.stream>>>(c.level, chain.get(), texture ? *texture : cudaTextureObject_t{0},
                                           0, warm, end.get(), cycles.get());
    check_launch("chase");
    gpu.out.verify_equal("end of the chain, " + c.variant, end.download()[0], expected_end(c, warm + kSteps));
    double const measured = static_cast<double>(cycles.download()[0]) / kSteps;
    gpu.out.row({.variant = c.variant + " (textbook " + c.textbook + ")",
                 .values = {{"cycles", "", measured}, {"time", "ns", measured / gpu.figures.clock_hz * 1e9}},
                 .predicted = c.predicted,
                 .tolerance = 0.35,
                 .reason = c.reason,
                 .note = "the figure is that of other devices of this generation"});
    if (c.level == Level::shared || c.level == Level::constant || c.level == Level::texture ||
        c.level == Level::local) {
      contradictions +=
          (contradictions.empty() ? "" : ", ") + c.variant + " " + brief(measured) + " (" + c.textbook + ")";
    }
  }
  gpu.out.remark("where this device contradicts the textbook's cycles: " + contradictions);
  gpu.out.advice(
      "plan with about 30 cycles for shared and L1, 250 for L2 and 600 for memory, and have that many "
      "instructions of other warps to issue");
}

}  // namespace findrho
