// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/io/nifti.hpp"
#include "io/file.hpp"
#include "io/nifti_affine.hpp"
#include "io/nifti_header.hpp"

namespace findrho {
namespace {

/// Compresses what it is given into a gzip file. zlib's own header has neither time nor name.
class GzipWriter {
 public:
  explicit GzipWriter(std::string const& path) : file_(path) {
    // 16 more than the window bits asks for gzip. Level 6 is gzip's own default.
    if (deflateInit2(&stream_, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
      throw Error(ErrorKind::out_of_memory, "no memory for compressing " + path);
    }
  }
  ~GzipWriter() { deflateEnd(&stream_); }
  GzipWriter(GzipWriter const&) = delete;
  GzipWriter& operator=(GzipWriter const&) = delete;

  void write(void const* bytes, std::size_t size) {
    constexpr std::size_t kBlock = std::size_t{1} << 30;  // zlib counts in 32 bits
    auto const* next = static_cast<Bytef const*>(bytes);
    for (std::size_t n; size > 0; next += n, size -= n) {
      n = std::min(size, kBlock);
      stream_.next_in = const_cast<Bytef*>(next);
      stream_.avail_in = static_cast<uInt>(n);
      run(Z_NO_FLUSH);
    }
  }
  void close() {
    run(Z_FINISH);
    file_.close();
  }

 private:
  void run(int flush) {
    do {
      stream_.next_out = block_.data();
      stream_.avail_out = static_cast<uInt>(block_.size());
      deflate(&stream_, flush);
      file_.write(block_.data(), block_.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }
  FileWriter file_;
  z_stream stream_{};
  std::vector<Bytef> block_ = std::vector<Bytef>(std::size_t{1} << 16);
};

Matrix matrix_of(Shape const& shape) {
  Matrix const matrix{shape.extent(Axis::x), shape.extent(Axis::y), shape.extent(Axis::z)};
  std::int64_t const frames = shape.extent(Axis::frame);
  Shape const three = matrix.shape();
  Shape const four{{Axis::frame, frames}, three[0], three[1], three[2]};
  Shape const two{three[1], three[2]};
  if (!(shape == two || shape == three || shape == four)) {
    throw Error(ErrorKind::bad_shape,
                "an image for NIfTI has shape (" + shape.str() + "), expected (z, y, x) or (frame, z, y, x)");
  }
  for (std::int64_t n : {matrix.x, matrix.y, matrix.z, frames}) {
    if (n < 1 || n > std::numeric_limits<std::int16_t>::max()) {
      throw Error(ErrorKind::bad_shape,
                  "NIfTI-1 holds 1 to 32767 voxels along an axis, the image has shape (" + shape.str() + ")",
                  "write a cfl or MRD image instead");
    }
  }
  return matrix;
}

NiftiHeader make_header(Shape const& shape, Geometry const& geometry, NiftiDatatype type, std::size_t bytes) {
  Matrix const matrix = matrix_of(shape);
  NiftiHeader header;
  std::int64_t const frames = shape.extent(Axis::frame);
  std::int64_t const sizes[8] = {frames > 1 ? 4 : 3, matrix.x, matrix.y, matrix.z, frames, 1, 1, 1};
  for (std::size_t i = 0; i < 8; ++i) {
    header.dim[i] = static_cast<std::int16_t>(sizes[i]);
    header.pixdim[i] = 1;
  }
  header.datatype = type;
  header.bits_per_voxel = static_cast<std::int16_t>(8 * bytes);
  header.scale_slope = 1;
  set_geometry(header, geometry, matrix);
  std::string const text = header.sform_code == kCodeUnknown ? "findrho; voxel size unknown, 1 mm written"
                           : geometry.orientation_known      ? "findrho"
                                                             : "findrho; orientation unknown";
  text.copy(header.description, sizeof header.description - 1);
  return header;
}

template <class Writer, class T>
void write_image(std::string const& path, View<T const> image, NiftiHeader const& header) {
  Writer file(path);
  file.write(&header, sizeof header);
  char const no_extension[4] = {};
  file.write(no_extension, sizeof no_extension);
  file.write(image.data, static_cast<std::size_t>(image.size()) * sizeof(T));
  file.close();
}

template <class T>
void write_as(std::string const& path, View<T const> image, Geometry const& geometry, NiftiDatatype type) {
  NiftiHeader const header = make_header(image.shape, geometry, type, sizeof(T));
  bool const compress = path.size() > 3 && path.compare(path.size() - 3, 3, ".gz") == 0;
  if (compress) {
    write_image<GzipWriter>(path, image, header);
  } else {
    write_image<FileWriter>(path, image, header);
  }
}

}  // namespace

void write_nifti(std::string const& path, View<float const> image, Geometry const& geometry) {
  write_as(path, image, geometry, kFloat32);
}

void write_nifti(std::string const& path, View<std::complex<float> const> image, Geometry const& geometry) {
  write_as(path, image, geometry, kComplex64);
}

}  // namespace findrho
