// SPDX-License-Identifier: BSD-3-Clause
#include "recon_device.hpp"

#include "findrho/core/error.hpp"

namespace findrho {
namespace {

/// Opening a session on a device takes about this long, and a CPU thread does so much of a Toeplitz product meanwhile.
constexpr double kOpenSeconds = 0.5;
constexpr double kVoxelSeconds = 25e-9;  // of one coil's product, on one Zen 4 core

bool pays(Context const& context, Dataset const& dataset, ReconOptions const& options) {
  bool const iterates =
      options.method == Method::cg || (options.method == Method::automatic && !dataset.cartesian);
  if (!iterates) return false;
  double const voxels = static_cast<double>(dataset.matrix.voxels() * dataset.coils) *
                        static_cast<double>(dataset.frames.size());
  return voxels * options.iterations * kVoxelSeconds / context.threads() > kOpenSeconds;
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
