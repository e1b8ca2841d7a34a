// SPDX-License-Identifier: BSD-3-Clause
// Matrix and FOV: reconSpace gives the image's, encodedSpace the trajectory's.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "findrho/core/error.hpp"
#include "prepare_parts.hpp"

namespace findrho::prepare_parts {

namespace {

constexpr std::int64_t kLargestExtent = 65535;  // the header's schema has 16-bit matrix sizes

bool stated(RawSpace const& space) {
  return space.present && space.matrix[0] > 0 && space.matrix[1] > 0;
}

std::string str(Matrix const& m) {
  return m.z > 1 ? fmt::format("{} x {} x {}", m.x, m.y, m.z) : fmt::format("{} x {}", m.x, m.y);
}

Matrix to_matrix(std::array<std::int64_t, 3> const& size) {
  return {size[0], size[1], std::max<std::int64_t>(1, size[2])};
}

/// FOV in mm, 0 where unknown. In-plane values below 1 are metres: no scanner has an FOV of less than a
/// millimetre.
Triple fov_in_mm(RawSpace const& space, std::string& metres) {
  Triple fov{};
  for (std::size_t d = 0; d < 3; ++d) fov[d] = std::max(0.0, space.fov_mm[d]);
  auto const below_1 = [](double value) { return value > 0 && value < 1; };
  if (below_1(fov[0]) || below_1(fov[1])) {
    for (double& value : fov) value *= below_1(value) ? 1000 : 1;
    metres = fmt::format("the FOV is {:.6g} x {:.6g}: probably metres, taken as {:.6g} x {:.6g} mm",
                         space.fov_mm[0], space.fov_mm[1], fov[0], fov[1]);
  }
  return fov;
}

void check_extents(RawScan const& scan, Matrix const& matrix, char const* which) {
  for (int d = 0; d < 3; ++d) {
    if (matrix[d] >= 1 && matrix[d] <= kLargestExtent) continue;
    throw Error(
        ErrorKind::bad_file,
        fmt::format("{}: the {} matrix is {} x {} x {}", scan.path, which, matrix.x, matrix.y, matrix.z),
        "give the image's size with --matrix");
  }
}

void settle_matrices(Context const& context, RawScan const& scan, RawEncoding const& encoding,
                     PrepareOptions const& options, Spaces& space) {
  bool const asked = options.matrix[0] > 0 && options.matrix[1] > 0;
  if (!stated(encoding.encoded) && !stated(encoding.recon) && !asked) {
    throw Error(ErrorKind::bad_file, scan.path + ": the header states no matrix size",
                "give it with --matrix");
  }
  space.encoded = to_matrix(stated(encoding.encoded) ? encoding.encoded.matrix
                            : stated(encoding.recon) ? encoding.recon.matrix
                                                     : options.matrix);
  space.image = stated(encoding.recon) ? to_matrix(encoding.recon.matrix) : space.encoded;
  if (!stated(encoding.recon) && !asked) {
    context.note("the header has no reconSpace: the image takes matrix and FOV of the encodedSpace");
  }
  if ((space.image.z > 1) != (space.encoded.z > 1)) {
    context.note(fmt::format("reconSpace has z = {}, encodedSpace {}: the scan is {}", space.image.z,
                             space.encoded.z,
                             space.encoded.z > 1 ? "3D and the image takes the encoded z" : "2D"));
    space.image.z = space.encoded.z;
  }
  if (options.matrix[0] > 0) space.image.x = options.matrix[0];
  if (options.matrix[1] > 0) space.image.y = options.matrix[1];
  if (options.matrix[2] > 0) space.image.z = options.matrix[2];
  if (space.image.z > 1 && space.encoded.z == 1) space.encoded.z = space.image.z;
  if (space.image.z == 1 && space.encoded.z > 1) {
    throw Error(
        ErrorKind::bad_option,
        fmt::format("{}: the scan is 3D ({} partitions), the image has z = 1", scan.path, space.encoded.z),
        "give all three extents with --matrix");
  }
  check_extents(scan, space.encoded, "encoded");
  check_extents(scan, space.image, "image");
}

void settle_fovs(Context const& context, RawEncoding const& encoding, PrepareOptions const& options,
                 Spaces& space) {
  std::string metres;
  space.encoded_fov_mm = fov_in_mm(encoding.encoded, metres);
  space.image_fov_mm = fov_in_mm(encoding.recon, metres);
  if (!metres.empty()) context.warn(metres);
  std::string unknown;
  for (std::size_t d = 0; d < 3; ++d) {
    double& encoded = space.encoded_fov_mm[d];
    double& image = space.image_fov_mm[d];
    if (image == 0) image = encoded;
    if (options.fov_mm[d] > 0) image = options.fov_mm[d];
    if (encoded == 0) encoded = image;
    bool const matters = d < 2 || space.dims == 3;
    if (image == 0 && matters) unknown += "xyz"[d];
    // A 2D scan's z is a slice thickness and scales no trajectory.
    if (image > 0 && matters) space.encoded_to_image[d] = encoded / image;
  }
  if (!unknown.empty()) {
    context.warn(fmt::format("the scan's FOV is 0 along {}: unknown, voxels of 1 mm are assumed", unknown));
  }
}

}  // namespace

Spaces settle_spaces(Context const& context, RawScan const& scan, RawEncoding const& encoding,
                     PrepareOptions const& options) {
  Spaces space;
  settle_matrices(context, scan, encoding, options, space);
  space.dims = space.image.dims();
  settle_fovs(context, encoding, options, space);
  auto const& ratio = space.encoded_to_image;
  if (std::any_of(ratio.begin(), ratio.end(), [](double r) { return std::abs(r - 1) > 1e-6; })) {
    context.note(
        fmt::format("k in cycles per image FOV = k in cycles per encoded FOV / ({:.6g}, {:.6g}, {:.6g})",
                    ratio[0], ratio[1], ratio[2]));
  }
  if (!(space.image == space.encoded)) {
    context.note(fmt::format("image matrix {}, encoded matrix {}", str(space.image), str(space.encoded)));
  }
  return space;
}

}  // namespace findrho::prepare_parts
