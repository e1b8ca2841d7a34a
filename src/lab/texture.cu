// SPDX-License-Identifier: BSD-3-Clause
// Texture objects: reads by coordinate, with clamping, wrapping and linear interpolation in hardware, from an array
// that is stored so that neighbours in both directions are near. Beside them the same walks through global memory.
#include "lab/device_sum.hpp"
#include "lab/gpu_experiments.hpp"

namespace findrho {
namespace {

/// A float image as a CUDA array, and the texture over it.
class ImageTexture {
 public:
  ImageTexture(Gpu const& gpu, float const* image, std::size_t width, std::size_t height,
               cudaTextureFilterMode filter, cudaTextureAddressMode edge, bool normalized) {
    cudaChannelFormatDesc const format = cudaCreateChannelDesc<float>();
    FINDRHO_CHECK(cudaMallocArray(&array_, &format, width, height));
    std::size_t const row = width * sizeof(float);
    FINDRHO_CHECK(cudaMemcpy2DToArrayAsync(array_, 0, 0, image, row, row, std::max<std::size_t>(height, 1),
                                           cudaMemcpyDeviceToDevice, gpu.session.stream));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array_;
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = edge;
    description.filterMode = filter;
    description.readMode = cudaReadModeElementType;
    description.normalizedCoords = normalized ? 1 : 0;
    FINDRHO_CHECK(cudaCreateTextureObject(&texture_, &resource, &description, nullptr));
    gpu.session.stream.synchronize();
  }
  ~ImageTexture() {
    cudaDestroyTextureObject(texture_);
    cudaFreeArray(array_);
  }
  ImageTexture(ImageTexture const&) = delete;
  ImageTexture& operator=(ImageTexture const&) = delete;
  operator cudaTextureObject_t() const { return texture_; }

 private:
  cudaArray_t array_ = nullptr;
  cudaTextureObject_t texture_ = 0;
};

enum class Walk { row, column, diagonal };

/// Thread i of line j visits a square image of n x n along the walk; n is a power of two.
FINDRHO_HD void place(Walk walk, int i, int j, int n, int& x, int& y) {
  x = walk == Walk::row ? i : walk == Walk::column ? j : (i + j) & (n - 1);
  y = walk == Walk::row ? j : i;
}

struct FromTexture {
  cudaTextureObject_t texture;
  __device__ unsigned operator()(int x, int y) const {
    return __float_as_uint(tex2D<float>(texture, static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f));
  }
};
struct FromGlobal {
  float const* image;
  int n;
  __device__ unsigned operator()(int x, int y) const {
    return __float_as_uint(image[static_cast<std::size_t>(y) * n + x]);
  }
};

template <class Read>
__global__ void __launch_bounds__(256) walk_image(Read read, Walk walk, int n, int log2_n, unsigned* sum) {
  add_over_block(sum, sum_of_reads(blockIdx.x * std::size_t{256 * 8 * 8}, static_cast<std::size_t>(n) * n, 8,
                                   [&](std::size_t p) {
                                     int x, y;
                                     place(walk, static_cast<int>(p) & (n - 1), static_cast<int>(p >> log2_n),
                                           n, x, y);
                                     return read(x, y);
                                   }));
}

/// out(x, y) = the image at ((x + 1/2) / scale, (y + 1/2) / scale), in units of texels.
__global__ void scale_by_texture(cudaTextureObject_t texture, float* out, int n_out, float step) {
  int const x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  if (x >= n_out || y >= n_out) return;
  out[static_cast<std::size_t>(y) * n_out + x] =
      tex2D<float>(texture, (static_cast<float>(x) + 0.5f) * step, (static_cast<float>(y) + 0.5f) * step);
}

/// The same in float arithmetic: what the hardware's 8-bit fractions are measured against.
FINDRHO_HD float interpolate(float const* image, int n, float u, float v) {
  float const x = u - 0.5f, y = v - 0.5f, fx = floorf(x), fy = floorf(y), a = x - fx, b = y - fy;
  auto const at = [&](int i, int j) {
    i = i < 0 ? 0 : i >= n ? n - 1 : i;
    j = j < 0 ? 0 : j >= n ? n - 1 : j;
    return image[static_cast<std::size_t>(j) * n + i];
  };
  int const i = static_cast<int>(fx), j = static_cast<int>(fy);
  return (1 - b) * ((1 - a) * at(i, j) + a * at(i + 1, j)) +
         b * ((1 - a) * at(i, j + 1) + a * at(i + 1, j + 1));
}

__global__ void scale_by_arithmetic(float const* image, int n, float* out, int n_out, float step) {
  int const x = static_cast<int>(blockIdx.x * 32 + threadIdx.x),
            y = static_cast<int>(blockIdx.y * 8 + threadIdx.y);
  if (x >= n_out || y >= n_out) return;
  out[static_cast<std::size_t>(y) * n_out + x] =
      interpolate(image, n, (static_cast<float>(x) + 0.5f) * step, (static_cast<float>(y) + 0.5f) * step);
}

__global__ void sample_edges(cudaTextureObject_t texture, float const* u, float* out, int count) {
  int const i = static_cast<int>(threadIdx.x);
  if (i < count) out[i] = tex2D<float>(texture, u[i], 0.5f);
}

/// A function of one variable from a table of 1024 entries: the hardware's linear interpolation, and the function.
constexpr int kTableSize = 1024;
FINDRHO_HD float window_function(float t) {  // on [0, 1]
  return expf(8 * (sqrtf(1 - t * t) - 1));
}
template <class Evaluate>
__global__ void evaluate_window(Evaluate evaluate, float* out, std::size_t count) {
  for (std::size_t i = grid_index(); i < count; i += grid_size()) {
    float sum = 0;
#pragma unroll
    for (int k = 0; k < 16; ++k)
      sum += evaluate((static_cast<float>(mixed(i) >> 8) * (1.0f / (1 << 24)) + k) * (1.0f / 16));
    out[i] = sum;
  }
}
struct WindowByTexture {
  cudaTextureObject_t texture;
  __device__ float operator()(float t) const {
    return tex2D<float>(texture, t * (kTableSize - 1) + 0.5f, 0.5f);
  }
};
struct WindowByArithmetic {
  __device__ float operator()(float t) const { return window_function(t); }
};

void walks(Gpu const& gpu, float const* image, int n) {
  ImageTexture const texture(gpu, image, static_cast<std::size_t>(n), static_cast<std::size_t>(n),
                             cudaFilterModePoint, cudaAddressModeClamp, false);
  Buffer<unsigned> sum(gpu.session, 1);
  std::uint32_t expected = 0;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n) * n; ++i) {
    float const v = mixed_float(i);
    std::uint32_t bits = 0;
    static_assert(sizeof(bits) == sizeof(v));
    std::copy_n(reinterpret_cast<char const*>(&v), sizeof(v), reinterpret_cast<char*>(&bits));
    expected += bits;
  }
  double const bytes = 4.0 * n * n;
  int log2_n = 0;
  while (1 << log2_n < n) ++log2_n;
  double const l2_like = gpu.copy_rate();
  auto const measure = [&](std::string const& variant, Walk walk, auto const& read, double predicted,
                           std::string const& reason) {
    auto const launch = [&] {
      walk_image<<<static_cast<unsigned>(static_cast<std::size_t>(n) * n / (256 * 64)), 256, 0,
                   gpu.session.stream>>>(read, walk, n, log2_n, sum.get());
      check_launch("walk_image");
    };
    sum.fill(0);
    launch();
    gpu.out.verify_equal("sum, " + variant, sum.download()[0], expected);
    double const rate = bytes / gpu.seconds(launch);
    gpu.out.row(
        {.variant = variant,
         .values = {{"read", "GB/s", rate / 1e9}},
         .predicted = predicted / 1e9,
         .tolerance = 0.6,
         .reason = reason,
         .note =
             "reads that miss their line share it with other warps in the L2 cache, more than was assumed"});
  };
  FromGlobal const global{image, n};
  measure("global, along rows", Walk::row, global, l2_like, "coalesced");
  measure("global, along columns", Walk::column, global, l2_like / 8, "every lane its own sector");
  measure("global, along diagonals", Walk::diagonal, global, l2_like / 8,
          "every lane its own row, so its own sector");
  measure("texture, along rows", Walk::row, FromTexture{texture}, l2_like / 2,
          "the texture unit answers a quarter of a warp a cycle");
  measure("texture, along columns", Walk::column, FromTexture{texture}, l2_like / 2,
          "the array is stored in small squares: a column touches few of them");
  measure("texture, along diagonals", Walk::diagonal, FromTexture{texture}, l2_like / 4,
          "a diagonal touches more squares");
}

void scaling(Gpu const& gpu, float const* image, int n) {
  int const n_out = n * 3 / 2;
  float const step = static_cast<float>(n) / static_cast<float>(n_out);
  ImageTexture const texture(gpu, image, static_cast<std::size_t>(n), static_cast<std::size_t>(n),
                             cudaFilterModeLinear, cudaAddressModeClamp, false);
  Buffer<float> out(gpu.session, static_cast<std::size_t>(n_out) * n_out);
  std::vector<float> host(static_cast<std::size_t>(n) * n);
  for (std::size_t i = 0; i < host.size(); ++i) host[i] = mixed_float(i);
  dim3 const blocks(static_cast<unsigned>((n_out + 31) / 32), static_cast<unsigned>((n_out + 7) / 8));
  double rates[2];
  for (bool const hardware : {true, false}) {
    auto const launch = [&] {
      if (hardware) {
        scale_by_texture<<<blocks, dim3(32, 8), 0, gpu.session.stream>>>(texture, out.get(), n_out, step);
      } else {
        scale_by_arithmetic<<<blocks, dim3(32, 8), 0, gpu.session.stream>>>(image, n, out.get(), n_out, step);
      }
      check_launch("image scaling");
    };
    out.fill(0xff);
    launch();
    auto const result = out.download();
    double worst = 0;
    for (int y = 0; y < n_out; ++y) {
      for (int x = 0; x < n_out; ++x) {
        float const expected = interpolate(host.data(), n, (static_cast<float>(x) + 0.5f) * step,
                                           (static_cast<float>(y) + 0.5f) * step);
        double const error =
            std::abs(static_cast<double>(result[static_cast<std::size_t>(y) * n_out + x]) - expected);
        keep_worst(worst, error);
      }
    }
    // The hardware rounds each of the two fractions to 1/256: off by 1/512, times a difference of neighbours of up
    // to 2 each. In float, coordinates up to n carry n eps / 2 into the fraction.
    double const bound = hardware ? 2 * 2.0 / 512 + 1e-5 : 8.0 * n_out * 6e-8;
    std::string const variant = hardware ? "image scaled by 3/2, texture" : "image scaled by 3/2, arithmetic";
    gpu.out.verify("largest difference, " + variant, worst, bound);
    double const rate = static_cast<double>(n_out) * n_out / gpu.seconds(launch);
    rates[hardware ? 0 : 1] = rate;
    gpu.out.row({.variant = variant,
                 .values = {{"pixels", "1e9/s", rate / 1e9}, {"largest error", "", worst}},
                 .predicted = gpu.figures.multiprocessors * gpu.figures.clock_hz * (hardware ? 1 : 1.5) / 1e9,
                 .tolerance = 1.0,
                 .reason = hardware ? "texels of 32 bits are blended at a quarter of the unit's four a cycle"
                                    : "four cached reads and about forty instructions a pixel",
                 .note = "the written pixels go to memory at its own pace"});
  }
  gpu.out.remark("hardware interpolation is " + brief(rates[0] / rates[1]) +
                 " times as fast, with fractions of 8 bits");
}

/// Clamp, wrap and normalised coordinates at and beyond the edges, against their definition.
void edges(Gpu const& gpu) {
  constexpr int kWidth = 8, kCount = 16;
  std::vector<float> row(kWidth), u(kCount);
  for (int i = 0; i < kWidth; ++i) row[static_cast<std::size_t>(i)] = static_cast<float>(i * i);
  for (int i = 0; i < kCount; ++i)
    u[static_cast<std::size_t>(i)] = static_cast<float>(i) - 3.5f;  // centres of texels -4 .. 11
  Buffer<float> const image(gpu.session, row);
  auto const sampled = [&](cudaTextureAddressMode mode, bool normalized) {
    std::vector<float> coordinates = u;
    if (normalized) {
      for (float& c : coordinates) c /= kWidth;
    }
    ImageTexture const texture(gpu, image.get(), kWidth, 1, cudaFilterModePoint, mode, normalized);
    Buffer<float> const where(gpu.session, coordinates);
    Buffer<float> out(gpu.session, kCount);
    sample_edges<<<1, 32, 0, gpu.session.stream>>>(texture, where.get(), out.get(), kCount);
    check_launch("sample_edges");
    return out.download();
  };
  auto const wrong = [&](std::vector<float> const& result, bool wrap) {
    std::uint64_t count = 0;
    for (int i = 0; i < kCount; ++i) {
      int const texel = i - 4;
      int const expected = wrap ? (texel + kWidth) % kWidth : std::min(std::max(texel, 0), kWidth - 1);
      count += result[static_cast<std::size_t>(i)] != row[static_cast<std::size_t>(expected)] ? 1 : 0;
    }
    return count;
  };
  gpu.out.verify_equal("wrong texels, clamped", wrong(sampled(cudaAddressModeClamp, false), false), 0);
  gpu.out.verify_equal("wrong texels, clamped, normalised", wrong(sampled(cudaAddressModeClamp, true), false),
                       0);
  gpu.out.verify_equal("wrong texels, wrapped (needs normalised coordinates)",
                       wrong(sampled(cudaAddressModeWrap, true), true), 0);
}

void function_table(Gpu const& gpu) {
  std::vector<float> table(kTableSize);
  for (int i = 0; i < kTableSize; ++i)
    table[static_cast<std::size_t>(i)] = window_function(static_cast<float>(i) / (kTableSize - 1));
  Buffer<float> const device_table(gpu.session, table);
  ImageTexture const texture(gpu, device_table.get(), kTableSize, 1, cudaFilterModeLinear,
                             cudaAddressModeClamp, false);
  std::size_t const count = gpu.choose(1 << 24, 1 << 14);
  Buffer<float> out(gpu.session, count);
  double seconds[2];
  double errors[2];
  for (int by_texture = 0; by_texture < 2; ++by_texture) {
    auto const launch = [&] {
      if (by_texture == 1) {
        evaluate_window<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(WindowByTexture{texture},
                                                                              out.get(), count);
      } else {
        evaluate_window<<<gpu.filling_blocks(), 256, 0, gpu.session.stream>>>(WindowByArithmetic{}, out.get(),
                                                                              count);
      }
      check_launch("evaluate_window");
    };
    launch();
    auto const result = out.download();
    double worst = 0;
    for (std::size_t i = 0; i < count; i += count / 1024) {
      double sum = 0;
      for (int k = 0; k < 16; ++k) {
        double const t = ((mixed(i) >> 8) / double{1 << 24} + k) / 16;
        sum += std::exp(8 * (std::sqrt(1 - t * t) - 1));
      }
      double const error = std::abs(sum - static_cast<double>(result[i]));
      keep_worst(worst, error);
    }
    std::string const variant = by_texture == 1 ? "function table, texture" : "function, arithmetic";
    // Table: 16 values, slope up to 8 an entry's 1/1023, fractions rounded to 1/512; near t = 1 the function bends
    // sharply, which the last entries miss by less than their own size exp(-8 (1 - sqrt(2/1023))).
    gpu.out.verify("largest difference, " + variant, worst,
                   by_texture == 1 ? 16 * 8.0 / 1023 / 512 + 1e-3 : 1e-5);
    seconds[by_texture] = gpu.seconds(launch);
    errors[by_texture] = worst;
    double const rate = 16.0 * static_cast<double>(count) / seconds[by_texture];
    gpu.out.row(
        {.variant = variant,
         .values = {{"values", "1e9/s", rate / 1e9}, {"largest error of a sum of 16", "", worst}},
         .predicted = gpu.figures.multiprocessors * gpu.figures.clock_hz * (by_texture == 1 ? 1 : 5) / 1e9,
         .tolerance = 0.6,
         .reason = by_texture == 1
                       ? "entries of 32 bits are blended at a quarter of the unit's four lookups a cycle"
                       : "square root and exponential take the special function units, about 25 instructions",
         .note = "the exact forms of square root and exponential take more instructions than was assumed"});
  }
  double const gain = seconds[0] / seconds[1];
  gpu.out.answer(
      "Textures beyond images? As tables of functions, with interpolation for nothing: 1024 entries give a "
      "window function " +
      brief(gain) + " times as fast as its formula, at an error of " + brief(errors[1], 2) + " against " +
      brief(errors[0], 2) + " for a sum of 16" +
      (gain < 1 ? "; it pays only for functions that take more than about " + brief(25 / gain, 2) +
                      " instructions."
                : "."));
}

}  // namespace

void gpu_texture(Gpu const& gpu) {
  int const n = gpu.small ? 512 : 8192;
  Buffer<float> image(gpu.session, static_cast<std::size_t>(n) * n);
  gpu.fill_mixed(image.get(), image.count());
  edges(gpu);
  walks(gpu, image.get(), n);
  scaling(gpu, image.get(), gpu.small ? 256 : 2048);
  function_table(gpu);
  gpu.out.advice(
      "take textures for walks in two directions and for interpolation that may be 8 bits coarse; for rows, "
      "global loads are as fast");
}

}  // namespace findrho
