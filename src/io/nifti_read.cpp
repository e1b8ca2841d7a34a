// SPDX-License-Identifier: BSD-3-Clause
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

#include "findrho/core/error.hpp"
#include "findrho/io/nifti.hpp"
#include "io/file.hpp"
#include "io/nifti_affine.hpp"
#include "io/nifti_header.hpp"

namespace findrho {
namespace {

[[noreturn]] void refuse(std::string const& path, std::string const& what, std::string hint = {}) {
  throw Error(ErrorKind::bad_file, path + " " + what, std::move(hint));
}

/// Reads compressed and plain files alike.
class Reader {
 public:
  explicit Reader(std::string const& path) : path_(path), file_(gzopen(path.c_str(), "rb")) {
    if (!file_) {
      throw Error(ErrorKind::bad_file, "cannot open " + path + ": " + std::strerror(errno),
                  "see whether the name is right");
    }
  }
  /// Bytes that were there, at most `size`.
  /// Errors  bad_file (damaged compression)
  std::size_t read(void* bytes, std::size_t size) {
    constexpr std::size_t kBlock = std::size_t{1} << 30;  // zlib counts in 32 bits
    std::size_t done = 0;
    while (done < size) {
      int const n = gzread(file_.get(), static_cast<char*>(bytes) + done,
                           static_cast<unsigned>(std::min(size - done, kBlock)));
      if (n < 0) {
        int code = 0;
        refuse(path_, std::string("cannot be read: ") + gzerror(file_.get(), &code),
               "the file is damaged or cut short");
      }
      if (n == 0) break;
      done += static_cast<std::size_t>(n);
    }
    return done;
  }
  bool compressed() const { return gzdirect(file_.get()) == 0; }

 private:
  struct Close {
    void operator()(gzFile_s* file) const noexcept { gzclose(file); }
  };
  std::string path_;
  std::unique_ptr<gzFile_s, Close> file_;
};

template <class T>
void swap_bytes(T& value) {
  auto* bytes = reinterpret_cast<char*>(&value);
  std::reverse(bytes, bytes + sizeof value);
}

/// Only what is read here is put in order.
void swap_bytes(NiftiHeader& h) {
  for (auto& v : h.dim) swap_bytes(v);
  for (auto& v : h.pixdim) swap_bytes(v);
  for (auto& v : h.quaternion) swap_bytes(v);
  for (auto& v : h.qform_offset) swap_bytes(v);
  for (auto& row : h.sform) {
    for (auto& v : row) swap_bytes(v);
  }
  for (auto* v : {&h.datatype, &h.qform_code, &h.sform_code}) swap_bytes(*v);
  for (auto* v : {&h.data_offset, &h.scale_slope, &h.scale_intercept}) swap_bytes(*v);
}

template <class T>
double load(char const* bytes, bool swapped) {
  T value;
  std::memcpy(&value, bytes, sizeof value);
  if (swapped) swap_bytes(value);
  return static_cast<double>(value);
}

/// How a voxel is stored: one number, or two for complex.
struct Stored {
  std::int16_t datatype;
  std::size_t bytes;  // of one number
  std::int64_t numbers;
  double (*load)(char const* bytes, bool swapped);
};
constexpr Stored kStored[] = {
    {kUint8, 1, 1, load<std::uint8_t>}, {kInt8, 1, 1, load<std::int8_t>},
    {kInt16, 2, 1, load<std::int16_t>}, {kUint16, 2, 1, load<std::uint16_t>},
    {kInt32, 4, 1, load<std::int32_t>}, {kUint32, 4, 1, load<std::uint32_t>},
    {kInt64, 8, 1, load<std::int64_t>}, {kUint64, 8, 1, load<std::uint64_t>},
    {kFloat32, 4, 1, load<float>},      {kFloat64, 8, 1, load<double>},
    {kComplex64, 4, 2, load<float>},    {kComplex128, 8, 2, load<double>},
};

Stored const& stored_as(NiftiHeader const& header, std::string const& path) {
  for (Stored const& stored : kStored) {
    if (stored.datatype == header.datatype) return stored;
  }
  refuse(path, "has NIfTI data type " + std::to_string(header.datatype) + ", which is not read",
         "convert it to float32, an integer type or complex64");
}

/// Returns whether the file has the other byte order.
bool read_header(Reader& file, std::string const& path, NiftiHeader& header) {
  if (file.read(&header, sizeof header) != sizeof header) {
    refuse(path, "is shorter than a NIfTI header of 348 bytes");
  }
  std::int32_t const size = header.header_size;
  std::int32_t other_order = size;
  swap_bytes(other_order);
  bool const swapped = other_order == 348;
  if (size == 540 || other_order == 540) refuse(path, "is a NIfTI-2 file", "convert it to NIfTI-1");
  if (size != 348 && !swapped) refuse(path, "is not a NIfTI-1 file");
  if (std::memcmp(header.magic, "ni1", 4) == 0) {
    refuse(path, "is the header of a .hdr/.img pair", "convert the pair to one .nii file");
  }
  if (std::memcmp(header.magic, "n+1", 4) != 0) refuse(path, "is not a NIfTI-1 file (an ANALYZE header?)");
  if (swapped) swap_bytes(header);
  return swapped;
}

void read_sizes(NiftiHeader const& header, std::string const& path, NiftiImage& image) {
  int const dims = header.dim[0];
  if (dims < 1 || dims > 7) refuse(path, "states " + std::to_string(dims) + " dimensions, expected 1 to 7");
  std::int64_t size[8] = {0, 1, 1, 1, 1, 1, 1, 1};
  for (int i = 1; i <= dims; ++i) {
    size[i] = header.dim[i];
    if (size[i] < 1) {
      refuse(path, "states size " + std::to_string(size[i]) + " along dimension " + std::to_string(i));
    }
  }
  image.matrix = {size[1], size[2], size[3]};
  image.frames = size[4] * size[5] * size[6] * size[7];
}

/// Before memory is taken: can the file hold that much? Deflate cannot shrink data to less than 1/1032.
void require_plausible(Reader const& file, std::string const& path, double bytes) {
  double const most = static_cast<double>(file_size(path)) * (file.compressed() ? 1032.0 : 1.0);
  if (bytes > most) {
    refuse(path,
           "should hold " + std::to_string(static_cast<std::int64_t>(bytes)) +
               " bytes of image by its header, and has at most " +
               std::to_string(static_cast<std::int64_t>(most)),
           "the file is cut short");
  }
}

template <class Put>
void read_numbers(Reader& file, std::string const& path, Stored const& stored, std::int64_t count,
                  bool swapped, Put put) {
  constexpr std::int64_t kBlock = 1 << 16;
  std::vector<char> block(static_cast<std::size_t>(kBlock) * stored.bytes);
  for (std::int64_t begin = 0; begin < count; begin += kBlock) {
    std::int64_t const n = std::min(kBlock, count - begin);
    std::size_t const bytes = static_cast<std::size_t>(n) * stored.bytes;
    if (std::size_t const got = file.read(block.data(), bytes); got != bytes) {
      std::size_t const before = static_cast<std::size_t>(begin) * stored.bytes;
      refuse(path,
             "holds " + std::to_string(before + got) + " bytes of image, its header says " +
                 std::to_string(static_cast<std::size_t>(count) * stored.bytes),
             "the file is cut short");
    }
    for (std::int64_t i = 0; i < n; ++i) {
      put(begin + i, stored.load(block.data() + static_cast<std::size_t>(i) * stored.bytes, swapped));
    }
  }
}

void skip_to_data(Reader& file, std::string const& path, NiftiHeader const& header) {
  double const offset = header.data_offset;
  if (!(offset >= 352 && offset < 1e9)) {
    refuse(path, "states that its image starts at byte " + std::to_string(offset));
  }
  std::vector<char> rest(static_cast<std::size_t>(offset) - sizeof header);
  if (file.read(rest.data(), rest.size()) != rest.size()) {
    refuse(path, "ends before its image", "the file is cut short");
  }
}

}  // namespace

NiftiImage read_nifti(std::string const& path) {
  Reader file(path);
  NiftiHeader header;
  bool const swapped = read_header(file, path, header);
  Stored const& stored = stored_as(header, path);
  NiftiImage image;
  read_sizes(header, path, image);
  double const voxels = static_cast<double>(image.matrix.voxels()) * static_cast<double>(image.frames);
  require_plausible(file, path,
                    voxels * static_cast<double>(stored.bytes) * static_cast<double>(stored.numbers));
  image.geometry = get_geometry(header, image.matrix);
  skip_to_data(file, path, header);

  Shape const three = image.matrix.shape();
  Shape const shape{{Axis::frame, image.frames}, three[0], three[1], three[2]};
  bool const scaled =
      header.scale_slope != 0 && std::isfinite(header.scale_slope) && std::isfinite(header.scale_intercept);
  double const slope = scaled ? header.scale_slope : 1, intercept = scaled ? header.scale_intercept : 0;
  float* numbers = nullptr;
  if (stored.numbers == 2) {
    image.complex = Array<std::complex<float>>(shape);
    numbers = reinterpret_cast<float*>(image.complex.data());
  } else {
    image.real = Array<float>(shape);
    numbers = image.real.data();
  }
  read_numbers(file, path, stored, shape.size() * stored.numbers, swapped, [&](std::int64_t i, double value) {
    numbers[i] = static_cast<float>(slope * value + intercept);
  });
  return image;
}

}  // namespace findrho
