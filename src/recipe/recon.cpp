// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/recon.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

#include "findrho/core/error.hpp"
#include "findrho/core/finite.hpp"
#include "frame_recon.hpp"
#include "recon_checks.hpp"
#include "stack.hpp"
#include "whiten.hpp"

namespace findrho {
namespace {

using Cf = std::complex<float>;

/// The maps of one slice out of the maps of a stack.
Array<Cf> slice_of_maps(View<Cf const> maps, Matrix const& matrix, std::int64_t z) {
  std::int64_t const coils = maps.shape.extent(Axis::coil), slices = maps.shape.extent(Axis::z);
  Array<Cf> result(matrix.shape(coils));
  std::int64_t const plane = matrix.x * matrix.y;
  for (std::int64_t c = 0; c < coils; ++c) {
    Cf const* from = maps.data + (c * slices + z) * plane;
    std::copy(from, from + plane, result.data() + c * plane);
  }
  return result;
}

/// Runs frame after frame in one precision.
template <class T>
class Runner {
 public:
  Runner(Context const& context, Dataset const& dataset, ReconOptions const& options,
         ReconInputs const& inputs)
      : context_(context), dataset_(dataset), inputs_(inputs), reconstructor_(context, dataset, options) {}

  void run(Frame const& frame, StackPlan::Place place, ReconResult& result) {
    Array<Cf> slice;
    View<Cf const> maps = inputs_.maps;
    bool const stacked = result.images.shape().extent(Axis::z) != dataset_.matrix.z;
    if (stacked && maps.data != nullptr && maps.shape.extent(Axis::z) > 1) {
      slice = slice_of_maps(maps, dataset_.matrix, place.z);
      maps = slice.view();
    }
    View<float const> reference = inputs_.reference;
    std::int64_t const voxels = dataset_.matrix.voxels();
    if (stacked && reference.data != nullptr && reference.shape.extent(Axis::z) > 1) {
      reference = {reference.data + place.z * voxels, dataset_.matrix.shape()};
    }
    View<Cf> const volume = slab(result.images.view(), place.volume);
    View<Cf> const image(volume.data + place.z * voxels, dataset_.matrix.shape());
    reconstructor_.reconstruct(frame, maps, reference, image, result.frames);
  }

 private:
  Context const& context_;
  Dataset const& dataset_;
  ReconInputs const& inputs_;
  FrameReconstructor<T> reconstructor_;
};

template <class T>
void run_all(Context const& context, Dataset const& dataset, ReconOptions const& options,
             ReconInputs const& inputs, StackPlan const& stack, ReconResult& result) {
  Runner<T> runner(context, dataset, options, inputs);
  std::size_t frames = 0;
  for (std::size_t i = 0; i < dataset.frames.size() && !context.cancelled(); ++i) {
    try {
      runner.run(dataset.frames[i], stack.places[i], result);
      ++frames;
    } catch (Error const& error) {
      if (error.kind != ErrorKind::cancelled) throw;  // an exact sum stops halfway; earlier frames are whole
    }
  }
  result.interrupted = context.cancelled();
  bool const begun = options.method == Method::cg
                         ? std::any_of(result.frames.begin(), result.frames.end(),
                                       [](FrameReport const& f) { return f.cg.iterations > 0; })
                         : frames > 0;
  if (!begun) context.throw_if_cancelled();  // rather than write an image of nothing but zeros
}

Dataset copy_with_samples(Dataset const& from) {
  Dataset to;
  to.source = from.source;
  to.matrix = from.matrix;
  to.cartesian = from.cartesian;
  to.encoded = from.encoded;
  to.encoded_to_image = from.encoded_to_image;
  to.coils = from.coils;
  to.dwell_s = from.dwell_s;
  for (Frame const& frame : from.frames) {
    to.frames.push_back(
        {frame.index, frame.geometry, frame.trajectory, copy(frame.samples.view()), frame.density});
  }
  return to;
}

/// Whitened copies of samples and maps, where whitening was asked for and a noise scan is there.
struct Whitened {
  std::optional<Dataset> dataset;
  Array<Cf> maps;
};

Whitened whiten(Context const& context, Dataset const& dataset, ReconOptions const& options,
                ReconInputs const& inputs) {
  Whitened result;
  std::int64_t const noise_samples = dataset.noise.empty() ? 0 : dataset.noise.shape().extent(Axis::sample);
  // A covariance of C coils has C^2 real parameters; ten samples for each make it good to a third.
  bool const enough = noise_samples >= 10 * dataset.coils * dataset.coils;
  if (options.whiten == WhitenKind::off || dataset.coils == 1) return result;
  if (options.whiten == WhitenKind::automatic && !enough) return result;
  if (noise_samples == 0) {
    throw Error(ErrorKind::bad_option, "whitening was asked for, but the scan has no noise readout",
                "leave --whiten on out");
  }
  Phase const phase(context, "whiten");
  NoiseWhitening const whitening(dataset.noise);
  result.dataset.emplace(copy_with_samples(dataset));
  for (Frame& frame : result.dataset->frames) whitening.apply(context, frame.samples);
  if (inputs.maps.data != nullptr) {
    result.maps = copy(inputs.maps);
    whitening.apply(context, result.maps);
  }
  context.note("coils whitened by " + std::to_string(noise_samples) + " noise samples");
  return result;
}

}  // namespace

ReconResult reconstruct(Context const& context, Dataset const& dataset, ReconOptions const& given,
                        ReconInputs const& given_inputs) {
  StackPlan const stack = plan_stack(dataset);
  ReconOptions const options = resolve_options(dataset, given, given_inputs);
  check_inputs(dataset, stack, options, given_inputs);
  check_memory(context, dataset, options, given_inputs);

  Whitened const whitened = whiten(context, dataset, options, given_inputs);
  Dataset const& data = whitened.dataset ? *whitened.dataset : dataset;
  ReconInputs inputs = given_inputs;
  if (!whitened.maps.empty()) inputs.maps = whitened.maps.view();

  ReconResult result;
  result.method = options.method;
  result.coils = options.coils;
  result.geometry = stack.geometry;
  result.volumes = stack.volumes;
  result.magnitude_only = options.coils == CoilMode::rss && dataset.coils > 1;
  result.images = Array<Cf>({{Axis::frame, static_cast<std::int64_t>(stack.volumes.size())},
                             {Axis::z, stack.matrix.z},
                             {Axis::y, stack.matrix.y},
                             {Axis::x, stack.matrix.x}});
  if (options.precision == Precision::single) {
    run_all<float>(context, data, options, inputs, stack, result);
  } else {
    run_all<double>(context, data, options, inputs, stack, result);
  }
  if (auto const bad = first_non_finite(result.images.view())) {
    throw Error(ErrorKind::bad_file,
                "the image has a value that is not finite at voxel " + std::to_string(*bad),
                "the samples' range is beyond single precision: try --precision double");
  }
  return result;
}

}  // namespace findrho
