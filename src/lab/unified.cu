// SPDX-License-Identifier: BSD-3-Clause
// Unified memory: what it costs that pages move by themselves. Explicit copies beside managed memory on demand, with
// prefetching and advice, and an array that host and device use in turn. At most 256 MiB and a tenth of what is free.
#include <chrono>
#include <functional>

#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

__global__ void increment(unsigned* x, std::size_t count) {
  for (std::size_t i = grid_index(); i < count; i += grid_size()) ++x[i];
}

class Managed {
 public:
  explicit Managed(std::size_t bytes) { FINDRHO_CHECK(cudaMallocManaged(&data_, bytes)); }
  ~Managed() { cudaFree(data_); }
  Managed(Managed const&) = delete;
  Managed& operator=(Managed const&) = delete;
  unsigned* get() const { return data_; }

 private:
  unsigned* data_ = nullptr;
};

constexpr std::size_t kMostBytes = std::size_t{128} << 20;

struct Unified {
  Gpu const& gpu;
  std::size_t count;
  double bytes() const { return 4.0 * static_cast<double>(count); }

  void run_kernel(unsigned* x) const {
    increment<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(x, count);
    check_launch("increment");
  }
  static void on_host(unsigned* x, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) x[i] += 2;
  }

  /// Median seconds of `rounds` rounds; x counts 3 a round, which is checked.
  double timed(std::string const& what, unsigned* host_view, std::function<void()> const& round,
               std::function<void()> const& finish) const {
    for (std::size_t i = 0; i < count; ++i) host_view[i] = mixed(i);
    std::vector<double> times;
    int const rounds = gpu.once ? 1 : 5;
    for (int r = 0; r < rounds; ++r) {
      auto const begin = std::chrono::steady_clock::now();
      round();
      gpu.session.stream.synchronize();
      times.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    finish();
    std::uint64_t wrong = 0;
    for (std::size_t i = 0; i < count; ++i)
      wrong += host_view[i] != mixed(i) + 3u * static_cast<unsigned>(rounds) ? 1 : 0;
    gpu.out.verify_equal("wrong elements, " + what, wrong, 0);
    std::nth_element(times.begin(), times.begin() + rounds / 2, times.end());
    return times[static_cast<std::size_t>(rounds / 2)];
  }

  void row(std::string const& variant, double seconds, double host, double predicted,
           std::string const& reason, std::string const& note) const {
    gpu.out.row({.variant = variant,
                 .values = {{"a round", "ms", seconds * 1e3},
                            {"moving", "ms", (seconds - host) * 1e3},
                            {"both ways", "GB/s", 2 * bytes() / (seconds - host) / 1e9}},
                 .predicted = predicted * 1e3,
                 .tolerance = 0.5,
                 .reason = reason,
                 .note = note});
  }
};

}  // namespace

void gpu_unified(Gpu const& gpu) {
  std::size_t free_bytes = 0, total = 0;
  FINDRHO_CHECK(cudaMemGetInfo(&free_bytes, &total));
  std::size_t const bytes =
      std::min({gpu.choose(kMostBytes, 1 << 20), free_bytes / 10, std::size_t{256} << 20});
  Unified const u{gpu, bytes / 4};
  int const device = gpu.session.device;
  cudaStream_t const stream = gpu.session.stream;
  // A round: the host adds 2 to every element, the device 1, and the host has the array back.
  std::vector<unsigned> pageable(u.count);
  Pinned<unsigned> const pinned(u.count);
  Buffer<unsigned> on_device(gpu.session, u.count);
  auto const copy_round = [&](unsigned* host) {
    return [&, host] {
      Unified::on_host(host, u.count);
      FINDRHO_CHECK(cudaMemcpyAsync(on_device.get(), host, bytes, cudaMemcpyHostToDevice, stream));
      u.run_kernel(on_device.get());
      FINDRHO_CHECK(cudaMemcpyAsync(host, on_device.get(), bytes, cudaMemcpyDeviceToHost, stream));
    };
  };
  for (std::size_t i = 0; i < u.count; ++i) pinned.get()[i] = 0;
  auto const begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i) Unified::on_host(pinned.get(), u.count);
  double const host = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() / 3;
  double const link = 50e9;  // PCIe 5 with 16 lanes: 63 GB/s less its framing
  double const both = 2 * u.bytes() / link;
  double const t_pinned = u.timed("explicit copies, pinned", pinned.get(), copy_round(pinned.get()), [] {});
  u.row("explicit copies, pinned host memory", t_pinned, host, host + both,
        "the link both ways at 50 GB/s, and the host's own pass",
        "the link of this machine is slower or faster than PCIe 5 x16");
  double const t_pageable =
      u.timed("explicit copies, pageable", pageable.data(), copy_round(pageable.data()), [] {});
  u.row("explicit copies, pageable host memory", t_pageable, host, host + 4 * both,
        "the driver copies through a pinned buffer of its own: the host's memory works four times over",
        "the host's copies overlap the link's");
  if (!gpu.figures.concurrent_managed) {
    gpu.out.remark("this device and system cannot share managed pages while both run: no managed variants");
    return;
  }
  Managed const managed(bytes);
  unsigned* const x = managed.get();
  auto const to_host = [&] { gpu.session.stream.synchronize(); };
  // The host's last touch brings the pages back, as in every variant.
  double const t_demand = u.timed(
      "managed, on demand", x,
      [&] {
        Unified::on_host(x, u.count);
        u.run_kernel(x);
        gpu.session.stream.synchronize();
        volatile unsigned touch = 0;
        for (std::size_t i = 0; i < u.count; i += 1024) touch = touch + x[i];
      },
      to_host);
  u.row("managed, on demand (ping-pong)", t_demand, host, host + 5 * both,
        "every page faults twice a round; a fault takes tens of microseconds and moves up to 2 MB around it",
        "the driver's guess of what will be wanted next decides how many faults there are");
  cudaMemLocation const there{.type = cudaMemLocationTypeDevice, .id = device};
  cudaMemLocation const here{.type = cudaMemLocationTypeHost, .id = 0};
  double const t_prefetch = u.timed(
      "managed, prefetched", x,
      [&] {
        Unified::on_host(x, u.count);
        FINDRHO_CHECK(cudaMemPrefetchAsync(x, bytes, there, 0, stream));
        u.run_kernel(x);
        FINDRHO_CHECK(cudaMemPrefetchAsync(x, bytes, here, 0, stream));
      },
      to_host);
  u.row("managed, prefetched both ways", t_prefetch, host, host + 1.5 * both,
        "whole pages at nearly the link's rate, no faults",
        "mapping and unmapping pages takes the driver as long as moving them");
  FINDRHO_CHECK(cudaMemAdvise(x, bytes, cudaMemAdviseSetPreferredLocation, here));
  FINDRHO_CHECK(cudaMemAdvise(x, bytes, cudaMemAdviseSetAccessedBy, there));
  double const t_advice = u.timed(
      "managed, kept on the host", x,
      [&] {
        Unified::on_host(x, u.count);
        u.run_kernel(x);
      },
      to_host);
  u.row("managed, advised to stay on the host", t_advice, host, host + both,
        "the device reads and writes over the link; nothing moves for good",
        "reads and writes share the link in both directions at once");
  double const pages = 2 * u.bytes() / (2 << 20);
  gpu.out.answer("Page migrations of a ping-pong array, and what prefetching saves? " +
                 brief(u.bytes() / (1 << 20)) + " MiB cross twice a round, at least " + brief(pages) +
                 " moves of 2 MB (" + brief(2 * u.bytes() / 65536) + " of 64 KB): " +
                 brief((t_demand - host) * 1e3) + " ms on demand, " + brief((t_prefetch - host) * 1e3) +
                 " ms prefetched, " + brief((t_pinned - host) * 1e3) + " ms with explicit copies.");
  gpu.out.advice(
      "copy explicitly from pinned memory; where memory must be managed, prefetch it before the launch");
}

}  // namespace findrho
