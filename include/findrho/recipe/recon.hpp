// SPDX-License-Identifier: BSD-3-Clause
// A whole reconstruction: from a checked Dataset to image volumes and a report of how they came about.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/core/array.hpp"
#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/nufft/nufft.hpp"
#include "findrho/operator/encoding.hpp"
#include "findrho/solver/cg.hpp"

namespace findrho {

enum class Method {
  automatic,  // ifft for Cartesian scans, cg for all others
  ifft,       // zero-filled inverse FFT; Cartesian scans only
  gridding,   // density weights, convolution onto the grid, inverse FFT, deapodisation
  adjoint,    // F^H d, with or without density weights
  cg          // (F^H W_d F + lambda W^H W) rho = F^H W_d d
};
enum class CoilMode {
  automatic,  // sense with several coils for cg and adjoint, root of sum of squares for ifft and gridding
  sense,      // one image through sensitivity maps, given or estimated from the scan's own centre
  rss         // every coil by itself, then the root of the sum of squares
};
enum class PriorKind { identity, differences, edges };
enum class NormalKind { toeplitz, nufft };
enum class DensityKind { automatic, none, file, analytic, voronoi, pipe_menon };
enum class WindowKind { none, hann, hamming, gauss };
enum class WhitenKind { automatic, on, off };  // automatic: where the scan has a noise readout
enum class Precision { single, double_precision };

struct ReconOptions {
  Method method = Method::automatic;
  CoilMode coils = CoilMode::automatic;
  Precision precision = Precision::single;
  NufftOptions
      nufft;  // accuracy 1e-3, Kaiser-Bessel; for cg the accuracy of the image, F and Q are planned finer
  TransformKind fhd = TransformKind::nufft;      // of F^H d; with NormalKind::nufft of F, too
  TransformKind q = TransformKind::nufft;        // of Q, for NormalKind::toeplitz
  NormalKind normal = NormalKind::toeplitz;      // of F^H F
  DensityKind density = DensityKind::automatic;  // automatic: weights for gridding, none for cg and adjoint
  WindowKind window = WindowKind::none;          // ifft and gridding
  PriorKind prior = PriorKind::identity;
  double lambda = 3e-4;      // relative to lambda_max(F^H W_d F)
  double edge_scale = 0.05;  // of the edges prior: EdgeOptions::edge_scale
  int iterations = 50;
  double tolerance = 1e-4;                    // relative residual at which cg stops
  std::array<double, 3> shift_mm{0, 0, 0};    // moves the image content along x, y, z
  double calibration_radius = 12;             // cycles per FOV of the centre that sensitivity maps come from
  std::filesystem::path cache_folder;         // of Toeplitz kernels; empty: no cache
  WhitenKind whiten = WhitenKind::automatic;  // coil noise, by the scan's noise readouts
  std::uint64_t seed = 1;                     // of the start vector that lambda_max is found from
  std::optional<CudaSession> cuda = {};       // the device that computes; nothing: the CPU
};

/// Extra inputs, already read.
struct ReconInputs {
  View<std::complex<float> const> maps;  // (coil, z, y, x); empty: estimated where needed
  View<float const> reference;           // (z, y, x), for PriorKind::edges
};

/// One solve, for the manifest.
struct FrameReport {
  FrameIndex index;
  int coil = -1;  // of a coil-by-coil solve; -1: all coils together
  double lambda_max = 0, lambda_absolute = 0;
  CgReport cg;
};

struct ReconResult {
  Array<std::complex<float>> images;  // (frame, z, y, x); slices of a 2D multi-slice scan are stacked along z
  Geometry geometry;
  std::vector<FrameIndex> volumes;    // the index of each volume, slice = first slice
  Method method = Method::automatic;  // what was chosen
  CoilMode coils = CoilMode::automatic;
  bool magnitude_only = false;  // root of sum of squares has no phase
  bool interrupted = false;
  std::vector<FrameReport> frames;
};

/// Reconstruct every frame of a dataset.
/// Errors  bad_option (method and scan do not fit), bad_shape (maps, reference), bad_file (all-zero or non-finite
///         maps), out_of_memory (before it is taken). Cancellation returns the images so far, marked interrupted.
ReconResult reconstruct(Context const& context, Dataset const& dataset, ReconOptions const& options,
                        ReconInputs const& inputs = {});

/// What reconstruct() will need: for --dry-run, and for the check before any large memory is taken.
struct ReconEstimate {
  std::int64_t bytes = 0;         // peak memory of the process
  std::int64_t device_bytes = 0;  // of the device; 0 where the processor computes
  double seconds = 0;             // from a short timing of this machine's processor
};
ReconEstimate estimate(Context const& context, Dataset const& dataset, ReconOptions const& options,
                       ReconInputs const& inputs = {});

}  // namespace findrho
