// SPDX-License-Identifier: BSD-3-Clause
// findrho ladder --explain: the story of the ladder in the numbers of the user's own problem.
#include <fmt/format.h>

#include "ladder_table.hpp"
#include "progress.hpp"

namespace findrho {
namespace {

constexpr std::int64_t kBlock = 1024;

std::int64_t blocks(std::int64_t items) {
  return (items + kBlock - 1) / kBlock;
}

std::string size_text(double bytes) {
  return bytes >= 1e12  ? fmt::format("{:.1f} TB", bytes / 1e12)
         : bytes >= 1e9 ? fmt::format("{:.1f} GB", bytes / 1e9)
         : bytes >= 1e5 ? fmt::format("{:.1f} MB", bytes / 1e6)
                        : fmt::format("{:.1f} KB", bytes / 1e3);
}

std::string cutting(LadderReport const& r) {
  double const pairs = double(r.samples) * double(r.voxels);
  double const copies = 2.0 * r.element_bytes * double(r.voxels);  // of a block
  std::int64_t const n = std::min<std::int64_t>(5 * kBlock + 2, r.samples - 1);
  return fmt::format(
      "Three ways to cut the loops\n"
      "  One thread per pair makes {:.4g} threads; a device runs some 10^5 at once. One per sample makes {} "
      "threads in\n"
      "  {} blocks of {}: thread {} of block {} owns sample {}. They all add to the same voxels, atomically. "
      "One per\n"
      "  voxel makes {} threads in {} blocks, each with sums of its own.\n"
      "  Private copies of the output {} the first two: they take {} a block, where a multiprocessor has\n"
      "  0.2 MB of shared memory.\n",
      pairs, r.samples, blocks(r.samples), kBlock, n % kBlock, n / kBlock, n, r.voxels, blocks(r.voxels),
      copies <= 0.2e6 ? "would help" : "do not help", size_text(copies));
}

std::string memory(LadderReport const& r) {
  int const e = r.element_bytes;
  std::int64_t const chunk = 65536 / (3 * e), last = (r.samples - 1) % chunk + 1;
  return fmt::format(
      "Memory\n"
      "  gather makes 14 accesses of {} bytes for 13 operations: {:.2f} operations a byte. Position and sums "
      "in registers\n"
      "  leave 7 ({:.2f}), for five registers a thread, {} of a block's share of the 65,536; kx, ky, kz in "
      "constant memory\n"
      "  leave 2 ({:.2f}). With five-term series for sine and cosine (13 and 12 operations) a step has 38 "
      "operations; with\n"
      "  one instruction each 15: hardware sines lower the operations a byte, and are faster all the same, "
      "because they\n"
      "  lower the operations. A compiler that knows that the arrays do not overlap already merges loads: "
      "the column\n"
      "  \"compiled\" says what it found.\n"
      "  Constant memory holds 64 KB, {} samples of three numbers: {} chunks here, the last of {}. One word "
      "serves the 32\n"
      "  lanes of a warp, so that 31 of 32 reads (96 %) are served by the broadcast.\n"
      "  A block of 1024 threads has 32 warps; two blocks make 64, which may all be at different samples: "
      "192 lines of a\n"
      "  constant cache of 32, if kx, ky and kz lie apart, 64 if they lie together; 64 and 21 where three "
      "warps share a\n"
      "  step. A structure of 12 bytes straddles lines of 64; one of 16 does not.\n",
      e, 13.0 / (14 * e), 13.0 / (7 * e), 5 * kBlock, 13.0 / (2 * e), chunk, (r.samples + chunk - 1) / chunk,
      last);
}

std::string matrix(LadderReport const& r) {
  return fmt::format(
      "Why no matrix\n"
      "  F as a matrix of complex numbers takes {}, read once for every product. The sums make each element "
      "when they\n"
      "  need it.\n",
      size_text(2.0 * r.element_bytes * double(r.samples) * double(r.voxels)));
}

std::string results(LadderReport const& r) {
  std::string text = "What was measured\n";
  for (RungTiming const& row : r.rows) {
    if (row.rung == Rung::mu) continue;
    text += fmt::format("  {} {:<23} {:>9} a pair{}, {} for the whole sum: {}\n", row.cuda ? "GPU" : "CPU",
                        facts(row.rung).name, fmt::format("{:.3g} ns", 1e9 / row.pairs_per_second),
                        row.extrapolated ? " (slice)" : "", duration_text(row.seconds), facts(row.rung).idea);
  }
  return text +
         "  Published: F^H d at 128^3 about 3 hours on a CPU and Q days, about 1000 times faster after all "
         "steps, tuning\n"
         "  alone about 20 % (Programming Massively Parallel Processors, the MRI chapter); a whole "
         "reconstruction at\n"
         "  128^3 in just over a minute on a Quadro FX 5600, up to 180 GFLOPS, 21 times a quad-core CPU "
         "(Stone et al.,\n"
         "  J. Parallel Distrib. Comput. 2008).\n";
}

}  // namespace

std::string explanation(LadderReport const& report) {
  return cutting(report) + "\n" + memory(report) + "\n" + matrix(report) + "\n" + results(report);
}

}  // namespace findrho
