// SPDX-License-Identifier: BSD-3-Clause
// Transpose: coalescing and bank conflicts apart. Written column by column it wastes sectors; through a tile of shared
// memory both sides are rows, but a column of a 32-wide tile lies in a single bank; one word of padding spreads it.
#include "backend/cuda/blas.hpp"
#include "lab/bodies.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

__global__ void transpose_rows(float const* __restrict__ in, float* __restrict__ out, int n) {
  int const x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            y0 = static_cast<int>(blockIdx.y * 32 + threadIdx.y);
  for (int y = y0; y < y0 + 32; y += 8) {
    if (x < n && y < n) out[static_cast<std::size_t>(x) * n + y] = in[static_cast<std::size_t>(y) * n + x];
  }
}

/// No shared memory: a lane turns a square of 4 x 4 in its registers. A warp's 8 x 4 squares read pieces of 64 bytes and
/// write pieces of 128.
__global__ void __launch_bounds__(256) transpose_registers(float const* in, float* out, int n) {
  int const lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
  int const x = static_cast<int>(blockIdx.x) * 64 + 16 * (warp % 4) + 4 * (lane / 8),
            y = static_cast<int>(blockIdx.y) * 64 + 32 * (warp / 4) + 4 * (lane % 8);
  if (x >= n || y >= n) return;
  Four f[4];
  for (int j = 0; j < 4; ++j) f[j] = read_only_four(in + static_cast<std::size_t>(y + j) * n + x);
  for (int j = 0; j < 4; ++j) {
    *reinterpret_cast<Four*>(out + static_cast<std::size_t>(x + j) * n + y) = {f[0].v[j], f[1].v[j],
                                                                               f[2].v[j], f[3].v[j]};
  }
}

/// Elements that are not where they belong. Values are mixed_float(index), so each tells where it came from.
std::uint64_t misplaced(std::vector<float> const& out, int n) {
  std::uint64_t wrong = 0;
  for (int y = 0; y < n; ++y) {
    for (int x = 0; x < n; ++x) {
      std::size_t const from = static_cast<std::size_t>(x) * n + y, to = static_cast<std::size_t>(y) * n + x;
      wrong += out[to] != mixed_float(from) ? 1 : 0;
    }
  }
  return wrong;
}

}  // namespace

void gpu_transpose(Gpu const& gpu) {
  int const n = gpu.small ? 1000 : 8192;
  std::size_t const count = static_cast<std::size_t>(n) * n;
  Buffer<float> in(gpu.session, count), out(gpu.session, count);
  gpu.fill_mixed(in.get(), count);
  double const rate = gpu.copy_rate();
  Cublas blas(gpu.session);
  auto const measure = [&](std::string const& variant, double predicted, double tolerance,
                           std::string const& reason, std::string const& note, auto const& launch) {
    out.fill(0xff);
    launch();
    gpu.out.verify_equal("misplaced elements, " + variant, misplaced(out.download(), n), 0);
    double const measured = 8.0 * static_cast<double>(count) / gpu.seconds(launch);
    gpu.out.row(
        {.variant = variant,
         .values = {{"read and written", "GB/s", measured / 1e9}, {"of the copy", "", measured / rate}},
         .predicted = predicted / 1e9,
         .tolerance = tolerance,
         .reason = reason,
         .note = note});
    return measured;
  };
  auto const launch = [&gpu](auto const& body) {
    return [&gpu, body] { launch_team<body.kLanes>(gpu.session.stream, body.blocks(), body); };
  };
  auto const blocks = static_cast<unsigned>((n + 31) / 32);
  double const naive = measure(
      "rows read, columns written", rate * 2 / 9, 0.5,
      "a written word costs a sector of eight, unless the L2 cache gathers the sector's others",
      "the L2 cache gathers the neighbours' words before memory sees them, but takes each alone", [&] {
        transpose_rows<<<dim3(blocks, blocks), dim3(32, 8), 0, gpu.session.stream>>>(in.get(), out.get(), n);
        check_launch("transpose_rows");
      });
  double const tile =
      measure("shared tile [32][32]", rate / 2, 0.5,
              "both sides are rows; the column read is 32 accesses to one bank, about the time of the memory",
              "bank conflicts hide where other blocks keep memory busy",
              launch(TransposeBody<>{n, n, 0, in.get(), out.get()}));
  double const padded =
      measure("padded tile [32][33]", rate * 0.9, 0.15, "no conflicts: what remains is a copy",
              "bound by instructions: one for each word read, written and kept",
              launch(TransposeBody<>{n, n, 1, in.get(), out.get()}));
  double const large =
      measure("padded tile [64][65]", rate * 0.9, 0.15, "sixteen reads a thread are on their way at a time",
              "bound by instructions: one for each word read, written and kept",
              launch(TransposeBody<64>{n, n, 1, in.get(), out.get()}));
  auto const squares = static_cast<unsigned>((n + 63) / 64);
  measure("16 bytes a lane, registers only", rate * 0.9, 0.15,
          "no shared memory: pieces of 64 bytes are read and of 128 written, which are whole sectors",
          "memory likes longer pieces", [&] {
            transpose_registers<<<dim3(squares, squares), 256, 0, gpu.session.stream>>>(in.get(), out.get(),
                                                                                        n);
            check_launch("transpose_registers");
          });
  double const fours = measure("16 bytes a lane, rotated tile [64][64]", rate * 0.9, 0.15,
                               "as padded, a quarter of the reads and writes, and pieces of 256 bytes",
                               "memory switches between reading and writing more often than in a copy",
                               launch(TransposeFoursBody<>{n, n, in.get(), out.get()}));
  double const library =
      measure("cuBLAS geam", rate * 0.9, 0.25, "the library's tile", "the library is not faster here",
              [&] { blas.transpose(in.get(), out.get(), n, n); });
  gpu.out.answer("Transpose with and without the padded tile? " + brief(tile / 1e9) +
                 " GB/s with [32][32], " + brief(padded / 1e9) + " with [32][33], " + brief(large / 1e9) +
                 " with [64][65], " + brief(fours / 1e9) + " by 16 bytes, " + brief(naive / 1e9) +
                 " without a tile, cuBLAS " + brief(library / 1e9) + ".");
  gpu.out.advice(
      "turn in shared memory, spread a column over the banks by padding or rotating its rows, and move 16 "
      "bytes "
      "a lane");
}

}  // namespace findrho
