// SPDX-License-Identifier: BSD-3-Clause
// Layout: an array of structures against a structure of arrays, once when neighbouring lanes take neighbouring
// elements and once when all lanes of a warp take the same one. The better layout is the opposite one.
#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kFields = 8;  // of 4 bytes: a structure is one 32-byte sector

/// Word of field f of element e: structures one after the other, or fields one after the other.
struct Structures {
  std::size_t n;
  FINDRHO_HD std::size_t at(std::size_t e, int f) const { return e * kFields + static_cast<std::size_t>(f); }
};
struct Fields {
  std::size_t n;
  FINDRHO_HD std::size_t at(std::size_t e, int f) const { return static_cast<std::size_t>(f) * n + e; }
};

constexpr int kThreads = 256, kTurns = 8;
constexpr std::size_t kTile = 8 * kTurns * kThreads;

template <class Layout>
__global__ void __launch_bounds__(kThreads)
    read_one_field(unsigned const* __restrict__ x, Layout layout, unsigned* sum) {
  add_over_block(sum, sum_of_reads(blockIdx.x * kTile, layout.n, kTurns,
                                   [=](std::size_t e) { return x[layout.at(e, 0)]; }));
}

/// Warp w takes elements mixed(w), mixed(w + warps), ...: all its lanes the same one, all fields of it. n is a power of 2.
template <class Layout>
__global__ void __launch_bounds__(kThreads)
    read_uniform(unsigned const* __restrict__ x, Layout layout, std::size_t reads, unsigned* sum) {
  unsigned mine = 0;
#pragma unroll 4
  for (std::size_t w = grid_index() / 32; w < reads; w += grid_size() / 32) {
    std::size_t const e = mixed(w) & (layout.n - 1);
#pragma unroll
    for (int f = 0; f < kFields; ++f) mine += x[layout.at(e, f)];
  }
  add_over_block(sum, threadIdx.x % 32 == 0 ? mine : 0);
}

__global__ void __launch_bounds__(kThreads)
    read_triples(unsigned const* __restrict__ x, std::size_t triples, unsigned* sum) {
  add_over_block(sum, sum_of_reads(blockIdx.x * kTile, triples, kTurns,
                                   [=](std::size_t i) { return x[3 * i] ^ x[3 * i + 1] ^ x[3 * i + 2]; }));
}

__global__ void __launch_bounds__(kThreads)
    read_triples_staged(uint4 const* __restrict__ x, std::size_t triples, unsigned* sum) {
  __shared__ uint4 tile[768];  // 1024 triples
  unsigned mine = 0;
  for (std::size_t first = blockIdx.x * std::size_t{1024}; first < triples;
       first += gridDim.x * std::size_t{1024}) {
    uint4 v[3];
#pragma unroll
    for (int j = 0; j < 3; ++j)
      v[j] = x[first / 4 * 3 + static_cast<std::size_t>(threadIdx.x + j * kThreads)];
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 3; ++j) tile[threadIdx.x + j * kThreads] = v[j];
    __syncthreads();
    auto const* const word = reinterpret_cast<unsigned const*>(tile);
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      unsigned const i = threadIdx.x + j * kThreads;
      mine += word[3 * i] ^ word[3 * i + 1] ^ word[3 * i + 2];
    }
  }
  add_over_block(sum, mine);
}

struct Layouts {
  Gpu const& gpu;
  Buffer<std::uint32_t>& x;
  Buffer<unsigned>& sum;

  template <class Launch>
  double checked_seconds(std::string const& what, std::uint32_t expected, Launch const& launch) const {
    sum.fill(0);
    launch();
    gpu.out.verify_equal("sum, " + what, sum.download()[0], expected);
    return gpu.seconds(launch);
  }

  void row(std::string const& variant, double bytes, double t, double predicted, std::string const& reason,
           std::string const& note) const {
    gpu.out.row({.variant = variant,
                 .values = {{"useful", "GB/s", bytes / t / 1e9}},
                 .predicted = predicted / 1e9,
                 .tolerance = 0.35,
                 .reason = reason,
                 .note = note});
  }

  template <class Layout>
  double consecutive(Layout layout, std::string const& what, double predicted,
                     std::string const& reason) const {
    std::uint32_t expected = 0;
    for (std::size_t e = 0; e < layout.n; ++e) expected += mixed(layout.at(e, 0));
    double const t = checked_seconds(what, expected, [&] {
      read_one_field<<<static_cast<unsigned>((layout.n + kTile - 1) / kTile), kThreads, 0,
                       gpu.session.stream>>>(x.get(), layout, sum.get());
      check_launch("read_one_field");
    });
    double const bytes = 4.0 * static_cast<double>(layout.n);
    row(what, bytes, t, predicted, reason,
        "part of the 256 MB of one field stays in the L2 cache from launch to launch");
    return bytes / t;
  }

  template <class Layout>
  double uniform(Layout layout, std::string const& what, double predicted, std::string const& reason) const {
    std::size_t const reads = gpu.choose(std::size_t{1} << 22, 1 << 14);
    std::uint32_t expected = 0;
    for (std::size_t w = 0; w < reads; ++w) {
      for (int f = 0; f < kFields; ++f) expected += mixed(layout.at(mixed(w) % layout.n, f));
    }
    double const t = checked_seconds(what, expected, [&] {
      read_uniform<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(x.get(), layout, reads, sum.get());
      check_launch("read_uniform");
    });
    double const bytes = 4.0 * kFields * static_cast<double>(reads);
    row(what, bytes, t, predicted, reason,
        "lone sectors cost whole 64-byte pieces of memory, and a warp that reads one address has few reads "
        "in flight");
    return bytes / t;
  }

  double triples(bool staged, double copy_rate) const {
    std::size_t const n = gpu.choose(std::size_t{1} << 26, 1 << 18);
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < n; ++i) expected += mixed(3 * i) ^ mixed(3 * i + 1) ^ mixed(3 * i + 2);
    std::string const what =
        staged ? "triples in order, through shared memory" : "triples, three reads of stride 3";
    double const t = checked_seconds(what, expected, [&] {
      if (staged) {
        read_triples_staged<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(
            reinterpret_cast<uint4 const*>(x.get()), n, sum.get());
      } else {
        read_triples<<<static_cast<unsigned>((n + kTile - 1) / kTile), kThreads, 0, gpu.session.stream>>>(
            x.get(), n, sum.get());
      }
      check_launch("read_triples");
    });
    double const bytes = 12.0 * static_cast<double>(n);
    row(what, bytes, t, copy_rate,
        staged ? "memory sees one sequential read"
               : "the second and third read find their sectors in the L1 cache",
        "the reads of a warp touch three times the lines, and the L1 cache answers one line a cycle");
    return bytes / t;
  }
};

}  // namespace

void gpu_layout(Gpu const& gpu) {
  std::size_t const n = gpu.choose(std::size_t{1} << 26, 1 << 17);
  Buffer<std::uint32_t> x(gpu.session, n * kFields);
  Buffer<unsigned> sum(gpu.session, 1);
  gpu.fill_mixed(x.get(), x.count());
  double const rate = gpu.copy_rate();
  Layouts const layouts{gpu, x, sum};
  double const soa =
      layouts.consecutive(Fields{n}, "consecutive lanes, structure of arrays", rate, "a warp reads one line");
  double const aos =
      layouts.consecutive(Structures{n}, "consecutive lanes, array of structures", rate / kFields,
                          "each word drags its structure along: 4 of 32 bytes are used");
  double const aos_uniform = layouts.uniform(Structures{n}, "uniform lanes, array of structures", rate / 2,
                                             "one 32-byte sector, half of a 64-byte piece of memory");
  double const soa_uniform =
      layouts.uniform(Fields{n}, "uniform lanes, structure of arrays", rate / 2 / kFields,
                      "eight sectors, of which 4 bytes each are used");
  double const direct = layouts.triples(false, rate), staged = layouts.triples(true, rate);
  gpu.out.answer("How to reorganise a stride-3 read? All three words read directly give " +
                 brief(direct / 1e9) + " GB/s of useful bytes, staged through shared memory " +
                 brief(staged / 1e9) + " GB/s.");
  gpu.out.advice("consecutive lanes want arrays of fields (" + brief(soa / aos) +
                 " times faster here), a uniform index wants structures (" +
                 brief(aos_uniform / soa_uniform) + " times faster)");
}

}  // namespace findrho
