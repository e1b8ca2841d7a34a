// SPDX-License-Identifier: BSD-3-Clause
// The topic "coil_maps", in double as on the processor.
#include <cub/block/block_reduce.cuh>
#include <vector>

#include "backend/cuda/elements.hpp"
#include "backend/cuda/line_transform.hpp"
#include "backend/cuda/session.hpp"
#include "recipe/cuda/coil_maps_abi.hpp"

namespace findrho::device {
namespace {

using C = Complex<double>;

constexpr int kSumLanes = 512;  // of a block that sums over the image
constexpr int kVoxels = 32;     // of a block, one a thread

__device__ C widened(Complex<float> a) {
  return {a.x, a.y};
}

struct Round {
  C const* from;
  Complex<float>* to;
  __device__ void operator()(std::int64_t i) const {
    to[i] = {static_cast<float>(from[i].x), static_cast<float>(from[i].y)};
  }
};

/// Block (j, i): one element of the lower triangle.
__global__ void __launch_bounds__(kSumLanes)
    covariance_kernel(Complex<float> const* images, long long voxels, C* covariance) {
  unsigned const i = blockIdx.y, j = blockIdx.x;
  if (j > i) return;
  C sum{0, 0};
  for (long long n = threadIdx.x; n < voxels; n += kSumLanes)
    sum = sum + times_conj(widened(images[i * voxels + n]), widened(images[j * voxels + n]));
  using Reduce = cub::BlockReduce<double, kSumLanes>;
  __shared__ typename Reduce::TempStorage scratch;
  double const re = Reduce(scratch).Sum(sum.x);
  __syncthreads();
  double const im = Reduce(scratch).Sum(sum.y);
  if (threadIdx.x == 0) covariance[i * gridDim.x + j] = {re, im};
}

struct MapsJob {
  CudaCoilMapsRecord r;
  Complex<float> const* images;
  C const* reference;
  Complex<float>* maps;
  __host__ __device__ long long voxels() const { return r.matrix[0] * r.matrix[1] * r.matrix[2]; }
};

/// next = sum over the neighbourhood of m (m^H v), m a voxel's coil values; returns |next|^2.
__device__ double multiply(MapsJob const& job, long long const (&at)[3], C const* v, C* next) {
  long long const coils = job.r.coils,
                  voxels = job.voxels(), *const n = job.r.matrix, *const step = job.r.step;
  for (long long c = 0; c < coils; ++c) next[c * kVoxels] = {0, 0};
  for (int dz = -1; dz <= 1; ++dz) {
    for (int dy = -1; dy <= 1; ++dy) {
      for (int dx = -1; dx <= 1; ++dx) {
        long long const x = at[0] + dx * step[0], y = at[1] + dy * step[1], z = at[2] + dz * step[2];
        if (x < 0 || y < 0 || z < 0 || x >= n[0] || y >= n[1] || z >= n[2]) continue;
        Complex<float> const* const m = job.images + (z * n[1] + y) * n[0] + x;
        C dot{0, 0};
        for (long long c = 0; c < coils; ++c) dot = dot + times_conj(v[c * kVoxels], widened(m[c * voxels]));
        for (long long c = 0; c < coils; ++c)
          next[c * kVoxels] = next[c * kVoxels] + widened(m[c * voxels]) * dot;
      }
    }
  }
  double norm_sq = 0;
  for (long long c = 0; c < coils; ++c)
    norm_sq += next[c * kVoxels].x * next[c * kVoxels].x + next[c * kVoxels].y * next[c * kVoxels].y;
  return norm_sq;
}

/// A thread a voxel; its vectors lie in shared memory, [2][coil][thread], since their length is known only now.
__global__ void __launch_bounds__(kVoxels) maps_kernel(MapsJob const job) {
  extern __shared__ C vectors[];
  long long const voxel = static_cast<long long>(blockIdx.x) * kVoxels + threadIdx.x, coils = job.r.coils,
                  voxels = job.voxels();
  if (voxel >= voxels) return;
  long long const row = voxel / job.r.matrix[0];
  long long const at[3] = {voxel % job.r.matrix[0], row % job.r.matrix[1], row / job.r.matrix[1]};
  C *const v = vectors + threadIdx.x, *const next = v + coils * kVoxels;
  for (long long c = 0; c < coils; ++c) v[c * kVoxels] = job.reference[c];
  for (int i = 0; i < job.r.iterations; ++i) {
    double const norm_sq = multiply(job, at, v, next);
    if (norm_sq == 0) break;
    double const scale = 1 / sqrt(norm_sq);
    for (long long c = 0; c < coils; ++c) v[c * kVoxels] = scaled(scale, next[c * kVoxels]);
  }
  C overlap{0, 0};  // conj(reference^H v): its phase turns the reference's share of v real
  for (long long c = 0; c < coils; ++c) overlap = overlap + times_conj(job.reference[c], v[c * kVoxels]);
  double const size = sqrt(overlap.x * overlap.x + overlap.y * overlap.y);
  C const turn = size == 0 ? C{1, 0} : C{overlap.x / size, overlap.y / size};
  for (long long c = 0; c < coils; ++c) {
    C const map = v[c * kVoxels] * turn;
    job.maps[c * voxels + voxel] = {static_cast<float>(map.x), static_cast<float>(map.y)};
  }
}

int round(void* session, void const* double_image, long long voxels, void* image, CudaFault* fault) {
  return guarded(fault, [&] {
    launch_elements(static_cast<Session*>(session)->stream, voxels,
                    Round{static_cast<C const*>(double_image), static_cast<Complex<float>*>(image)});
  });
}

int covariance(void* session, void const* images, long long voxels, long long coils, void* covariance,
               CudaFault* fault) {
  return guarded(fault, [&] {
    Session& s = *static_cast<Session*>(session);
    Buffer<C> there(s, static_cast<std::size_t>(coils * coils));
    there.fill(0);
    auto const n = static_cast<unsigned>(coils);
    covariance_kernel<<<dim3(n, n), kSumLanes, 0, s.stream>>>(static_cast<Complex<float> const*>(images),
                                                              voxels, there.get());
    check_launch("covariance_kernel");
    FINDRHO_CHECK(cudaMemcpyAsync(covariance, there.get(), there.bytes(), cudaMemcpyDeviceToHost, s.stream));
    s.stream.synchronize();
  });
}

int maps(void* session, CudaCoilMapsRecord const* record, void const* images, void const* reference,
         void* maps, CudaFault* fault) {
  return guarded(fault, [&] {
    Session& s = *static_cast<Session*>(session);
    auto const* const first = static_cast<C const*>(reference);
    Buffer<C> const there(s, std::vector<C>(first, first + record->coils));
    MapsJob const job{*record, static_cast<Complex<float> const*>(images), there.get(),
                      static_cast<Complex<float>*>(maps)};
    auto const blocks = static_cast<unsigned>((job.voxels() + kVoxels - 1) / kVoxels);
    auto const shared = static_cast<int>(2 * record->coils * kVoxels * static_cast<long long>(sizeof(C)));
    FINDRHO_CHECK(cudaFuncSetAttribute(maps_kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared));
    maps_kernel<<<blocks, kVoxels, static_cast<std::size_t>(shared), s.stream>>>(job);
    check_launch("maps_kernel");
  });
}
constexpr CudaCoilMapsTable kTable{round, covariance, maps};

}  // namespace
}  // namespace findrho::device

FINDRHO_EXPORT void const* findrho_cuda_topic_coil_maps(int version) {
  return version == findrho::CudaCoilMapsTable::kVersion ? &findrho::device::kTable : nullptr;
}
