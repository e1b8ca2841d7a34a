// SPDX-License-Identifier: BSD-3-Clause
#include "recon_device.hpp"

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

/// Opening a session on a device takes about this long, and a CPU thread does so much of a Toeplitz product meanwhile.
constexpr double kOpenSeconds = 0.5;
constexpr double kVoxelSeconds = 25e-9;  // of one coil's product, on one Zen 4 core
constexpr double kPairSeconds = 5e-11;   // of an exact sum, the same

/// Pairs of F^H d and Q where they are exact sums.
double exact_pairs(Dataset const& dataset, ReconOptions const& options) {
  double const one = static_cast<double>(dataset.matrix.voxels()) *
                     static_cast<double>(dataset.frames.front().trajectory->size());
  double const frames = static_cast<double>(dataset.frames.size());
  double pairs = 0;
  if (options.fhd == TransformKind::exact) pairs += one * static_cast<double>(dataset.coils) * frames;
  if (options.q == TransformKind::exact) pairs += one * (dataset.matrix.dims() == 3 ? 4 : 2);
  return pairs;
}

bool pays(Context const& context, Dataset const& dataset, ReconOptions const& options) {
  bool const iterates =
      options.method == Method::cg || (options.method == Method::automatic && !dataset.cartesian);
  double const sums = exact_pairs(dataset, options) * kPairSeconds / context.threads();
  if (!iterates) return sums > kOpenSeconds;
  double const voxels = static_cast<double>(dataset.matrix.voxels() * dataset.coils) *
                        static_cast<double>(dataset.frames.size());
  return sums + voxels * options.iterations * kVoxelSeconds / context.threads() > kOpenSeconds;
}

bool of_the_device(ErrorKind kind) {
  return kind == ErrorKind::out_of_memory || kind == ErrorKind::device_fault ||
         kind == ErrorKind::no_device || kind == ErrorKind::not_built;
}

}  // namespace

std::optional<CudaSession> open_recon_device(App& app, Context const& context, Dataset const& dataset,
                                             ReconOptions const& options) {
  std::string const& asked = app.options.device;
  if (asked == "cpu") return {};
  bool const automatic = asked == "auto";
  if (automatic && !pays(context, dataset, options)) return {};
  CudaModule const module = load_cuda_module();
  try {
    DeviceChoice const choice = choose_device(asked, module);
    if (!choice.cuda) return {};
    CudaSession session = CudaSession::open(module, choice.index);
    context.note("computing on " + session.device().name);
    return session;
  } catch (Error const& error) {
    if (!automatic || !of_the_device(error.kind)) throw;
    context.note(std::string("computing on the CPU: ") + error.what());
    return {};
  }
}

ReconResult reconstruct_on(App& app, Context const& context, Dataset const& dataset, ReconOptions& options,
                           ReconInputs const& inputs) {
  try {
    return reconstruct(context, dataset, options, inputs);
  } catch (Error const& error) {
    bool const another_try = options.cuda && app.options.device == "auto" && of_the_device(error.kind);
    if (!another_try) throw;
    context.note(std::string("starting anew on the CPU: ") + error.what());
  }
  options.cuda.reset();
  return reconstruct(context, dataset, options, inputs);
}

std::string device_name(ReconOptions const& options) {
  return options.cuda ? "cuda:" + std::to_string(options.cuda->device().index) : "cpu";
}

}  // namespace findrho
