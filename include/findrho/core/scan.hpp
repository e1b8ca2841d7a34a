// SPDX-License-Identifier: BSD-3-Clause
// What a reconstruction starts from: matrix, trajectory, geometry, samples. Plain data, shared by every folder above.
#pragma once
#include <array>
#include <complex>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"

namespace findrho {

/// Voxels of an image along x, y, z. A 2D image has z = 1.
struct Matrix {
  std::int64_t x = 1, y = 1, z = 1;
  std::int64_t voxels() const { return x * y * z; }
  int dims() const { return z > 1 ? 3 : 2; }
  std::int64_t operator[](int d) const { return d == 0 ? x : d == 1 ? y : z; }
  Shape shape() const { return {{Axis::z, z}, {Axis::y, y}, {Axis::x, x}}; }
  Shape shape(std::int64_t coils) const {
    return {{Axis::coil, coils}, {Axis::z, z}, {Axis::y, y}, {Axis::x, x}};
  }
  bool operator==(Matrix const&) const = default;
};

/// Sampling positions in cycles per FOV, |k_d| <= N_d/2; voxel n sits at r = (n - floor(N/2)) / N.
struct Trajectory {
  int dims = 2;                          // 2: kz is empty
  std::vector<double> kx, ky, kz;        // one entry per sample
  std::vector<float> time_s;             // since the echo reference; empty when unknown
  std::int64_t samples_per_readout = 0;  // 0 when readouts differ in length
  std::int64_t size() const { return static_cast<std::int64_t>(kx.size()); }
  std::vector<double> const& operator[](int d) const { return d == 0 ? kx : d == 1 ? ky : kz; }
  std::vector<double>& operator[](int d) { return d == 0 ? kx : d == 1 ? ky : kz; }
};

inline Shape sample_shape(std::int64_t coils, std::int64_t samples) {
  return {{Axis::coil, coils}, {Axis::sample, samples}};
}

/// Where an image lies in the patient, LPS coordinates in mm (the MRD header's).
struct Geometry {
  std::array<double, 3> fov_mm{0, 0, 0};       // of the image; 0: unknown, 1 mm voxels are assumed
  std::array<double, 3> position_mm{0, 0, 0};  // centre of the image
  std::array<double, 3> read{1, 0, 0}, phase{0, 1, 0}, slice{0, 0, 1};
  bool orientation_known = false;
};

/// Which part of a scan a frame is.
struct FrameIndex {
  int encoding = 0, slice = 0, contrast = 0, phase = 0, repetition = 0, set = 0, average = 0;
  auto operator<=>(FrameIndex const&) const = default;
};

/// One image's worth of samples.
struct Frame {
  FrameIndex index;
  Geometry geometry;
  std::shared_ptr<Trajectory const> trajectory;  // frames with equal trajectories share one
  Array<std::complex<float>> samples;            // (coil, sample)
  std::vector<float> density;                    // density weights that came with the file; mostly empty
};

/// A scan that has been read, checked and sorted into frames: nothing in it needs checking again.
struct Dataset {
  std::string source;                               // path it came from
  Matrix matrix;                                    // of the images to make
  bool cartesian = false;                           // every sample lies on the integer grid of `encoded`
  Matrix encoded;                                   // grid of a Cartesian scan, in units of the encoded FOV
  std::array<double, 3> encoded_to_image{1, 1, 1};  // encoded FOV / image FOV, per axis
  std::int64_t coils = 0;
  std::vector<Frame> frames;
  Array<std::complex<float>> noise;  // (coil, sample) of the noise readouts; empty when there are none
  double dwell_s = 0;                // 0: unknown
};

}  // namespace findrho
