// SPDX-License-Identifier: BSD-3-Clause
// Image <-> oversampled grid for cuFFT: factors that undo the kernel's transform, sensitivity maps, padding and cropping.
#include "backend/cuda/launch.hpp"
#include "nufft/cuda/box_passes.hpp"
#include "nufft/cuda/moves.hpp"

namespace findrho::nufft {
namespace {

constexpr int kLanes = 256;

template <class T>
__device__ BoxAxis axis(BoxJob<T> const& job, int d) {
  return {job.box[d], job.grid[d]};
}

template <class T>
__device__ std::int64_t voxels(BoxJob<T> const& job) {
  return static_cast<std::int64_t>(job.box[0]) * job.box[1] * job.box[2];
}

template <class T>
__device__ Complex<T> product(Complex<T> a, Complex<T> b) {
  return {a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

template <class T>
__device__ Complex<T> padded(BoxJob<T> const& job, int cell, std::int64_t row, T factor, int coil) {
  int const x = axis(job, 0).voxel(cell);
  if (x < 0) return {0, 0};
  std::int64_t const at = row + x, of_coil = at + coil * voxels(job);
  Complex<T> v = job.image[job.maps != nullptr ? at : of_coil];
  if (job.maps != nullptr) v = product<T>(v, job.maps[of_coil]);
  T const f = factor * job.factor[0][x];
  return {v.x * f, v.y * f};
}

/// Two cells a lane. blockIdx.y: coil.
template <class T>
__global__ void __launch_bounds__(kLanes) pad_kernel(__grid_constant__ BoxJob<T> const job) {
  unsigned const row_pairs = static_cast<unsigned>(job.grid[0]) / 2;
  unsigned const rows = static_cast<unsigned>(job.grid[1]) * static_cast<unsigned>(job.grid[2]);
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  if (i >= static_cast<std::int64_t>(rows) * row_pairs) return;
  // Fewer than 2^32 pairs: the plan sees to that.
  unsigned const row = static_cast<unsigned>(i) / row_pairs, pair = static_cast<unsigned>(i) % row_pairs;
  int const coil = static_cast<int>(blockIdx.y);
  int const y = axis(job, 1).voxel(static_cast<int>(row % static_cast<unsigned>(job.grid[1])));
  int const z = axis(job, 2).voxel(static_cast<int>(row / static_cast<unsigned>(job.grid[1])));
  Pair<T> v{};
  if (y >= 0 && z >= 0) {
    T const factor = job.factor[1][y] * job.factor[2][z];
    std::int64_t const first = (static_cast<std::int64_t>(z) * job.box[1] + y) * job.box[0];
    v.a = padded(job, static_cast<int>(2 * pair), first, factor, coil);
    v.b = padded(job, static_cast<int>(2 * pair + 1), first, factor, coil);
  }
  std::int64_t const cells = static_cast<std::int64_t>(rows) * job.grid[0];
  reinterpret_cast<Pair<T>*>(job.cells + coil * cells)[i] = v;
}

/// A voxel a lane. blockIdx.y: coil; with maps one lane sums all.
template <class T>
__global__ void __launch_bounds__(kLanes) crop_kernel(__grid_constant__ BoxJob<T> const job) {
  std::int64_t const i = static_cast<std::int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  if (i >= voxels(job)) return;
  unsigned const row = static_cast<unsigned>(i) / static_cast<unsigned>(job.box[0]);
  int const x = static_cast<int>(static_cast<unsigned>(i) % static_cast<unsigned>(job.box[0]));
  int const y = static_cast<int>(row % static_cast<unsigned>(job.box[1]));
  int const z = static_cast<int>(row / static_cast<unsigned>(job.box[1]));
  T const factor = job.factor[0][x] * job.factor[1][y] * job.factor[2][z];
  std::int64_t const plane = static_cast<std::int64_t>(job.grid[0]) * job.grid[1],
                     cells = plane * job.grid[2];
  Complex<T> const* from = job.cells + axis(job, 2).cell(z) * plane +
                           static_cast<std::int64_t>(axis(job, 1).cell(y)) * job.grid[0] +
                           axis(job, 0).cell(x);
  Complex<T> sum{0, 0};
  Complex<T>* to = job.image + i;
  if (job.maps == nullptr) {
    sum = from[blockIdx.y * cells];
    to += blockIdx.y * voxels(job);
  } else {
    for (int c = 0; c < job.coils; ++c) {
      Complex<T> map = job.maps[c * voxels(job) + i];
      map.y = -map.y;
      Complex<T> const v = product<T>(map, from[c * cells]);
      sum.x += v.x;
      sum.y += v.y;
    }
  }
  Complex<T> result{sum.x * factor, sum.y * factor};
  if (job.add != 0) result = {to->x + result.x, to->y + result.y};
  *to = result;
}

dim3 blocks_for(std::int64_t lanes, int coils) {
  return {static_cast<unsigned>((lanes + kLanes - 1) / kLanes), static_cast<unsigned>(coils)};
}

}  // namespace

template <class T>
void pad(cudaStream_t stream, BoxJob<T> const& job) {
  std::int64_t const pairs = static_cast<std::int64_t>(job.grid[0]) / 2 * job.grid[1] * job.grid[2];
  pad_kernel<T><<<blocks_for(pairs, job.coils), kLanes, 0, stream>>>(job);
  check_launch("pad");
}

template <class T>
void crop(cudaStream_t stream, BoxJob<T> const& job) {
  std::int64_t const voxels = static_cast<std::int64_t>(job.box[0]) * job.box[1] * job.box[2];
  crop_kernel<T><<<blocks_for(voxels, job.maps != nullptr ? 1 : job.coils), kLanes, 0, stream>>>(job);
  check_launch("crop");
}

template void pad(cudaStream_t, BoxJob<float> const&);
template void pad(cudaStream_t, BoxJob<double> const&);
template void crop(cudaStream_t, BoxJob<float> const&);
template void crop(cudaStream_t, BoxJob<double> const&);

}  // namespace findrho::nufft
