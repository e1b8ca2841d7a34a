// SPDX-License-Identifier: BSD-3-Clause
// The files of Parboil's mri-q benchmark: an input of samples and positions, an output Q.
#pragma once
#include <complex>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"

namespace findrho {

/// Little-endian int32 numK, numX, then float32 kx ky kz (numK), x y z (numX), phiR phiI (numK).
/// This is how the benchmark's own reader takes the files, and its reference outputs encode that view. Its two input
/// files seem to have been written in another order (positions read so are no grid); reading them "right" would
/// disagree with the references.
struct ParboilInput {
  std::vector<float> kx, ky, kz, phi_re, phi_im;  // numK
  std::vector<float> x, y, z;                     // numX
};

/// Errors  bad_file, when counts and size do not fit each other, or a value is not finite
ParboilInput read_parboil_input(std::string const& path);

/// uint32 N, then N real and N imaginary float32.
/// Errors  bad_file
std::vector<std::complex<float>> read_parboil_output(std::string const& path);

/// Give a staged path of an OutputSet.
/// Errors  cannot_write
void write_parboil_output(std::string const& path, std::vector<float> const& re,
                          std::vector<float> const& im);

struct ParboilComparison {
  std::size_t compared = 0;  // numbers: two per voxel
  std::size_t failed = 0;
  double largest_difference = 0, allowed = 0;  // absolute
  bool accepted() const { return failed == 0; }
};

/// The benchmark's rule: each number is accepted when |difference| <= 1e-4 max|reference|, or below 0.2 % of the
/// reference's number.
/// Errors  bad_shape, when the counts differ
ParboilComparison compare_parboil(std::vector<std::complex<float>> const& result,
                                  std::vector<std::complex<float>> const& reference);

}  // namespace findrho
