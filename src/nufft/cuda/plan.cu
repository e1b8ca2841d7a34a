// SPDX-License-Identifier: BSD-3-Clause
// The topic "nufft": passes over the coils, spread -> FFT and crop, pad and FFT -> interpolate.
#include "nufft/cuda/plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace findrho::nufft {
namespace {

CudaNufftRecord const& checked(CudaNufftRecord const& r) {
  auto const refuse = [](std::string const& what) { throw ModuleFailure(CudaFault::bad_argument, what); };
  if (r.width > kMostWidth || r.degree > kMostDegree)
    refuse("a kernel of width " + std::to_string(r.width) + " and degree " + std::to_string(r.degree));
  if (r.samples > std::numeric_limits<int>::max() / 2)
    refuse(std::to_string(r.samples) + " samples are more than 2^30");
  double cells = 1;
  for (long long const g : r.grid) {
    if (g > 65534) refuse("a grid of " + std::to_string(g) + " cells along an axis is larger than 65534");
    cells *= static_cast<double>(g);
  }
  if (cells > 8e9) refuse("a grid of more than 8e9 cells");
  return r;
}

template <class T>
std::vector<T> factors(CudaNufftRecord const& r) {
  std::vector<T> all;
  for (int d = 0; d < 3; ++d) {
    for (long long n = 0; n < r.matrix[d]; ++n)
      all.push_back(d < r.dims ? static_cast<T>(r.deapodisation[d][n]) : T(1));
  }
  return all;
}

/// Factors in device memory. Their upload waits, so they are kept for the next plan that has the same.
template <class T>
std::shared_ptr<Buffer<T>> kept_factors(Session& session, CudaNufftRecord const& r) {
  std::vector<T> const all = factors<T>(r);
  std::string const key = "factors of " + std::to_string(sizeof(T)) + " bytes " +
                          std::string(reinterpret_cast<char const*>(all.data()), all.size() * sizeof(T));
  return session.keep<Buffer<T>>(key, [&] { return std::make_shared<Buffer<T>>(session, all); });
}

/// Coils that one launch of spread or interpolate takes when `left` remain.
template <class T>
int group(int left) {
  int g = kMostCoils<T>;
  while (g > left) g /= 2;
  return g;
}

}  // namespace

template <class T>
Plan<T>::Plan(Session& session, CudaNufftRecord const& r)
    : session_(session),
      dims_(r.dims),
      matrix_{r.matrix[0], r.matrix[1], r.matrix[2]},
      grid_bytes_(r.grid_bytes),
      spreading_(r.spreading),
      tiles_(tile_grid(r.dims, r.width, checked(r).grid)),
      kernel_(r),
      sorted_(session, tiles_, r),
      factor_(kept_factors<T>(session, r)) {
  if (sizeof(T) == sizeof(float) && BoxTransform::fits(tiles_))
    transform_ = BoxTransform::of(session, tiles_);
}

template <class T>
long long Plan<T>::voxels() const {
  return matrix_[0] * matrix_[1] * matrix_[2];
}
template <class T>
std::int64_t Plan<T>::cells() const {
  return static_cast<std::int64_t>(tiles_.grid[0]) * tiles_.grid[1] * tiles_.grid[2];
}

template <class T>
int Plan<T>::pass(long long coils) const {
  long long const fit = grid_bytes_ / (cells() * static_cast<long long>(sizeof(C)));
  return static_cast<int>(std::min(coils, std::max(1LL, fit)));
}

template <class T>
CudaFftRecord Plan<T>::fft_record(int coils) const {
  return findrho::fft_record(dims_, tiles_.grid, coils, sizeof(T) == sizeof(double));
}

template <class T>
CufftPlan& Plan<T>::fft(int coils) {
  std::unique_ptr<CufftPlan>& plan = ffts_[coils];
  if (!plan) plan = std::make_unique<CufftPlan>(session_, fft_record(coils));
  return *plan;
}

/// Whether boxes are used, where at least so many samples a filled bin make them pay for their way through memory.
template <class T>
bool Plan<T>::by_samples(double least) const {
  if (sizeof(T) != sizeof(float) || tiles_.width > kWidestBox || spreading_ == CudaNufftRecord::by_tiles)
    return false;
  return spreading_ == CudaNufftRecord::by_samples || sorted_.view().count >= least * sorted_.filled_bins();
}

/// Measured on one H200. In 3D a tile's sums serve up to eight coils at once, boxes two: with one coil
/// tiles won at 21 samples a bin and boxes at 36, with eight tiles at 58 and boxes at 175.
template <class T>
bool Plan<T>::scatters(int coils) const {
  return by_samples(dims_ == 2 ? 12 : coils == 1 ? 30 : coils < 4 ? 48 : 100);
}
template <class T>
bool Plan<T>::collects() const {
  return by_samples(24);
}

/// Coils whose boxes are joined together, so that they stay in the L2 cache: pairs, and one at least.
template <class T>
int Plan<T>::scatter_coils(int coils) const {
  if (coils == 1) return 1;
  std::size_t const pair =
      static_cast<std::size_t>(sorted_.pieces().count) * box_elements(tiles_, 2) * sizeof(C);
  return std::min(coils,
                  2 * static_cast<int>(std::max<std::size_t>(kCached / std::max<std::size_t>(pair, 1), 1)));
}

template <class T>
std::size_t Plan<T>::slots_for(int coils) const {
  if (!scatters(coils))
    return static_cast<std::size_t>(sorted_.slot_count()) * slot_elements(group<T>(coils));
  return static_cast<std::size_t>(sorted_.pieces().count) * box_elements(tiles_, scatter_coils(coils));
}

/// Enough for any number of coils up to this one: fewer may go by boxes where more go by tiles.
template <class T>
std::size_t Plan<T>::slots_up_to(int coils) const {
  return std::max({slots_for(1), slots_for(std::min(coils, 3)), slots_for(coils)});
}

template <class T>
void Plan<T>::reserve(long long coils) {
  if (coils < 1) return;
  int const most = pass(coils);
  auto const grow = [&](std::unique_ptr<Buffer<C>>& buffer, std::size_t elements) {
    if (buffer && buffer->count() >= elements) return;
    buffer.reset();  // first, so that both need not fit
    buffer = std::make_unique<Buffer<C>>(session_, elements);
  };
  grow(grid_, static_cast<std::size_t>(cells()) * static_cast<std::size_t>(most));
  grow(slots_, slots_up_to(most));
  int const rest = static_cast<int>(coils % most);
  if (transform_) return;
  fft(most);
  if (rest > 0) fft(rest);
}

/// Calls f(first coil, coils) for each pass over the grid.
template <class T>
template <class F>
void Plan<T>::each_pass(long long coils, F const& f) {
  reserve(coils);
  long long const most = pass(coils);
  for (long long first = 0; first < coils; first += most)
    f(first, static_cast<int>(std::min(most, coils - first)));
}

template <class T>
BoxesJob Plan<T>::boxes_job(Pieces const&, int) const {
  throw ModuleFailure(CudaFault::bad_argument, "boxes are of single precision");
}
template <>
BoxesJob Plan<float>::boxes_job(Pieces const& pieces, int coils) const {
  return {tiles_,       sorted_.view(), kernel_,      pieces.list,   pieces.first,
          pieces.count, nullptr,        grid_->get(), slots_->get(), coils};
}

template <class T>
void Plan<T>::collect_pass(C*, int, int) {}
template <>
void Plan<float>::collect_pass(float2* samples, int coils, int add) {
  collect(session_.stream, boxes_job(sorted_.readings(), coils), samples, add);
}

template <class T>
void Plan<T>::scatter_pass(C const*, int) {}
template <>
void Plan<float>::scatter_pass(float2 const* samples, int coils) {
  int const together = scatter_coils(coils);
  BoxesJob job = boxes_job(sorted_.pieces(), together);
  job.values = samples;
  for (int left = coils; left > 0; left -= together) {
    job.coils = std::min(left, together);
    scatter(session_.stream, job);
    job.values += static_cast<std::int64_t>(job.coils) * job.samples.count;
    job.grid += job.coils * cells();
  }
}

template <class T>
void Plan<T>::spread_pass(C const* samples, int coils) {
  if (scatters(coils)) return scatter_pass(samples, coils);
  SpreadJob<T> job{.tiles = tiles_,
                   .samples = sorted_.view(),
                   .kernel = kernel_,
                   .parts = sorted_.parts(),
                   .split = sorted_.split_tiles(),
                   .part_count = sorted_.part_count(),
                   .split_count = sorted_.split_count(),
                   .values = samples,
                   .grid = grid_->get(),
                   .slots = slots_->get()};
  for (int left = coils; left > 0;) {
    int const n = group<T>(left);
    spread<T>(session_.stream, job, n);
    job.values += static_cast<std::int64_t>(n) * job.samples.count;
    job.grid += n * cells();
    left -= n;
  }
}

template <class T>
void Plan<T>::interpolate_pass(C* samples, int coils, int add) {
  if (collects()) return collect_pass(samples, coils, add);
  InterpolateJob<T> job{tiles_, sorted_.view(), kernel_, grid_->get(), samples, add};
  for (int left = coils; left > 0;) {
    // Samples of one region read the same cells: those of all coils must stay in the L2 cache.
    auto const cached = static_cast<int>(kCached / (static_cast<std::size_t>(cells()) * sizeof(C)));
    int const n = group<T>(std::clamp(cached, 1, left));
    interpolate<T>(session_.stream, job, n);
    job.values += static_cast<std::int64_t>(n) * job.samples.count;
    job.grid += n * cells();
    left -= n;
  }
}

template <class T>
BoxJob<T> Plan<T>::box_job(C* image, C const* maps, int coils, int add) const {
  BoxJob<T> job{};
  T const* factor = factor_->get();
  for (int d = 0; d < 3; ++d) {
    job.box[d] = static_cast<int>(matrix_[d]);
    job.grid[d] = tiles_.grid[d];
    job.factor[d] = factor;
    factor += matrix_[d];
  }
  job.image = image;
  job.maps = maps;
  job.cells = grid_->get();
  job.coils = coils;
  job.add = add;
  return job;
}

template <class T>
void Plan<T>::to_grid(BoxJob<T> const& job) {
  if constexpr (sizeof(T) == sizeof(float)) {
    if (transform_) return transform_->to_grid(job);
  }
  pad<T>(session_.stream, job);
  fft(job.coils).run(grid_->get(), CUFFT_FORWARD);
}
template <class T>
void Plan<T>::to_image(BoxJob<T> const& job) {
  if constexpr (sizeof(T) == sizeof(float)) {
    if (transform_) return transform_->to_image(job);
  }
  fft(job.coils).run(grid_->get(), CUFFT_INVERSE);
  crop<T>(session_.stream, job);
}

template <class T>
void Plan<T>::forward(void const* image, void const* maps, void* samples, long long coils, int add) {
  each_pass(coils, [&](long long first, int n) {
    // With maps there is one image for all coils. It is only read.
    C* const from = static_cast<C*>(const_cast<void*>(image)) + (maps == nullptr ? first * voxels() : 0);
    C const* const map = maps == nullptr ? nullptr : static_cast<C const*>(maps) + first * voxels();
    to_grid(box_job(from, map, n, 0));
    interpolate_pass(static_cast<C*>(samples) + first * sorted_.view().count, n, add);
  });
}

template <class T>
void Plan<T>::adjoint(void const* samples, void const* maps, void* image, long long coils, int add) {
  each_pass(coils, [&](long long first, int n) {
    spread_pass(static_cast<C const*>(samples) + first * sorted_.view().count, n);
    C const* const map = maps == nullptr ? nullptr : static_cast<C const*>(maps) + first * voxels();
    C* const to = static_cast<C*>(image) + (maps == nullptr ? first * voxels() : 0);
    to_image(box_job(to, map, n, add != 0 || (maps != nullptr && first > 0) ? 1 : 0));
  });
}

template <class T>
long long Plan<T>::bytes(long long coils) {
  int const most = pass(std::max(coils, 1LL)), rest = static_cast<int>(coils % most);
  std::size_t bytes = sorted_.bytes() + factor_->bytes() +
                      (static_cast<std::size_t>(cells() * most) + slots_up_to(most)) * sizeof(C);
  if (!transform_) {
    bytes += CufftPlan::work_bytes(session_, fft_record(most));
    if (rest > 0) bytes += CufftPlan::work_bytes(session_, fft_record(rest));
  }
  return static_cast<long long>(std::max(bytes, sorted_.most_bytes()));
}

template class Plan<float>;
template class Plan<double>;

namespace {

AnyPlan& as_plan(void* plan) {
  return *static_cast<AnyPlan*>(plan);
}
int open(void* session, CudaNufftRecord const* record, void** plan, CudaFault* fault) {
  return guarded(fault, [&] {
    Session& s = *static_cast<Session*>(session);
    *plan = record->double_precision != 0 ? static_cast<AnyPlan*>(new Plan<double>(s, *record))
                                          : static_cast<AnyPlan*>(new Plan<float>(s, *record));
  });
}
void close(void* plan) {
  delete static_cast<AnyPlan*>(plan);
}
int reserve(void* plan, long long coils, CudaFault* fault) {
  return guarded(fault, [&] { as_plan(plan).reserve(coils); });
}
int forward(void* plan, void const* image, void const* maps, void* samples, long long coils, int add,
            CudaFault* fault) {
  return guarded(fault, [&] { as_plan(plan).forward(image, maps, samples, coils, add); });
}
int adjoint(void* plan, void const* samples, void const* maps, void* image, long long coils, int add,
            CudaFault* fault) {
  return guarded(fault, [&] { as_plan(plan).adjoint(samples, maps, image, coils, add); });
}
int bytes(void* plan, long long coils, long long* result, CudaFault* fault) {
  return guarded(fault, [&] { *result = as_plan(plan).bytes(coils); });
}
int spectrum(void* plan, void const* weights, double const* slowest_k, long long const* grid, double scale,
             void* result, CudaFault* fault) {
  return guarded(fault, [&] { as_plan(plan).spectrum(weights, slowest_k, grid, scale, result); });
}
int spectrum_bytes(void* plan, long long const* grid, long long* result, CudaFault* fault) {
  return guarded(fault, [&] { *result = as_plan(plan).spectrum_bytes(grid); });
}
int pipe_menon(void* plan, float* weights, int iterations, CudaFault* fault) {
  return guarded(fault, [&] { as_plan(plan).pipe_menon(weights, iterations); });
}
int normalise(void* plan, double const* const k[3], float* weights, CudaFault* fault) {
  return guarded(fault, [&] { as_plan(plan).normalise(k, weights); });
}
constexpr CudaNufftTable kTable{open,  close,    reserve,        forward,    adjoint,
                                bytes, spectrum, spectrum_bytes, pipe_menon, normalise};

}  // namespace
}  // namespace findrho::nufft

FINDRHO_EXPORT void const* findrho_cuda_topic_nufft(int version) {
  return version == findrho::CudaNufftTable::kVersion ? &findrho::nufft::kTable : nullptr;
}
