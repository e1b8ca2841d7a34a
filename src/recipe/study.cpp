// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/study.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <numeric>
#include <set>

#include "findrho/core/error.hpp"
#include "findrho/quality/compare.hpp"
#include "findrho/recipe/prepare.hpp"
#include "findrho/recipe/psf.hpp"
#include "simulate_parts.hpp"

namespace findrho {
namespace {

using Image = Array<std::complex<float>>;

// The unit that simulate() writes: nothing has to be told from how far the samples reach.
PrepareOptions const kOwnUnits{.units = TrajectoryUnits::cycles_per_fov};

/// One combination, and the scans that it needs.
class StudyCase {
 public:
  StudyCase(Context const& context, StudyOptions const& study, StudyTrajectory const& trajectory, double snr,
            StudyMotion const& motion)
      : context_(context), study_(study), scan_options_(study.scan) {
    scan_options_.trajectory = trajectory.options;
    scan_options_.snr = snr;
    scan_options_.motion = motion.motion;
    scan_ = simulate(context, scan_options_);
    dataset_ = prepare(context, scan_.scan, kOwnUnits);
    maps_ = convert<std::complex<float>>(View<std::complex<double> const>(scan_.maps));
    row_.trajectory = trajectory.name;
    row_.motion = motion.name;
    row_.snr = snr;
    row_.shots = scan_.shots;
    row_.samples = scan_.trajectory.size();
    row_.scan_time_s = scan_.scan_time_s;
  }

  StudyRow run(Method method) {
    row_.method = method == Method::gridding && dataset_.cartesian ? Method::ifft : method;
    auto const start = std::chrono::steady_clock::now();
    Image const image = reconstructed(dataset_);
    row_.recon_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    double const scale = judge(image);
    row_.noise_gain = scale * noise_gain(image);
    row_.image = magnitude(image);
    for (float& value : row_.image) value *= static_cast<float>(scale);
    return std::move(row_);
  }

 private:
  Image reconstructed(Dataset const& dataset) const {
    ReconOptions options = study_.recon;
    options.method = row_.method;
    ReconInputs inputs;
    if (dataset.coils > 1) {
      options.coils = CoilMode::sense;
      inputs.maps = maps_;
    }
    ReconResult const result = reconstruct(context_, dataset, options, inputs);
    return copy(slab(View<std::complex<float> const>(result.images), 0));
  }

  /// Returns the factor to the truth's units: F^H d alone is not in them.
  double judge(Image const& image) {
    Array<float> truth(scan_.truth.shape());
    for (std::int64_t n = 0; n < truth.size(); ++n) truth[n] = static_cast<float>(std::abs(scan_.truth[n]));
    auto const fit = row_.method == Method::adjoint ? ScaleFit::least_squares : ScaleFit::none;
    Quality const quality = compare_images(magnitude(image), truth, {.scale_fit = fit});
    row_.psnr_db = quality.psnr_db;
    row_.ssim = quality.ssim;
    return quality.scale;
  }

  // Both images hold noise: their difference has twice the variance of one, split over two real components.
  double noise_gain(Image const& image) {
    if (scan_options_.snr == 0) return NAN;
    scan_options_.seed += 1;
    Dataset const other = prepare(context_, simulate(context_, scan_options_).scan, kOwnUnits);
    Image const again = reconstructed(other);
    std::int64_t const voxels = image.size(), coils = scan_.maps.size() / voxels;
    double sum = 0;
    std::int64_t inside = 0;
    for (std::int64_t n = 0; n < voxels; ++n) {
      if (scan_.truth[n] == 0.0) continue;
      double sensitivity_sq = 0;
      for (std::int64_t c = 0; c < coils; ++c) sensitivity_sq += std::norm(scan_.maps[c * voxels + n]);
      sum += std::norm(image[n] - again[n]) / 4 * sensitivity_sq;
      ++inside;
    }
    double const samples = static_cast<double>(row_.samples);
    return std::sqrt(sum / static_cast<double>(inside) * samples) / scan_.noise_sigma;
  }

  Context const& context_;
  StudyOptions const& study_;
  SimulateOptions scan_options_;
  SimulatedScan scan_;
  Dataset dataset_;
  Image maps_;
  StudyRow row_;
};

Trajectory generated(StudyTrajectory const& trajectory, SimulateOptions const& scan) {
  TrajectoryOptions options = trajectory.options;
  set_fov(options, scan.fov_mm);
  return make_trajectory(scan.matrix, options);
}

double mean_width(PsfFacts const& psf, int dims) {
  return std::accumulate(psf.fwhm_voxels.begin(), psf.fwhm_voxels.begin() + dims, 0.0) / dims;
}

/// One of each at least, and none twice: its rows would be the same.
void check_names(std::string const& what, std::vector<std::string> const& names) {
  if (names.empty()) throw Error(ErrorKind::bad_option, "the study names no " + what, "name at least one");
  std::set<std::string> seen;
  for (std::string const& name : names) {
    if (seen.insert(name).second) continue;
    throw Error(ErrorKind::bad_option, fmt::format("the {} {} is named twice", what, name), "name it once");
  }
}

void check(StudyOptions const& options) {
  auto const names = [](auto const& all, auto const& name) {
    std::vector<std::string> result;
    for (auto const& one : all) result.push_back(name(one));
    return result;
  };
  check_names("trajectory", names(options.trajectories, [](auto const& t) { return t.name; }));
  check_names("method", names(options.methods, method_name));
  check_names("SNR", names(options.snrs, [](double snr) { return fmt::format("{}", snr); }));
  check_names("motion", names(options.motions, [](auto const& m) { return m.name; }));
}

}  // namespace

std::string method_name(Method method) {
  switch (method) {
    case Method::automatic:
      return "auto";
    case Method::ifft:
      return "ifft";
    case Method::gridding:
      return "gridding";
    case Method::adjoint:
      return "adjoint";
    case Method::cg:
      return "cg";
  }
  return "";
}

std::vector<StudyRow> run_study(Context const& context, StudyOptions const& options) {
  check(options);
  Context inner = context;
  std::set<std::string> warned;
  inner.set_event_sink([&](Event const& event) {
    if (event.type == Event::Type::warning && warned.insert(event.text).second) context.emit(event);
  });
  std::vector<StudyRow> rows;
  for (StudyTrajectory const& trajectory : options.trajectories) {
    Trajectory const t = generated(trajectory, options.scan);
    require_simulation_memory(options.scan, t);
    PsfFacts const psf = psf_of(inner, t, options.scan.matrix,
                                density_of(inner, t, options.scan.matrix, DensityKind::automatic));
    for (Method const method : options.methods) {
      for (double const snr : options.snrs) {
        for (StudyMotion const& motion : options.motions) {
          StudyCase one(inner, options, trajectory, snr, motion);
          rows.push_back(one.run(method));
          context.throw_if_cancelled();
          StudyRow& row = rows.back();
          row.psf_width = mean_width(psf, t.dims);
          row.psf_side_lobe = psf.side_lobe;
          context.note(
              fmt::format("{}, {}: PSNR {:.2f} dB", row.trajectory, method_name(row.method), row.psnr_db));
        }
      }
    }
  }
  return rows;
}

}  // namespace findrho
