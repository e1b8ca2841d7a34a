// SPDX-License-Identifier: BSD-3-Clause
// Access pattern: what a read moves beyond what it uses. Memory answers in sectors of 32 bytes: a word that is alone
// in its sector costs eight. Sums of whole numbers, compared with the host's.
#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

constexpr int kSectorBytes = 32, kLineBytes = 128;

constexpr int kThreads = 256, kTurns = 8;
constexpr std::size_t kTile = 8 * kTurns * kThreads;  // reads of a block

unsigned tiles(std::size_t reads) {
  return static_cast<unsigned>((reads + kTile - 1) / kTile);
}

__global__ void __launch_bounds__(kThreads)
    read_vectors(uint4 const* __restrict__ x, std::size_t count, unsigned* sum) {
  add_over_block(sum, sum_of_reads(blockIdx.x * kTile, count, kTurns, [x](std::size_t i) {
                   uint4 const v = x[i];
                   return v.x + v.y + v.z + v.w;
                 }));
}

__global__ void __launch_bounds__(kThreads)
    read_strided(unsigned const* __restrict__ x, std::size_t count, std::size_t stride, unsigned* sum) {
  add_over_block(
      sum, sum_of_reads(blockIdx.x * kTile, count, kTurns, [=](std::size_t i) { return x[i * stride]; }));
}

__global__ void __launch_bounds__(kThreads)
    read_random(unsigned const* __restrict__ x, std::size_t mask, std::size_t count, unsigned* sum) {
  add_over_block(sum, sum_of_reads(blockIdx.x * kTile, count, kTurns,
                                   [=](std::size_t i) { return x[mixed(i) & mask]; }));
}

std::uint32_t expected_sum(std::size_t count, std::size_t stride, std::size_t offset) {
  std::uint32_t sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += mixed(offset + i * stride);
  return sum;
}

class Access {
 public:
  explicit Access(Gpu const& gpu)
      : gpu_(gpu),
        n_(gpu.choose(std::size_t{1} << 27, 1 << 20)),
        x_(gpu.session, n_ + kLineBytes),
        sum_(gpu.session, 1) {
    gpu.fill_mixed(x_.get(), x_.count());
  }

  template <class Launch>
  double checked_seconds(std::string const& what, std::uint32_t expected, Launch const& launch) {
    sum_.fill(0);
    launch();
    gpu_.out.verify_equal("sum, " + what, sum_.download()[0], expected);
    return gpu_.seconds(launch);
  }

  void sequential() {
    double const t = checked_seconds("sequential", expected_sum(n_, 1, 0), [&] {
      read_vectors<<<tiles(n_ / 4), kThreads, 0, gpu_.session.stream>>>(
          reinterpret_cast<uint4 const*>(x_.get()), n_ / 4, sum_.get());
      check_launch("read_vectors");
    });
    sequential_ = 4.0 * static_cast<double>(n_) / t;
    row("sequential, 16 bytes a lane", sequential_, 0.9 * gpu_.figures.memory_bytes_per_s, 0.12,
        "every byte is used; memory keeps a tenth of its time for refresh and turning round");
  }

  void strided(std::size_t stride, std::size_t offset, std::string const& variant,
               std::string const& reason) {
    std::size_t const count = n_ / stride;
    double const t = checked_seconds(variant, expected_sum(count, stride, offset), [&] {
      read_strided<<<tiles(count), kThreads, 0, gpu_.session.stream>>>(x_.get() + offset, count, stride,
                                                                       sum_.get());
      check_launch("read_strided");
    });
    double const useful = 4.0 * static_cast<double>(count) / t;
    useful_by_stride_.push_back({static_cast<double>(stride), useful});
    row(variant, useful, sequential_ / static_cast<double>(std::min<std::size_t>(stride, kSectorBytes / 4)),
        0.25, reason);
  }

  void random() {
    std::size_t const count = n_ / 8;
    std::uint32_t expected = 0;
    for (std::size_t i = 0; i < count; ++i) expected += mixed(mixed(i) & (n_ - 1));
    double const t = checked_seconds("random", expected, [&] {
      read_random<<<tiles(count), kThreads, 0, gpu_.session.stream>>>(x_.get(), n_ - 1, count, sum_.get());
      check_launch("read_random");
    });
    row("random words", 4.0 * static_cast<double>(count) / t, sequential_ / 8, 0.25,
        "each word is alone in its 32-byte sector");
  }

  void copy() {
    double const rate = gpu_.copy_rate();
    row("copy, read and written", rate, 0.88 * gpu_.figures.memory_bytes_per_s, 0.12,
        "as sequential; memory also turns round between reading and writing");
    gpu_.out.answer("Transactions per second at this device's bandwidth? " +
                    brief(rate / kSectorBytes / 1e9) + "e9 sectors of 32 bytes, or " +
                    brief(rate / kLineBytes / 1e9) + "e9 lines of 128 bytes.");
  }

 private:
  void row(std::string const& variant, double useful, double predicted, double tolerance,
           std::string const& reason) {
    std::string note = "part of the array is still in the L2 cache";
    if (useful < predicted) {
      note =
          predicted > sequential_ / 8
              ? "four bytes a lane keep less on its way than sixteen, and a fifth sector a warp comes on top"
              : "memory is addressed in 64-byte pieces here: a lone sector costs two, and pages far apart "
                "cost more";
    }
    gpu_.out.row({.variant = variant,
                  .values = {{"useful", "GB/s", useful / 1e9},
                             {"moved per useful byte", "", sequential_ / useful},
                             {"of the theoretical", "", useful / gpu_.figures.memory_bytes_per_s}},
                  .predicted = predicted / 1e9,
                  .tolerance = tolerance,
                  .reason = reason,
                  .note = note});
  }

 public:
  Gpu const& gpu_;
  std::size_t n_;
  Buffer<std::uint32_t> x_;
  Buffer<unsigned> sum_;
  double sequential_ = 1;
  std::vector<std::pair<double, double>> useful_by_stride_;
};

}  // namespace

void gpu_access(Gpu const& gpu) {
  Access access(gpu);
  access.sequential();
  access.strided(1, 0, "stride 1", "a warp's 32 words are four full sectors");
  access.strided(1, 1, "misaligned by one word",
                 "a fifth sector a warp, which the neighbour's read finds in the cache");
  for (std::size_t const stride : {2, 3, 4, 8}) {
    access.strided(stride, 0, "stride " + std::to_string(stride),
                   "one word of " + std::to_string(stride) + " is used, and every sector is touched");
  }
  for (std::size_t const stride : {16, 32}) {
    access.strided(stride, 0, "stride " + std::to_string(stride),
                   "a sector for every word: no worse than stride 8");
  }
  access.random();
  access.copy();
  double const third = access.useful_by_stride_[3].second / access.sequential_;
  gpu.out.answer("Useful share of a stride-3 read? " + brief(100 * third) +
                 " % here (one word of three). Store x, y and z in arrays of their own, or read all three "
                 "words in order "
                 "through shared memory: see layout.");
  gpu.out.advice(
      "let neighbouring lanes read neighbouring words; where that cannot be, read 32 bytes at a time");
}

}  // namespace findrho
