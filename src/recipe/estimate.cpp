// SPDX-License-Identifier: BSD-3-Clause
#include "estimate.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "findrho/core/lag_boxes.hpp"
#include "findrho/core/memory.hpp"
#include "findrho/nufft/pipe_menon.hpp"
#include "findrho/operator/toeplitz.hpp"
#include "findrho/trajectory/density.hpp"
#include "recon_checks.hpp"
#include "stack.hpp"

namespace findrho {
namespace {

constexpr int kEigenvalueProducts = 15;  // what largest_eigenvalue usually takes at 1 %
// Of one complex multiply-add of the map estimation in double, on one thread: 7.2 ns for 12 coils on 256^2, 6.0 ns for 4
// coils on 64 x 64 x 16 (AMD EPYC, Zen 4, g++ 12).
constexpr double kProductSeconds = 6.5e-9;

constexpr double kStartSeconds = 0.025;        // of the program: start, hashing, files
constexpr std::int64_t kOtherBytes = 4 << 20;  // writers' buffers, thread stacks, freed memory not given back

/// What the figures below are made of.
struct Size {
  Matrix matrix;
  std::int64_t samples = 0, coils = 0, voxels = 0, volumes = 0, frames = 0, trajectories = 1;
  int threads = 1;
  bool maps_needed = false, maps_given = false;
};

Size size_of(Context const& context, Dataset const& dataset, ReconOptions const& options,
             ReconInputs const& inputs) {
  Size s;
  s.matrix = dataset.matrix;
  s.voxels = dataset.matrix.voxels();
  s.coils = dataset.coils;
  s.threads = context.threads();
  s.frames = static_cast<std::int64_t>(dataset.frames.size());
  s.volumes = s.frames;
  Trajectory const* previous = dataset.frames.front().trajectory.get();
  for (Frame const& frame : dataset.frames) {
    s.samples = std::max(s.samples, frame.trajectory->size());
    s.trajectories += frame.trajectory.get() != previous;
    previous = frame.trajectory.get();
  }
  s.maps_needed = options.coils == CoilMode::sense;
  s.maps_given = inputs.maps.data != nullptr;
  return s;
}

FastSums sums_of(ReconOptions const& o) {
  return {.accuracy = o.nufft.accuracy, .cuda = o.cuda};
}

/// Held while Q is made: its lags, then either the NUFFT onto half of the doubled matrix or the sums onto all of it, or
/// the transforms to the spectrum, whose z axis has work of its own.
template <class T>
std::int64_t toeplitz_build_bytes(Size const& s, ReconOptions const& options) {
  bool const deep = s.matrix.z > 1;
  Matrix const all = doubled(s.matrix), half = half_doubled(s.matrix);
  bool const exact = options.q == TransformKind::exact;
  constexpr std::int64_t kComplex = sizeof(std::complex<T>);
  std::int64_t const lags = (exact ? all : half).voxels() * kComplex;
  std::int64_t const samples = s.samples * (s.matrix.dims() * std::int64_t{sizeof(double)} + kComplex);
  std::int64_t const spectrum = toeplitz_spectrum_size<T>(s.matrix) * std::int64_t{sizeof(T)};
  std::int64_t const making = exact ? fast_sum_bytes<T>(sums_of(options), half, s.samples, 1).host
                                    : samples + nufft_bytes<T>(s.samples, half, 1, s.threads, options.nufft);
  std::int64_t const columns = deep ? all.voxels() * kComplex : 0;
  return lags + std::max(making, columns + spectrum);
}

template <class T>
std::int64_t cg_bytes(Size const& s, ReconOptions const& o) {
  constexpr std::int64_t kComplex = sizeof(std::complex<T>);
  std::int64_t const batch = s.maps_needed ? s.coils : 1;
  bool const exact = o.fhd == TransformKind::exact;
  std::int64_t const plan = exact ? 0 : nufft_bytes<T>(s.samples, s.matrix, 0, s.threads, o.nufft);
  std::int64_t const transform = exact ? fast_sum_bytes<T>(sums_of(o), s.matrix, s.samples, batch).host
                                       : nufft_bytes<T>(s.samples, s.matrix, batch, s.threads, o.nufft);
  std::int64_t const coil_images = s.maps_needed ? batch * s.voxels * kComplex : 0;  // Encoding's S x
  std::int64_t const image = s.voxels * kComplex;
  std::int64_t const always =
      s.coils * s.samples * kComplex + 2 * image + s.voxels * std::int64_t{sizeof(T)};  // d, b, x, sum
  std::int64_t const encoding = transform + coil_images;
  // r, p, A p, the kept residuals, the prior's part and its range
  std::int64_t const kept = std::min(CgOptions{}.kept_residuals, o.iterations);
  std::int64_t const solve = (4 + kept + (o.prior == PriorKind::identity ? 1 : 3)) * image;
  if (o.normal == NormalKind::nufft) return always + encoding + solve + batch * s.samples * kComplex;
  std::int64_t const product = toeplitz_spectrum_size<T>(s.matrix) * std::int64_t{sizeof(T)} +
                               toeplitz_work_bytes<T>(s.matrix, batch, s.threads);
  // What F^H d works with is given back before the solve.
  return std::max(always + product + std::max(encoding, plan + solve), plan + toeplitz_build_bytes<T>(s, o));
}

template <class T>
std::int64_t frame_bytes(Size const& s, ReconOptions const& o) {
  constexpr std::int64_t kComplex = sizeof(std::complex<T>);
  std::int64_t const map_bytes = s.coils * s.voxels * std::int64_t{sizeof(std::complex<float>)};
  std::int64_t const density = s.samples * std::int64_t{sizeof(double)};
  std::int64_t held = s.maps_needed ? s.coils * s.voxels * kComplex : 0;
  std::int64_t estimating = 0;
  if (s.maps_needed && !s.maps_given) {
    held += density;
    estimating = density + 2 * map_bytes + s.voxels * std::int64_t{sizeof(std::complex<double>)} +
                 nufft_bytes<double>(s.samples, s.matrix, 1, s.threads, {});
  }
  std::int64_t working = 0;
  if (o.method == Method::cg) working = cg_bytes<T>(s, o);
  if (o.method == Method::ifft) working = 2 * s.coils * s.voxels * kComplex + s.coils * s.samples * kComplex;
  if (o.method == Method::gridding || o.method == Method::adjoint) {
    std::int64_t const batch = o.method == Method::adjoint && !s.maps_needed ? 1 : s.coils;
    working = density + s.coils * (s.samples + s.voxels) * kComplex +
              nufft_bytes<T>(s.samples, s.matrix, batch, s.threads, o.nufft);
  }
  return std::max(estimating, held + working);
}

bool iterates_density(Dataset const& dataset, DensityKind kind) {
  if (kind == DensityKind::pipe_menon) return true;
  Frame const& frame = dataset.frames.front();
  return kind == DensityKind::automatic && frame.density.empty() &&
         !analytic_density_if_known(*frame.trajectory, dataset.matrix);
}

double seconds_of(auto const& work) {
  auto const start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Times of one transform of one coil: seconds = sample x M + cell x N log2 N.
struct Speed {
  double plan_sample = 0, sample = 0, cell = 0;
  double nufft(double samples, double voxels) const {
    return sample * samples + cell * voxels * std::log2(voxels + 2);
  }
};

/// The same transforms on a smaller image, timed: what this machine does with this kernel.
template <class T>
Speed time_nufft(Context const& context, Size const& s, ReconOptions const& o, int dims) {
  Matrix const small =
      dims == 3 ? Matrix{64, 64, std::clamp<std::int64_t>(s.matrix.z, 2, 64)} : Matrix{128, 128, 1};
  auto const run = [&](std::int64_t count, double& plan_seconds) {
    Trajectory k;
    k.dims = dims;
    for (int d = 0; d < dims; ++d) {
      for (std::int64_t m = 0; m < count; ++m) {  // low-discrepancy points: neither clustered nor in order
        double const u = std::fmod(0.5 + static_cast<double>(m + 1) * (d == 0   ? 0.8191725
                                                                       : d == 1 ? 0.6710436
                                                                                : 0.5497005),
                                   1.0);
        k[d].push_back((u - 0.5) * static_cast<double>(small[d]));
      }
    }
    std::unique_ptr<Nufft<T>> plan;
    plan_seconds = seconds_of([&] { plan = std::make_unique<Nufft<T>>(context, k, small, o.nufft); });
    std::int64_t const batch = std::min<std::int64_t>(s.coils, 8);
    Array<std::complex<T>> samples(sample_shape(batch, count)), image(small.shape(batch));
    plan->adjoint(context, samples, image);
    double best = 1e300;
    for (int i = 0; i < 3; ++i)
      best = std::min(best, seconds_of([&] { plan->adjoint(context, samples, image); }));
    return best / static_cast<double>(batch);
  };
  Speed speed;
  double plan_few = 0, plan_many = 0;
  constexpr std::int64_t kMany = 40000;
  double const few = run(64, plan_few), many = run(kMany, plan_many);
  double const voxels = static_cast<double>(small.voxels());
  speed.cell = few / (voxels * std::log2(voxels + 2));
  speed.sample = std::max(0.0, many - few) / kMany;
  speed.plan_sample = std::max(0.0, plan_many - plan_few) / kMany;
  return speed;
}

/// Time of one Toeplitz product of one coil, per cell of the doubled grid and log2.
template <class T>
double time_product(Context const& context, Size const& s, ReconOptions const& o, int dims) {
  Matrix const small =
      dims == 3 ? Matrix{64, 64, std::clamp<std::int64_t>(s.matrix.z, 2, 64)} : Matrix{128, 128, 1};
  Trajectory dc;
  dc.dims = dims;
  for (int d = 0; d < dims; ++d) dc[d] = {0.0};
  auto const kernel = std::make_shared<ToeplitzKernel<T> const>(context, dc, small, std::span<double const>{},
                                                                EncodingOptions{.nufft = o.nufft});
  ToeplitzNormal<T> const product(kernel);
  Array<std::complex<T>> x(small.shape()), z(small.shape());
  product.forward(context, x, z);
  double best = 1e300;
  for (int i = 0; i < 3; ++i) best = std::min(best, seconds_of([&] { product.forward(context, x, z); }));
  double const voxels = static_cast<double>(small.voxels());
  return best / (voxels * std::log2(voxels + 2));
}

/// Seconds of a pair of an exact sum on the processor, by a short one on all threads, of as many dimensions.
template <class T>
double time_pair(Context const& context, int dims) {
  Matrix const small = dims == 3 ? Matrix{32, 32, 32} : Matrix{128, 128, 1};
  Trajectory k;
  k.dims = dims;
  for (int d = 0; d < dims; ++d) k[d].assign(2048, 1.25 - d);
  std::vector<std::complex<double>> const d(k.kx.size(), 1.0);
  auto const sum = fhd_sum<T>(k, small, d);
  double best = 1e300;
  for (int i = 0; i < 3; ++i) best = std::min(best, fast_sum(context, FastSums{}, sum).seconds);
  return best / sum.pairs();
}

template <class T>
double estimate_seconds(Context const& context, Dataset const& dataset, Size const& s,
                        ReconOptions const& o) {
  int const dims = dataset.matrix.dims();
  auto const samples = static_cast<double>(s.samples), voxels = static_cast<double>(s.voxels);
  auto const coils = static_cast<double>(s.coils), frames = static_cast<double>(s.frames);
  auto const trajectories = static_cast<double>(s.trajectories);
  Speed const speed = time_nufft<T>(context, s, o, dims);
  double const nufft = speed.nufft(samples, voxels);
  double const transform =
      o.fhd == TransformKind::exact ? samples * voxels * time_pair<T>(context, dims) : nufft;
  double const doubled = voxels * (dims == 3 ? 8 : 4);
  double total = trajectories * speed.plan_sample * samples;
  bool const estimates_maps = s.maps_needed && !s.maps_given;
  if ((o.method == Method::gridding || estimates_maps) && iterates_density(dataset, o.density)) {
    total += trajectories * nufft * 2 * kPipeMenonIterations;
  }
  if (estimates_maps) {
    double const products =
        coils * coils * ((dims == 3 ? 27 : 9) / 2.0 + 8);  // covariance and power iterations
    total += frames * (coils * nufft + voxels * products * kProductSeconds / s.threads);
  }
  if (o.method == Method::gridding || o.method == Method::adjoint || o.method == Method::ifft) {
    return total + frames * coils * transform;
  }
  double const product = o.normal == NormalKind::nufft
                             ? 2 * transform
                             : time_product<T>(context, s, o, dims) * voxels * std::log2(voxels + 2);
  if (o.normal == NormalKind::toeplitz && o.q == TransformKind::nufft)
    total += trajectories * speed.nufft(samples, doubled);
  if (o.q == TransformKind::exact) {
    total +=
        trajectories * samples * static_cast<double>(q_sum_voxels(s.matrix)) * time_pair<T>(context, dims);
  }
  double const products = o.iterations + (o.lambda > 0 ? kEigenvalueProducts : 0);
  // Outside the product an iteration of cg reads or writes some 10 images, and each kept residual twice.
  double const passes = 10 + 2 * CgOptions{}.kept_residuals;
  constexpr double kBytesPerSecond = 16e9;
  double const solves = frames * (s.maps_needed ? 1 : coils);
  double const vectors = voxels * sizeof(std::complex<T>) * passes / kBytesPerSecond;
  return total + frames * coils * (transform + products * product) + solves * o.iterations * vectors;
}

}  // namespace

std::int64_t additional_bytes(Context const& context, Dataset const& dataset, ReconOptions const& options,
                              ReconInputs const& inputs) {
  Size const s = size_of(context, dataset, options, inputs);
  std::int64_t const images = s.volumes * s.voxels * std::int64_t{sizeof(std::complex<float>)};
  bool const whitens = options.whiten != WhitenKind::off && !dataset.noise.empty() && dataset.coils > 1;
  std::int64_t const copies =
      whitens ? s.frames * s.coils * s.samples * std::int64_t{sizeof(std::complex<float>)} : 0;
  std::int64_t const frame = options.precision == Precision::single ? frame_bytes<float>(s, options)
                                                                    : frame_bytes<double>(s, options);
  return images + copies + frame;
}

ReconEstimate estimate(Context const& context, Dataset const& dataset, ReconOptions const& given,
                       ReconInputs const& inputs) {
  ReconOptions const options = resolve_options(dataset, given, inputs);
  check_inputs(dataset, plan_stack(dataset), options, inputs);
  ReconEstimate result;
  std::int64_t const held = resident_memory_bytes();
  std::int64_t const peak_so_far = peak_memory_bytes();
  result.bytes =
      std::max(peak_so_far, held + kOtherBytes + additional_bytes(context, dataset, options, inputs));
  result.device_bytes = device_bytes(dataset, options, inputs);
  Size const s = size_of(context, dataset, options, inputs);
  // Compressing the images: some 30 MB/s of one core.
  double const write_seconds = static_cast<double>(s.volumes * s.voxels) * sizeof(float) / 30e6;
  result.seconds =
      kStartSeconds + write_seconds +
      (options.precision == Precision::single ? estimate_seconds<float>(context, dataset, s, options)
                                              : estimate_seconds<double>(context, dataset, s, options));
  return result;
}

}  // namespace findrho
