// SPDX-License-Identifier: BSD-3-Clause
// The device's part of a reconstruction, timed with the device's clock: the product with Q on both paths, a CG iteration,
// whole solves. Medians; spectra and maps are random, which costs what measured ones cost. Usage: gpu_recon
// [slabs|cg]. "slabs" also times other widths of the slabs than the one that is chosen; "cg" is one coil only, for a profiler.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>

#include "backend/cuda/call.hpp"
#include "backend/cuda/device_abi.hpp"
#include "findrho/core/error.hpp"
#include "findrho/nufft/cuda_nufft.hpp"
#include "findrho/operator/cuda_toeplitz.hpp"
#include "findrho/solver/cuda_cg.hpp"
#include "findrho/trajectory/radial_2d.hpp"
#include "findrho/trajectory/radial_3d.hpp"

namespace findrho {
namespace {

using C = std::complex<float>;

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

/// Median milliseconds of the device between before and after work().
double milliseconds(CudaSession const& session, std::function<void()> const& work, int repeats = 15) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < repeats; ++i) {
    CudaEvent const before(session);
    work();
    CudaEvent const after(session);
    seconds.push_back(after.seconds_since(before));
  }
  return 1e3 * median(seconds);
}

CudaVector<C> random_vector(CudaSession const& session, std::int64_t size) {
  std::vector<C> values(static_cast<std::size_t>(size));
  std::uint32_t state = static_cast<std::uint32_t>(size);
  auto const next = [&] {
    return static_cast<float>((state = 1664525 * state + 1013904223) >> 8) * 0x1p-24f - 0.5f;
  };
  for (C& value : values) value = {next(), next()};
  return {session, values};
}

double copy_bytes_per_second(CudaSession const& session) {
  std::int64_t const bytes = std::int64_t{2} << 30;
  CudaMemory const from(session, bytes), to(session, bytes);
  from.clear();
  auto const& table = session.table<CudaDeviceTable>();
  double const ms = milliseconds(session, [&] {
    call(session, table.copy, session.handle(), to.data(), from.data(), static_cast<std::size_t>(bytes));
  });
  return 2 * static_cast<double>(bytes) / ms * 1e3;
}

struct Problem {
  Matrix matrix;
  std::int64_t coils;
};

/// Bytes that the passes read and write, each array once per pass; Q once.
double pass_bytes(Problem const& p, CudaToeplitzPlan const& plan) {
  double const n = static_cast<double>(p.matrix.voxels()) * sizeof(C), coils = static_cast<double>(p.coils);
  double const rows = static_cast<double>(plan.grid.x * p.matrix.y * p.matrix.z) * sizeof(C);
  double const slabs =
      p.matrix.z > 1 ? rows * static_cast<double>(plan.grid.y) / static_cast<double>(p.matrix.y) : 0;
  double const maps = p.coils > 1 ? 2 * n : 0;
  double const q = static_cast<double>(plan.grid.voxels()) * sizeof(float);
  double const between = p.matrix.z > 1 && !plan.planes ? 2 * (rows + slabs) + 2 * slabs : 2 * rows;
  return coils * (n + maps + 2 * rows + between) + q + n;
}

class Bench {
 public:
  explicit Bench(CudaSession const& session) : session_(session), copy_(copy_bytes_per_second(session)) {
    std::printf("%s: copies %.2f TB/s\n", session.device().name.c_str(), copy_ * 1e-12);
  }

  void product(Problem const& p, bool slabs) {
    Vectors const v(session_, p);
    double const plain = time_product(p, v, {.path = ToeplitzPath::plain});
    double const fused = time_product(p, v, {});
    auto const plan = plan_cuda_toeplitz<float>(session_, p.matrix, p.coils);
    double const limit = pass_bytes(p, plan) / copy_ * 1e3;
    std::printf(
        "product %s, %ld coils: %.4f ms (%s, slab %d, together %d%s), plain %.4f ms, ratio %.2f; "
        "bytes of the passes %.4f ms: %.0f %%\n",
        p.matrix.shape().str().c_str(), static_cast<long>(p.coils), fused, plan.fused ? "fused" : "plain",
        plan.slab, plan.together, plan.planes ? ", planes" : "", plain, plain / fused, limit,
        100 * limit / fused);
    if (!slabs || p.matrix.z == 1) return;
    for (int slab : {32, 64, 128, 256}) {
      for (int lanes : {1, 2, 3, 4}) {
        std::printf("  slab %d, %d lanes: %.4f ms\n", slab, lanes,
                    time_product(p, v, {.slab = slab, .together = 1, .lanes = lanes}));
      }
    }
  }

  void iterations(Problem const& p, int count) {
    Vectors const v(session_, p);
    CudaToeplitz<float> A(session_, p.matrix, p.coils, v.maps_data());
    set_random_spectrum(A);
    CudaPrior<float> const prior = CudaPrior<float>::identity(1e-3);
    Context const context = Context::cpu(1);
    for (int kept : {CgOptions{}.kept_residuals, 0}) {
      auto const solve_ms = [&](int n) {
        CudaCg<float> cg(session_, p.matrix, A, prior,
                         {.max_iterations = n, .tolerance = 0, .kept_residuals = kept}, 10);
        return milliseconds(
            session_, [&] { cg.solve(context, v.x.data(), v.z.data()); }, 7);
      };
      double const all = solve_ms(count), more = solve_ms(count + 20);
      std::printf("cg %s, %ld coils, %d kept: %.4f ms an iteration, %d iterations %.3f ms\n",
                  p.matrix.shape().str().c_str(), static_cast<long>(p.coils), kept, (more - all) / 20, count,
                  all);
    }
  }

  /// Samples in pinned host memory to an image there: F^H d and `count` iterations, Q and maps on the device.
  void whole(Problem const& p, Trajectory const& k, int count) {
    Vectors const v(session_, p);
    CudaTrajectoryCopy const trajectory(session_, k);
    CudaNufft<float> const F(session_, trajectory.view(), p.matrix, {.nufft = {.accuracy = 1e-3}});
    CudaToeplitz<float> A(session_, p.matrix, p.coils, v.maps_data());
    Matrix const& grid = A.plan().grid;
    CudaVector<float> const spectrum(session_, grid.voxels());
    auto const make_q = [&] {
      cuda_toeplitz_spectrum<float>(session_, trajectory.view(), nullptr, p.matrix, grid,
                                    1 / static_cast<double>(grid.voxels()), spectrum.data(),
                                    {.nufft = {.accuracy = 1e-3}});
      A.set_spectrum(spectrum.data());
    };
    double const q_ms = milliseconds(session_, make_q, 5);
    CudaPrior<float> const prior = CudaPrior<float>::identity(1e-3 * static_cast<double>(k.size()));
    CudaCg<float> cg(session_, p.matrix, A, prior, {.max_iterations = count, .tolerance = 0}, 10);
    CudaVector<C> const d = random_vector(session_, p.coils * k.size());
    CudaMemory const samples(session_, d.size() * static_cast<std::int64_t>(sizeof(C)),
                             CudaMemory::Kind::pinned_host);
    CudaMemory const image(session_, v.z.size() * static_cast<std::int64_t>(sizeof(C)),
                           CudaMemory::Kind::pinned_host);
    d.download(static_cast<C*>(samples.data()));
    auto const copy = [&](void* to, void const* from, std::int64_t bytes) {
      call(session_, session_.table<CudaDeviceTable>().copy, session_.handle(), to, from,
           static_cast<std::size_t>(bytes));
    };
    Context const context = Context::cpu(1);
    auto const adjoint = [&] {
      if (v.has_maps) {
        F.adjoint_with_maps(d.data(), v.maps_data(), v.x.data(), p.coils);
      } else {
        F.adjoint(d.data(), v.x.data(), 1);
      }
    };
    double const adjoint_ms = milliseconds(session_, adjoint);
    double const all_ms = milliseconds(
        session_,
        [&] {
          copy(d.data(), samples.data(), samples.bytes());
          adjoint();
          cg.solve(context, v.x.data(), v.z.data());
          copy(image.data(), v.z.data(), image.bytes());
        },
        9);
    std::printf(
        "whole %s, %ld coils, %ld samples: F^H d %.3f ms, Q %.3f ms; samples to image, %d iterations: %.3f "
        "ms\n",
        p.matrix.shape().str().c_str(), static_cast<long>(p.coils), static_cast<long>(k.size()), adjoint_ms,
        q_ms, count, all_ms);
  }

 private:
  struct Vectors {
    CudaVector<C> x, z, maps;
    bool has_maps;
    Vectors(CudaSession const& session, Problem const& p)
        : x(random_vector(session, p.matrix.voxels())),
          z(session, p.matrix.voxels()),
          maps(random_vector(session, p.coils > 1 ? p.coils * p.matrix.voxels() : 1)),
          has_maps(p.coils > 1) {}
    C const* maps_data() const { return has_maps ? maps.data() : nullptr; }
  };

  void set_random_spectrum(CudaToeplitz<float>& A) {
    auto const size = static_cast<std::size_t>(A.plan().grid.voxels());
    if (q_.size() != size) {
      q_ = std::vector<float>(size);
      std::uint32_t state =
          3;  // a linear congruence is random enough to keep the power draw honest, and fast
      for (float& value : q_)
        value = static_cast<float>((state = 1664525 * state + 1013904223) >> 8) * 0x1p-24f /
                static_cast<float>(size);
    }
    CudaVector<float> const spectrum(session_, q_);
    A.set_spectrum(spectrum.data());
    session_.synchronize();
  }

  double time_product(Problem const& p, Vectors const& v, CudaToeplitzOptions const& options) {
    CudaToeplitz<float> A(session_, p.matrix, p.coils, v.maps_data(), options);
    set_random_spectrum(A);
    A.apply(v.x.data(), v.z.data());
    constexpr int kProducts = 10;
    CudaGraph const graph(session_, [&] {
      for (int i = 0; i < kProducts; ++i) A.apply(v.x.data(), v.z.data());
    });
    return milliseconds(session_, [&] { graph.launch(); }) / kProducts;
  }

  CudaSession session_;
  double copy_;
  std::vector<float> q_;
};

void run(bool slabs, bool cg) {
  CudaModule const module = load_cuda_module();
  CudaSession const session = CudaSession::open(module, 0);
  Bench bench(session);
  Matrix const volume{128, 128, 128}, plane{256, 256, 1}, large{256, 256, 256};
  Trajectory const spokes = make_radial_3d(volume, {.spokes = 2224, .samples_per_spoke = 128});
  if (cg) {
    bench.iterations({volume, 1}, 20);
    bench.whole({volume, 1}, spokes, 20);
    return;
  }
  bench.product({volume, 1}, slabs);
  bench.product({volume, 8}, slabs);
  bench.product({plane, 12}, slabs);
  bench.iterations({volume, 1}, 20);
  bench.iterations({volume, 8}, 20);
  bench.iterations({plane, 12}, 30);
  bench.whole({volume, 1}, spokes, 20);
  bench.whole({volume, 8}, spokes, 20);
  bench.whole({plane, 12}, make_radial_2d(plane, {.spokes = 25, .samples_per_spoke = 256}), 30);
  bench.whole({plane, 12}, make_radial_2d(plane, {.spokes = 390, .samples_per_spoke = 256}), 30);
  bench.product({large, 8}, false);
  bench.whole({large, 8}, make_radial_3d(large, {.spokes = 4000, .samples_per_spoke = 256}), 20);
}

}  // namespace
}  // namespace findrho

int main(int argc, char** argv) {
  std::setvbuf(stdout, nullptr, _IOLBF, 0);
  try {
    bool const given = argc > 1;
    findrho::run(given && std::strcmp(argv[1], "slabs") == 0, given && std::strcmp(argv[1], "cg") == 0);
  } catch (findrho::Error const& error) {
    std::fprintf(stderr, "gpu_recon: %s\n", error.what());
    return 1;
  }
}
