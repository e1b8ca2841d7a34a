// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/png.hpp"

#include <png.h>

#include <array>
#include <cerrno>
#include <csetjmp>
#include <cstring>
#include <memory>

#include "findrho/core/error.hpp"
#include "io/file.hpp"

namespace findrho {
namespace {

// libpng reports errors by longjmp. So the functions that call it have only trivial locals, and what must be
// freed belongs to their caller.
struct Decoder {
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::FILE* file = nullptr;
  std::array<char, 200> message{};

  Decoder() {
    png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, on_error, [](png_structp, png_const_charp) {});
    info = png != nullptr ? png_create_info_struct(png) : nullptr;
    if (info == nullptr) throw Error(ErrorKind::out_of_memory, "no memory for reading a PNG file");
  }
  ~Decoder() {
    png_destroy_read_struct(&png, &info, nullptr);
    if (file != nullptr) std::fclose(file);
  }
  Decoder(Decoder const&) = delete;
  Decoder& operator=(Decoder const&) = delete;

  static void on_error(png_structp png, png_const_charp text) {
    auto* self = static_cast<Decoder*>(png_get_error_ptr(png));
    std::strncpy(self->message.data(), text, self->message.size() - 1);
    png_longjmp(png, 1);
  }
  /// Palettes and small depths become 8 bits; alpha is dropped.
  bool start() {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_init_io(png, file);
    png_read_info(png, info);
    png_set_expand(png);
    png_set_strip_alpha(png);
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    return true;
  }
  bool read(png_bytepp rows) {
    if (setjmp(png_jmpbuf(png)) != 0) return false;
    png_read_image(png, rows);
    return true;
  }
};

/// Sample i of a row, 0 to 1. PNG's 16-bit samples are big endian.
float sample(png_bytep row, std::size_t i, bool wide) {
  return wide ? static_cast<float>(row[2 * i] * 256 + row[2 * i + 1]) / 65535.0F
              : static_cast<float>(row[i]) / 255.0F;
}

}  // namespace

void write_png(std::string const& path, GreyImage const& image) {
  png_image header{};
  header.version = PNG_IMAGE_VERSION;
  header.width = static_cast<png_uint_32>(image.width);
  header.height = static_cast<png_uint_32>(image.height);
  header.format = PNG_FORMAT_GRAY;
  png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
  std::vector<char> encoded(size);
  if (png_image_write_to_memory(&header, encoded.data(), &size, 0, image.pixels.data(), 0, nullptr) == 0) {
    throw Error(ErrorKind::cannot_write, "cannot encode " + path + ": " + header.message);
  }
  FileWriter file(path);
  file.write(encoded.data(), size);
  file.close();
}

Array<float> read_png(std::string const& path) {
  Decoder decoder;
  decoder.file = std::fopen(path.c_str(), "rb");
  if (decoder.file == nullptr) {
    throw Error(ErrorKind::bad_file, "cannot open " + path + ": " + std::strerror(errno),
                "see whether the name is right");
  }
  auto const refuse = [&] {
    throw Error(ErrorKind::bad_file, path + " is no PNG that can be read: " + decoder.message.data());
  };
  if (!decoder.start()) refuse();

  auto const width = png_get_image_width(decoder.png, decoder.info);
  auto const height = png_get_image_height(decoder.png, decoder.info);
  constexpr std::size_t kMostPixels = std::size_t{1} << 28;  // a damaged header must not take the memory
  if (std::size_t{width} * height > kMostPixels) {
    throw Error(ErrorKind::bad_file,
                path + " states " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
  }
  std::size_t const stride = png_get_rowbytes(decoder.png, decoder.info);
  std::vector<png_byte> bytes(stride * height);
  std::vector<png_bytep> rows(height);
  for (std::size_t y = 0; y < height; ++y) rows[y] = bytes.data() + y * stride;
  if (!decoder.read(rows.data())) refuse();

  bool const wide = png_get_bit_depth(decoder.png, decoder.info) == 16;
  bool const colour = png_get_channels(decoder.png, decoder.info) == 3;
  Array<float> image({{Axis::y, height}, {Axis::x, width}});
  for (std::size_t i = 0; i < std::size_t{width} * height; ++i) {
    png_bytep const row = rows[i / width];
    std::size_t const x = i % width;
    image[static_cast<std::int64_t>(i)] = colour ? 0.299F * sample(row, 3 * x, wide) +
                                                       0.587F * sample(row, 3 * x + 1, wide) +
                                                       0.114F * sample(row, 3 * x + 2, wide)
                                                 : sample(row, x, wide);
  }
  return image;
}

}  // namespace findrho
