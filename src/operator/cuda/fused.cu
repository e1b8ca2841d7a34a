// SPDX-License-Identifier: BSD-3-Clause
// The fused path: sizes of batch and slab, memory, tables, the order of Q.
#include "backend/cuda/elements.hpp"
#include "backend/cuda/launch.hpp"
#include "operator/cuda/pass_launch.hpp"
#include "operator/cuda/product.hpp"

namespace findrho::device {
namespace {

/// Of the L2 cache, what the grids of all lanes' slabs may take: Q streams through beside them.
constexpr double kCacheShare = 0.4;
constexpr int kLanes = 3;

int lanes_of(CudaToeplitzRecord const& r) {
  return r.lanes > 0 ? r.lanes : kLanes;
}

template <class T>
FusedShape shape_of(Session& session, CudaToeplitzRecord const& r) {
  FusedShape s{};
  for (int d = 0; d < 3; ++d) {
    s.n[d] = static_cast<int>(r.n[d]);
    s.length[d] = d == 2 && r.n[2] == 1 ? 1 : fused_length<T>(s.n[d]);
  }
  Index const coil_bytes = s.rows_size() * static_cast<Index>(sizeof(Complex<T>));
  s.coils = static_cast<int>(std::clamp<Index>(r.memory_bytes / std::max<Index>(coil_bytes, 1), 1, r.coils));
  s.slab = s.length[0];
  s.together = 1;
  if (!s.volume()) return s;
  s.planes = goes_by_planes<T>(s.length[1], s.length[2]) && r.slab <= 0 && has_clusters(session.device);
  if (s.planes) {
    s.together = s.coils;
    return s;
  }
  int cache = 0;
  FINDRHO_CHECK(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, session.device));
  Index const column = static_cast<Index>(s.length[1]) * s.n[2] * static_cast<Index>(sizeof(Complex<T>));
  Index const columns = std::max<Index>(static_cast<Index>(kCacheShare * cache) / (column * lanes_of(r)), 1);
  // Slabs of equal width, in whole tiles of columns.
  auto const slabs = static_cast<int>((s.length[0] + columns - 1) / columns);
  s.slab = std::min(s.length[0], ((s.length[0] + slabs - 1) / slabs + 15) / 16 * 16);
  s.together = static_cast<int>(std::clamp<Index>(columns / s.slab, 1, s.coils));
  if (r.slab > 0) s.slab = std::min(s.length[0], r.slab);
  if (r.together > 0) s.together = std::min(s.coils, r.together);
  return s;
}

template <class T>
class Fused final : public Product<T> {
 public:
  Fused(Session& session, CudaToeplitzRecord const& record)
      : session_(session),
        shape_(shape_of<T>(session, record)),
        coils_(static_cast<int>(record.coils)),
        rows_(session, static_cast<std::size_t>(shape_.rows_size() * shape_.coils)),
        passes_(session.stream, shape_.volume() && !shape_.planes ? lanes_of(record) : 0),
        slabs_(session, static_cast<std::size_t>(shape_.slab_size() * shape_.together * passes_.lanes())),
        spectrum_(session, static_cast<std::size_t>(shape_.spectrum_size())),
        turns_{turns(0), turns(1), turns(2)} {}

  void set_spectrum(T const* spectrum) override {
    if constexpr (kHasPlanes<T>) {
      if (shape_.planes) return set_spectrum_of_planes(spectrum);
    }
    Buffer<int> const y = places(1), z = places(2);
    launch_elements(session_.stream, shape_.spectrum_size(),
                    SortSpectrum<T>{spectrum,
                                    spectrum_.get(),
                                    y.get(),
                                    z.get(),
                                    {shape_.length[0], shape_.length[1], shape_.length[2]},
                                    shape_.slab,
                                    shape_.volume()});
  }

  void apply(Complex<T> const* x, Complex<T> const* maps, Complex<T>* z, CudaForm const* form) override {
    FusedMemory<T> const memory{
        rows_.get(), slabs_.get(), {turns_[0].get(), turns_[1].get(), turns_[2].get()}, spectrum_.get()};
    for (int first = 0; first < coils_; first += shape_.coils) {
      Complex<T> const* const batch = maps == nullptr ? nullptr : maps + first * shape_.voxels();
      int const coils = std::min(shape_.coils, coils_ - first);
      FormArguments<T> last{};
      if (form != nullptr && first + coils == coils_) last = {x, static_cast<T>(form->shift), form->parts};
      fused_product(passes_, shape_, memory, coils, x, batch, z, first == 0 ? Write::replace : Write::add,
                    last);
    }
  }

 private:
  /// One element for an axis of one voxel, which has no steps.
  Buffer<Complex<T>> turns(int d) {
    std::vector<Complex<T>> turns = line_turns<T>(shape_.length[d], typename FusedLengths<T>::Type{});
    if (turns.empty()) turns.push_back({1, 0});
    return {session_, turns};
  }
  Buffer<int> places(int d) {
    std::vector<int> frequency(static_cast<std::size_t>(shape_.length[d]));
    with_factors(shape_.length[d], typename FusedLengths<T>::Type{}, [&](auto factors) {
      for (std::size_t p = 0; p < frequency.size(); ++p) {
        frequency[p] = decltype(factors)::frequency(static_cast<int>(p));
      }
    });
    return {session_, frequency};
  }
  void set_spectrum_of_planes(T const* spectrum) {
    Buffer<int> const z = places(2);
    std::vector<int> frequency(static_cast<std::size_t>(shape_.length[1]));
    PlaneRuns runs{};
    with_factors(shape_.length[1], PlaneLengths{}, [&](auto factors) {
      using Shape = PlaneShape<T, decltype(factors)>;
      runs = {decltype(factors)::size, Shape::kLines, decltype(factors)::R3};
      for (std::size_t c = 0; c < frequency.size(); ++c) {
        frequency[c] = Shape::frequency(static_cast<int>(c));
      }
    });
    Buffer<int> const y(session_, frequency);
    SortPlanes<T> const sort{spectrum, spectrum_.get(), y.get(), z.get(), shape_.length[0], runs};
    launch_team<256>(session_.stream, sort.blocks(), sort);
  }

  Session& session_;
  FusedShape shape_;
  int coils_;
  Buffer<Complex<T>> rows_;
  LanePasses<T> passes_;
  Buffer<Complex<T>> slabs_;
  Buffer<T> spectrum_;
  Buffer<Complex<T>> turns_[3];
};

template <class T>
CudaToeplitzFacts facts_of(Session& session, CudaToeplitzRecord const& record) {
  FusedShape const s = shape_of<T>(session, record);
  for (int d = 0; d < 3; ++d) {
    if (s.length[d] == 0) return {};
  }
  Index const complex = s.rows_size() * s.coils + s.slab_size() * s.together * lanes_of(record);
  return {1,
          {s.length[0], s.length[1], s.length[2]},
          static_cast<long long>(complex * static_cast<Index>(sizeof(Complex<T>)) +
                                 s.spectrum_size() * static_cast<Index>(sizeof(T))),
          s.coils,
          s.slab,
          s.together,
          s.planes ? 1 : 0,
          form_parts<T>(s, static_cast<int>((record.coils - 1) % s.coils + 1))};
}

}  // namespace

CudaToeplitzFacts describe_fused(Session& session, CudaToeplitzRecord const& record) {
  return record.double_precision != 0 ? facts_of<double>(session, record) : facts_of<float>(session, record);
}

template <class T>
std::unique_ptr<Product<T>> make_fused(Session& session, CudaToeplitzRecord const& record) {
  return std::make_unique<Fused<T>>(session, record);
}
template std::unique_ptr<Product<float>> make_fused(Session&, CudaToeplitzRecord const&);
template std::unique_ptr<Product<double>> make_fused(Session&, CudaToeplitzRecord const&);

}  // namespace findrho::device
