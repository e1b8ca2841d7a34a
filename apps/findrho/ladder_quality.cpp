// SPDX-License-Identifier: BSD-3-Clause
// Samples come from the phantom's k-space in closed form, not from a discrete forward sum, so that no inverse crime
// flatters anybody; the reference is the phantom averaged over each voxel.
#include "ladder_quality.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "axis_numbers.hpp"
#include "findrho/core/error.hpp"
#include "findrho/io/montage.hpp"
#include "findrho/quality/compare.hpp"
#include "findrho/recipe/recon.hpp"
#include "grey_stack.hpp"
#include "ladder_recon.hpp"
#include "progress.hpp"

namespace findrho {
namespace {

using Image = Array<std::complex<float>>;

struct Row {
  std::string name;
  Image image;
  double psnr_db = 0, seconds = 0, scan_time_s = 0;
  double from_double = NAN;  // relative l2 distance from the reconstruction in double
  double scale = 1;          // that the comparison fitted
  double lambda = -1;        // absolute
  std::optional<Rung> rung;  // of the exact rows
  bool cuda = false, fitted = false;
};

class QualityRun {
 public:
  QualityRun(Context const& context, QualityOptions const& options, std::optional<CudaSession> const& session)
      : context_(context), options_(options), session_(session) {}

  Row recipe(std::string name, PhantomScan const& scan, ReconOptions o, bool fitted = false) const {
    o.lambda = options_.lambda;
    o.iterations = options_.iterations;
    Row row;
    row.name = std::move(name);
    row.fitted = fitted;
    auto const start = std::chrono::steady_clock::now();
    ReconResult const result = reconstruct(context_, scan.dataset, o);
    row.seconds = since(start);
    row.image = copy(slab(View<std::complex<float> const>(result.images), 0));
    return judged(std::move(row), scan);
  }

  /// F^H d and Q by one rung, then cg on the CPU in the rung's precision. The same lambda as `like`, so that only the
  /// arithmetic differs: the search for the largest eigenvalue stops at 1 %.
  template <class T>
  Row exact(std::string name, PhantomScan const& scan, Rung rung, bool cuda,
            Row const* like = nullptr) const {
    Row row;
    row.name = std::move(name);
    row.rung = rung;
    row.cuda = cuda;
    RungPlace const place{
        rung,
        {.block_size = 256, .chunk = 1024, .unroll = 2, .per_thread = 4, .memory = SampleMemory::shared},
        cuda ? &*session_ : nullptr};
    auto const start = std::chrono::steady_clock::now();
    ExactRecon result = reconstruct_by_rung<T>(context_, scan, place,
                                               {.lambda = options_.lambda,
                                                .lambda_absolute = like == nullptr ? -1 : like->lambda,
                                                .iterations = options_.iterations});
    row.lambda = result.lambda_absolute;
    row.seconds = since(start);
    row.image = std::move(result.image);
    return judged(std::move(row), scan);
  }

 private:
  static double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  static Row judged(Row row, PhantomScan const& scan) {
    Array<float> const image = magnitude(row.image);
    CompareOptions options;
    if (row.fitted) options.scale_fit = ScaleFit::least_squares;
    Quality const quality =
        compare_images(View<float const>(image.data(), scan.truth.shape()), scan.truth, options);
    row.psnr_db = quality.psnr_db;
    row.scale = quality.scale;
    row.scan_time_s = scan.scan_time_s;
    return row;
  }

  Context const& context_;
  QualityOptions const& options_;
  std::optional<CudaSession> const& session_;
};

ReconOptions with(Method method, DensityKind density = DensityKind::automatic) {
  ReconOptions o;
  o.method = method;
  o.density = density;
  return o;
}

/// The textbook's baseline: a triangle of two cells, no oversampling.
ReconOptions bilinear_gridding(DensityKind density) {
  ReconOptions o = with(Method::gridding, density);
  o.nufft.oversampling = 1;
  o.nufft.kernel = GriddingKernel::bilinear;
  return o;
}

std::string table(std::vector<Row> const& rows) {
  std::string text = fmt::format("{:<52} {:>9} {:>12} {:>11} {:>10}\n", "reconstruction", "PSNR [dB]",
                                 "from double", "scan time", "recon");
  for (Row const& row : rows) {
    text +=
        fmt::format("{:<52} {:>9.2f} {:>12} {:>11} {:>10}\n", row.name + (row.fitted ? ", scale fitted" : ""),
                    row.psnr_db, std::isnan(row.from_double) ? "-" : fmt::format("{:.1e}", row.from_double),
                    duration_text(row.scan_time_s), duration_text(row.seconds));
  }
  return text;
}

/// The fastest rung within the loss that the application accepts.
std::string choice(std::vector<Row> const& rows, double max_loss_db) {
  double exact = 0;
  Row const* chosen = nullptr;
  for (Row const& row : rows) {
    if (!row.rung) continue;
    if (exact == 0) exact = row.psnr_db;
    if (exact - row.psnr_db <= max_loss_db && (chosen == nullptr || row.seconds < chosen->seconds))
      chosen = &row;
  }
  return fmt::format("With at most {:g} dB lost against double, {} is the choice: {:.3f} dB lost.\n",
                     max_loss_db, chosen->name, exact - chosen->psnr_db);
}

/// Images, each with its distance from the double reconstruction beside it, enlarged by a stated power of ten.
void write_picture(std::string const& path, std::vector<Row> const& rows, Row const& in_double,
                   PhantomScan const& scan) {
  std::vector<Array<float>> kept;
  std::vector<PanelImage> panel;
  auto const slice = [](Array<float> const& a) {
    return View<float const>(a.data(), a.shape().without_slowest());
  };
  Window const window = percentile_window({slice(scan.truth)});
  kept.reserve(2 * rows.size());
  panel.push_back({slice(scan.truth), "phantom"});
  for (Row const& row : rows) {
    kept.push_back(magnitude(row.image));
    for (float& v : kept.back()) v *= static_cast<float>(row.scale);
    panel.push_back({slice(kept.back()), fmt::format("{}\nPSNR {:.1f} dB", row.name, row.psnr_db)});
    if (!row.rung || &row == &in_double) continue;
    Array<float> difference(row.image.shape());
    double sum_sq = 0;
    for (std::int64_t i = 0; i < difference.size(); ++i) {
      difference[i] = std::abs(row.image[i] - in_double.image[i]);
      sum_sq += static_cast<double>(difference[i]) * difference[i];
    }
    double const rms = std::sqrt(sum_sq / static_cast<double>(difference.size()));
    double const factor = std::pow(10, std::floor(std::log10(window.high / std::max(rms, 1e-30))));
    for (float& v : difference) v *= static_cast<float>(factor);
    kept.push_back(std::move(difference));
    panel.push_back({slice(kept.back()), fmt::format("its distance from double\nx {:g}", factor)});
  }
  std::vector<GreyImage> lines;
  constexpr std::size_t kAcross = 5;
  for (std::size_t i = 0; i < panel.size(); i += kAcross) {
    std::vector<PanelImage> const line(
        panel.begin() + static_cast<std::ptrdiff_t>(i),
        panel.begin() + static_cast<std::ptrdiff_t>(std::min(i + kAcross, panel.size())));
    lines.push_back(make_panel(line, {.window = window, .least_width = 192}));
  }
  write_png(path, stacked(lines, 0));
}

}  // namespace

std::string quality_tables(Context const& context, QualityOptions const& o,
                           std::optional<CudaSession> const& session) {
  auto const n = per_axis<std::int64_t>(o.size, "--size");
  Matrix const matrix{.x = n[0], .y = n[1], .z = 1};
  if (n[2] > 1) throw Error(ErrorKind::bad_option, "--quality compares a 2D image", "give --size 128x128");
  QualityRun const run(context, o, session);
  auto const scan = [&](TrajectoryOptions trajectory) {
    return scan_phantom(context, matrix, std::move(trajectory), o.snr, o.seed);
  };
  PhantomScan const cartesian = scan(CartesianOptions{}), spiral = scan(Spiral2dOptions{}),
                    radial = scan(Radial2dOptions{}), rosette = scan(RosetteOptions{});

  std::vector<Row> rows;
  rows.push_back(run.recipe("Cartesian, FFT", cartesian, with(Method::ifft)));
  rows.push_back(run.exact<double>("spiral, iterative, CPU double", spiral, Rung::gather_vector, false));
  std::size_t const in_double = rows.size() - 1;
  rows.reserve(rows.size() + 8);  // `like` points into it
  Row const* const like = &rows[in_double];
  rows.push_back(run.exact<float>("spiral, iterative, CPU single", spiral, Rung::gather_vector, false, like));
  if (session) {
    rows.push_back(
        run.exact<float>("spiral, iterative, GPU single", spiral, Rung::gather_constant_padded, true, like));
    rows.push_back(
        run.exact<float>("spiral, iterative, GPU hardware trig", spiral, Rung::gather_fast_trig, true, like));
    rows.push_back(run.exact<float>("spiral, iterative, GPU tuned", spiral, Rung::tuned, true, like));
  }
  for (Row& row : rows) {
    if (row.rung) row.from_double = distance(row.image, rows[in_double].image);
  }
  rows.push_back(run.recipe("spiral, bilinear gridding, no weights", spiral,
                            bilinear_gridding(DensityKind::none), true));
  rows.push_back(
      run.recipe("spiral, bilinear gridding, weights", spiral, bilinear_gridding(DensityKind::automatic)));
  rows.push_back(run.recipe("spiral, Kaiser-Bessel gridding, weights", spiral, with(Method::gridding)));

  std::vector<Row> routes;
  routes.push_back(run.recipe("Cartesian, FFT", cartesian, with(Method::ifft)));
  routes.push_back(run.recipe("spiral, gridding", spiral, with(Method::gridding)));
  routes.push_back(run.exact<float>("spiral, iterative", spiral, Rung::gather_vector, false));
  routes.push_back(run.recipe("radial, gridding", radial, with(Method::gridding)));
  routes.push_back(run.exact<float>("radial, iterative", radial, Rung::gather_vector, false));
  routes.push_back(run.recipe("rosette, gridding", rosette, with(Method::gridding)));
  routes.push_back(run.exact<float>("rosette, iterative", rosette, Rung::gather_vector, false));

  if (!o.picture.empty()) write_picture(o.picture, rows, rows[in_double], spiral);
  return fmt::format(
             "{} x {} phantom, SNR {:g}, lambda {:g}, {} iterations; samples from its closed-form "
             "k-space\n\n",
             matrix.x, matrix.y, o.snr, o.lambda, o.iterations) +
         table(rows) +
         "\nThe textbook's figures: double 27.6 dB, single 27.6, hardware trigonometry 27.5, bilinear "
         "gridding 16.8.\n" +
         choice(rows, o.max_psnr_loss_db) + "\nRoutes from scanner to image\n" + table(routes);
}

}  // namespace findrho
