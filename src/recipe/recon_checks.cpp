// SPDX-License-Identifier: BSD-3-Clause
#include "recon_checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "estimate.hpp"
#include "findrho/core/error.hpp"
#include "findrho/core/finite.hpp"
#include "findrho/core/memory.hpp"

namespace findrho {
namespace {

std::string mebibytes(std::int64_t bytes) {
  return std::to_string(bytes >> 20) + " MiB";
}

void refuse(bool wrong, std::string const& what, std::string const& hint) {
  if (wrong) throw Error(ErrorKind::bad_option, what, hint);
}

/// Fits an image of the scan's matrix, or the whole stack of slices.
void check_image_shape(Shape const& shape, Dataset const& dataset, StackPlan const& stack,
                       std::string const& what) {
  Matrix const& m = dataset.matrix;
  std::int64_t const z = shape.extent(Axis::z);
  if (shape.extent(Axis::x) == m.x && shape.extent(Axis::y) == m.y && (z == m.z || z == stack.matrix.z))
    return;
  throw Error(ErrorKind::bad_shape,
              what + " has shape (" + shape.str() + "), the image is z " + std::to_string(stack.matrix.z) +
                  " x y " + std::to_string(m.y) + " x x " + std::to_string(m.x),
              "give one of the image's size, or another --matrix");
}

/// "coil 2, z 5, y 4, x 3" of an element.
std::string index_text(Shape const& shape, std::int64_t element) {
  std::string text;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    std::string const index = std::to_string(element % shape[i].size);
    text = std::string(name(shape[i].axis)) + " " + index + (text.empty() ? "" : ", ") + text;
    element /= shape[i].size;
  }
  return text;
}

template <class T>
void check_values(View<T const> values, std::string const& what) {
  if (auto const bad = first_non_finite(values)) {
    throw Error(ErrorKind::bad_file,
                "NaN or infinity in " + what + ", first at " + index_text(values.shape, *bad),
                "make it anew, with 0 where nothing is known");
  }
  if (std::all_of(values.begin(), values.end(), [](T const& v) { return v == T(0); })) {
    throw Error(ErrorKind::bad_file, "nothing but zeros in " + what, "see whether it is the right file");
  }
}

/// CG amplifies the error of F and Q: 30 steps on a spiral of 48^2 with lambda 3e-4 turn 1e-3 into 34e-3 of the image, on
/// the measured brain into 5e-3. The transforms are planned finer by this (tests/recipe/recon_witness_test.cpp); up to 50
/// steps on the demo's spiral of 256^2 then stay below 1e-3, of which float's own rounding is the larger part.
constexpr double kCgMargin = 100;

double cg_accuracy(ReconOptions const& options) {
  double const finest = options.precision == Precision::single ? 1e-6 : 1e-12;  // Nufft refuses less
  double const asked = options.nufft.accuracy;
  return asked > finest ? std::max(asked / kCgMargin, finest) : asked;
}

}  // namespace

ReconOptions resolve_options(Dataset const& dataset, ReconOptions options, ReconInputs const& inputs) {
  bool const maps = inputs.maps.data != nullptr;
  if (options.method == Method::automatic) options.method = dataset.cartesian ? Method::ifft : Method::cg;
  if (options.coils == CoilMode::automatic) {
    bool const combines = options.method == Method::cg || options.method == Method::adjoint;
    options.coils = maps || (dataset.coils > 1 && combines) ? CoilMode::sense : CoilMode::rss;
  }
  if (dataset.coils == 1 && !maps) options.coils = CoilMode::rss;  // nothing to combine; the phase is kept
  refuse(options.method == Method::ifft && !dataset.cartesian, "ifft needs a Cartesian scan; this one is not",
         "use --method gridding or cg");
  refuse(maps && options.coils == CoilMode::rss,
         "root of sum of squares uses no sensitivity maps, but some were given",
         "leave --maps out, or use --coils sense");
  refuse(options.nufft.kernel == GriddingKernel::bilinear && options.method == Method::cg,
         "the bilinear kernel is for gridding: its error would stay in the solution",
         "use --kernel kaiser_bessel");
  bool const windowed = options.method == Method::ifft || options.method == Method::gridding;
  refuse(options.window != WindowKind::none && !windowed, "apodisation windows are for ifft and gridding",
         "leave --window out, or use --method gridding");
  bool const iterative = options.method == Method::cg;
  refuse(options.fhd == TransformKind::exact && !iterative && options.method != Method::adjoint,
         "the exact F^H d is for cg and adjoint", "leave --fhd out, or use --method cg");
  refuse(options.q == TransformKind::exact && (!iterative || options.normal != NormalKind::toeplitz),
         "the exact Q is for cg with the Toeplitz product",
         "leave --q out, or use --method cg --normal toeplitz");
  refuse(inputs.reference.data != nullptr && options.prior != PriorKind::edges,
         "a reference image was given, but the prior does not use it",
         "use --prior edges, or leave --reference out");
  refuse(!(options.lambda >= 0) || !std::isfinite(options.lambda),
         fmt::format("lambda is {}, it has to be 0 or more", options.lambda), "1e-4 to 1e-2 is usual");
  refuse(options.iterations < 1, fmt::format("the iteration limit is {}", options.iterations),
         "give 1 or more");
  refuse(!(options.tolerance >= 0), fmt::format("the tolerance is {}", options.tolerance), "give 0 or more");
  refuse(!(options.calibration_radius > 0),
         fmt::format("the calibration radius is {}", options.calibration_radius),
         "give some 8 to 24 cycles per FOV");
  double const finest =
      options.precision == Precision::single ? 1e-6 : 1e-16;  // exact sums reach double's rounding
  refuse(!(options.nufft.accuracy >= finest && options.nufft.accuracy < 1),
         fmt::format("accuracy {:g} is outside {:g} .. 1 for this precision", options.nufft.accuracy, finest),
         "1e-3 is usual; less than 1e-6 takes --precision double");
  if (options.method == Method::cg) options.nufft.accuracy = cg_accuracy(options);
  return options;
}

void check_inputs(Dataset const& dataset, StackPlan const& stack, ReconOptions const& options,
                  ReconInputs const& inputs) {
  if (inputs.maps.data != nullptr) {
    std::int64_t const coils = inputs.maps.shape.extent(Axis::coil);
    if (coils != dataset.coils) {
      throw Error(ErrorKind::bad_shape,
                  "the sensitivity maps have " + std::to_string(coils) + " coils, the scan has " +
                      std::to_string(dataset.coils),
                  "recompute the maps, or select coils with --coil-list");
    }
    check_image_shape(inputs.maps.shape.without_slowest(), dataset, stack, "the sensitivity maps");
    check_values(inputs.maps, "the sensitivity maps");
  }
  if (options.prior != PriorKind::edges) return;
  refuse(inputs.reference.data == nullptr, "the edges prior needs a reference image",
         "give one with --reference");
  check_image_shape(inputs.reference.shape, dataset, stack, "the reference image");
  check_values(inputs.reference, "the reference image");
}

void check_memory(Context const& context, Dataset const& dataset, ReconOptions const& options,
                  ReconInputs const& inputs) {
  std::int64_t const needed = additional_bytes(context, dataset, options, inputs);
  context.emit({.type = Event::Type::allocation, .text = "reconstruction", .bytes = needed});
  if (options.cuda) {
    std::int64_t const there = device_bytes(dataset, options, inputs);
    CudaSession::MemoryUse const use = options.cuda->memory_use();
    std::int64_t const free =
        use.device_free + use.pool_held - use.pool_used;  // the pool keeps what was freed
    if (there > free) {
      throw Error(ErrorKind::out_of_memory,
                  options.cuda->device().name + ": the reconstruction needs " + mebibytes(there) + ", " +
                      mebibytes(free) + " are free",
                  "use --device cpu, --precision single, a smaller --matrix or fewer coils (--coil-list)");
    }
  }
  std::int64_t const available = available_memory_bytes();
  if (needed <= available) return;
  throw Error(ErrorKind::out_of_memory,
              "the reconstruction needs " + mebibytes(needed) + " more memory, " + mebibytes(available) +
                  " are available",
              "use --precision single, a smaller --matrix, fewer coils (--coil-list) or --coils rss");
}

}  // namespace findrho
