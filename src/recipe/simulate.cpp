// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/simulate.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/core/finite.hpp"
#include "findrho/core/memory.hpp"
#include "simulate_parts.hpp"

namespace findrho {
namespace {

enum NoiseStream : std::uint64_t { kScanNoise = 0, kNoiseReadout = 1 };

void check(SimulateOptions const& options) {
  auto const refuse = [](std::string const& what, std::string const& hint) {
    throw Error(ErrorKind::bad_option, what, hint);
  };
  if (!(options.snr >= 0) || !std::isfinite(options.snr)) {
    refuse(fmt::format("SNR is {:g}", options.snr), "give a finite number above 0, or 0 for no noise");
  }
  constexpr std::int64_t kMostSamples = 65535;  // of an MRD readout
  if (options.noise_samples < 0 || options.noise_samples > kMostSamples) {
    refuse(fmt::format("a noise readout of {} samples was asked for", options.noise_samples),
           fmt::format("give 1 to {}, or 0 for no noise readout", kMostSamples));
  }
  if (options.supersampling < 0) {
    refuse(fmt::format("supersampling is {}", options.supersampling), "give 1 or more, or 0 for the default");
  }
  if (options.noise_samples > 0 && options.snr == 0) {
    refuse(fmt::format("a noise readout of {} samples was asked for without noise", options.noise_samples),
           "give an SNR");
  }
  if (!(options.repetition_time_s >= 0)) {
    refuse(fmt::format("the repetition time is {:g} ms", options.repetition_time_s * 1e3),
           "give a time above 0, or 0 for the least that fits");
  }
  for (double const fov : options.fov_mm) {
    if (!(fov > 0) || !std::isfinite(fov))
      refuse(fmt::format("the field of view is {:g} mm", fov), "give lengths above 0");
  }
}

Array<std::complex<double>> maps_of(Context const& context, CoilArray const& coils, Matrix const& matrix) {
  if (coils.model == CoilModel::polynomial) return coil_maps(matrix, coils.polynomial);
  std::vector<std::array<double, 3>> points;
  for (std::int64_t n = 0; n < matrix.voxels(); ++n) {
    std::int64_t const index[] = {n % matrix.x, n / matrix.x % matrix.y, n / matrix.x / matrix.y};
    auto& r = points.emplace_back();
    for (std::size_t d = 0; d < 3; ++d) {
      std::int64_t const size = matrix[static_cast<int>(d)];
      r[d] = static_cast<double>(index[d] - size / 2) / static_cast<double>(size);
    }
  }
  auto const values = sensitivities_at(context, coils, points);
  Array<std::complex<double>> maps(matrix.shape(coils.coils()));
  std::copy_n(values.data(), values.size(), maps.data());
  return maps;
}

/// The time from shot to shot: as asked, with a warning where a readout does not fit into it.
double repetition_time(Context const& context, SimulateOptions const& options, Trajectory const& t) {
  double const readout = static_cast<double>(t.samples_per_readout) * dwell_s(options.trajectory);
  if (options.repetition_time_s == 0) return std::max(0.01, readout + 0.005);
  if (options.repetition_time_s < readout) {
    context.warn(fmt::format(
        "readouts of {:.4g} ms do not fit the repetition time of {:.4g} ms: the scan time is too short",
        readout * 1e3, options.repetition_time_s * 1e3));
  }
  return options.repetition_time_s;
}

/// Noise of the scan's coils, white or with the covariance that was asked for.
void add_coil_noise(Context const& context, SimulateOptions const& options, double sigma, NoiseStream stream,
                    View<std::complex<double>> samples) {
  if (options.noise_covariance) {
    add_noise(context, samples, sigma, *options.noise_covariance, options.seed, stream);
  } else {
    add_noise(context, samples, sigma, options.seed, stream);
  }
}

}  // namespace

void require_simulation_memory(SimulateOptions const& options, Trajectory const& t) {
  auto const samples = static_cast<double>(t.size()), voxels = static_cast<double>(options.matrix.voxels()),
             coils = static_cast<double>(options.coils);
  // The delayed trajectory and its times, samples in double and in single precision, the scan's own trajectory; the object
  // and the coils' maps.
  double const bytes = samples * (8.0 * t.dims + 4 + 24 * coils + 4.0 * t.dims) + voxels * 16 * (1 + coils);
  require_memory(bytes,
                 fmt::format("a simulation of {} samples, {} voxels and {} coil{} takes", t.size(),
                             options.matrix.voxels(), options.coils, options.coils == 1 ? "" : "s"),
                 "give a smaller matrix, fewer shots, samples or coils");
}

SimulatedScan simulate(Context const& context, SimulateOptions const& asked) {
  check(asked);
  SimulateOptions options = asked;
  Phase const phase(context, "simulate");
  Matrix const& matrix = options.matrix;
  SimulatedScan result;
  TrajectoryOptions trajectory = options.trajectory;
  set_fov(trajectory, options.fov_mm);
  result.trajectory = make_trajectory(matrix, trajectory);
  require_simulation_memory(options, result.trajectory);
  Trajectory const played = delayed(result.trajectory, options.delay);
  options.repetition_time_s = repetition_time(context, asked, result.trajectory);
  CoilArray const coils = make_coil_array(matrix.dims(), options.coils, options.coil_model);
  ReceivedSignal signal = receive(context, options, played, coils);
  result.truth = std::move(signal.truth);
  result.method = signal.method;
  result.maps = maps_of(context, coils, matrix);
  result.coil_fit_error = coils.model == CoilModel::polynomial ? polynomial_fit_error(context, coils) : 0;
  if (!options.field.zero()) result.field_hz = field_map_image(options.field, matrix);

  Array<std::complex<double>> noise;
  if (options.snr > 0) {
    result.noise_sigma = sample_noise_sigma(signal.mean_inside, options.snr, matrix);
    add_coil_noise(context, options, result.noise_sigma, kScanNoise, signal.samples);
  }
  if (options.noise_samples > 0) {
    noise = Array<std::complex<double>>(sample_shape(options.coils, options.noise_samples));
    add_coil_noise(context, options, result.noise_sigma, kNoiseReadout, noise);
  }
  result.shots = result.trajectory.size() / result.trajectory.samples_per_readout;
  result.scan_time_s = static_cast<double>(result.shots) * options.repetition_time_s;
  write_readouts(options, signal.samples, noise, result);
  std::vector<std::complex<float>> const& data = result.scan.data;
  if (first_non_finite(View<std::complex<float> const>(
          data.data(), {{Axis::other, static_cast<std::int64_t>(data.size())}}))) {
    throw Error(ErrorKind::bad_option, "the simulated samples leave single precision's range of 3.4e38",
                "densities, noise or motion are out of all proportion: look at the options for a slip");
  }
  return result;
}

}  // namespace findrho
