// SPDX-License-Identifier: BSD-3-Clause
// The topic "toeplitz": choice of the path, and the spectrum from Q's lags.
#include "backend/cuda/elements.hpp"
#include "backend/cuda/fft.hpp"
#include "operator/cuda/product.hpp"

namespace findrho::device {
namespace {

using Index = std::int64_t;

/// Lag i - N of each axis to its cyclic place; the lag -N is left out.
template <class T>
struct PlaceLags {
  Complex<T> const* lags;
  Complex<T>* grid;
  Index n[3], length[3];
  __device__ void operator()(Index i) const {
    Index rest = i, at = 0, step = 1;
    bool known = true;
    for (int d = 0; d < 3; ++d) {
      Index const g = rest % length[d], lag = g < n[d] ? g : g - length[d];
      rest /= length[d];
      if (length[d] == 1) continue;
      known = known && lag > -n[d];
      at += (lag + n[d]) * step;
      step *= 2 * n[d];
    }
    grid[i] = known ? lags[at] : Complex<T>{0, 0};
  }
};

template <class T>
struct RealPart {
  Complex<T> const* from;
  T* to;
  T scale;
  __device__ void operator()(Index i) const { to[i] = scale * from[i].x; }
};

class AnyProduct {
 public:
  virtual ~AnyProduct() = default;
  virtual void set_spectrum(void const* spectrum) = 0;
  virtual void set_lags(void const* lags) = 0;
  virtual void apply(void const* x, void const* maps, void* z, CudaForm const* form) = 0;
};

CudaToeplitzFacts choose(Session& session, CudaToeplitzRecord const& record) {
  if (record.path == CudaToeplitzRecord::fastest) {
    CudaToeplitzFacts const fused = describe_fused(session, record);
    if (fused.fused != 0) return fused;
  }
  return describe_plain(session, record);
}

template <class T>
class ProductOf final : public AnyProduct {
 public:
  ProductOf(Session& session, CudaToeplitzRecord const& record)
      : session_(session), record_(record), facts_(choose(session, record)) {
    product_ = facts_.fused != 0 ? make_fused<T>(session, record) : make_plain<T>(session, record);
  }
  void set_spectrum(void const* spectrum) override {
    product_->set_spectrum(static_cast<T const*>(spectrum));
  }

  void set_lags(void const* lags) override {
    Index const cells = facts_.grid[0] * facts_.grid[1] * facts_.grid[2];
    Buffer<Complex<T>> grid(session_, static_cast<std::size_t>(cells));
    PlaceLags<T> place{static_cast<Complex<T> const*>(lags), grid.get(), {}, {}};
    for (int d = 0; d < 3; ++d) {
      place.n[d] = record_.n[d];
      place.length[d] = facts_.grid[d];
    }
    launch_elements(session_.stream, cells, place);
    CufftPlan(session_, fft_record(3, facts_.grid, 1, sizeof(T) == sizeof(double)))
        .run(grid.get(), CUFFT_FORWARD);
    Buffer<T> spectrum(session_, static_cast<std::size_t>(cells));
    launch_elements(session_.stream, cells,
                    RealPart<T>{grid.get(), spectrum.get(), static_cast<T>(1 / static_cast<double>(cells))});
    product_->set_spectrum(spectrum.get());
    session_.stream.synchronize();
  }

  void apply(void const* x, void const* maps, void* z, CudaForm const* form) override {
    if (maps == nullptr && record_.coils > 1) {
      throw ModuleFailure(CudaFault::bad_argument, "a product of several coils needs their maps");
    }
    product_->apply(static_cast<Complex<T> const*>(x), static_cast<Complex<T> const*>(maps),
                    static_cast<Complex<T>*>(z), form);
  }

 private:
  Session& session_;
  CudaToeplitzRecord record_;
  CudaToeplitzFacts facts_;
  std::unique_ptr<Product<T>> product_;
};

void check(CudaToeplitzRecord const& r) {
  bool sound = r.coils >= 1;
  for (long long n : r.n) sound = sound && n >= 1 && n <= 8192;
  if (!sound)
    throw ModuleFailure(CudaFault::bad_argument, "a product for no coils, or for an axis beyond 1..8192");
}

int describe(void* session, CudaToeplitzRecord const* record, CudaToeplitzFacts* facts, CudaFault* fault) {
  return guarded(fault, [&] {
    check(*record);
    *facts = choose(*static_cast<Session*>(session), *record);
  });
}
int open(void* session, CudaToeplitzRecord const* record, void** product, CudaFault* fault) {
  return guarded(fault, [&] {
    check(*record);
    Session& s = *static_cast<Session*>(session);
    *product = record->double_precision != 0 ? static_cast<AnyProduct*>(new ProductOf<double>(s, *record))
                                             : static_cast<AnyProduct*>(new ProductOf<float>(s, *record));
  });
}
void close(void* product) {
  delete static_cast<AnyProduct*>(product);
}
int set_spectrum(void* product, void const* spectrum, CudaFault* fault) {
  return guarded(fault, [&] { static_cast<AnyProduct*>(product)->set_spectrum(spectrum); });
}
int set_lags(void* product, void const* lags, CudaFault* fault) {
  return guarded(fault, [&] { static_cast<AnyProduct*>(product)->set_lags(lags); });
}
int apply(void* product, void const* x, void const* maps, void* z, CudaForm const* form, CudaFault* fault) {
  return guarded(fault, [&] { static_cast<AnyProduct*>(product)->apply(x, maps, z, form); });
}
constexpr CudaToeplitzTable kTable{describe, open, close, set_spectrum, set_lags, apply};

}  // namespace
}  // namespace findrho::device

FINDRHO_EXPORT void const* findrho_cuda_topic_toeplitz(int version) {
  return version == findrho::CudaToeplitzTable::kVersion ? &findrho::device::kTable : nullptr;
}
