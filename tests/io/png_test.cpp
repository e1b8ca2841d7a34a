// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/png.hpp"

#include <gtest/gtest.h>

#include "support/caught.hpp"
#include "support/shell.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

using test::caught;
using test::mentions;

struct Png : testing::Test {
  test::TempFolder folder;
};

GreyImage gradient(std::int64_t width, std::int64_t height) {
  GreyImage image(width, height);
  for (std::int64_t i = 0; i < width * height; ++i)
    image.pixels[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(7 * i);
  return image;
}

TEST_F(Png, ComesBackAsWritten) {
  GreyImage const a = gradient(13, 9);
  write_png(folder / "a.png", a);
  Array<float> const b = read_png(folder / "a.png");
  EXPECT_EQ(b.shape(), (Shape{{Axis::y, 9}, {Axis::x, 13}}));
  for (std::int64_t i = 0; i < b.size(); ++i)
    EXPECT_EQ(b[i], static_cast<float>(a.pixels[static_cast<std::size_t>(i)]) / 255.0F);
}

TEST_F(Png, TwoWritesGiveTheSameBytes) {
  write_png(folder / "a.png", gradient(20, 20));
  write_png(folder / "b.png", gradient(20, 20));
  EXPECT_EQ(test::read_bytes(folder / "a.png"), test::read_bytes(folder / "b.png"));
}

// Pixels, and the values that they mean, in the other kinds of PNG. The files come from a writer of a few lines in
// Python: signature, header, one unfiltered data chunk.
TEST_F(Png, OtherKindsAreRead) {
  if (!test::succeeds("/usr/bin/python3 -c 'import zlib'"))
    GTEST_SKIP() << "/usr/bin/python3 is not installed";
  test::write_bytes(folder / "write.py", R"(
import sys, zlib, struct
def write(name, depth, kind, rows, extra=()):
    chunks = [(b'IHDR', struct.pack('>IIBBBBB', 2, 2, depth, kind, 0, 0, 0)), *extra,
              (b'IDAT', zlib.compress(b''.join(b'\0' + row for row in rows))), (b'IEND', b'')]
    with open(sys.argv[1] + '/' + name, 'wb') as file:
        file.write(b'\x89PNG\r\n\x1a\n')
        for tag, data in chunks:
            file.write(struct.pack('>I', len(data)) + tag + data + struct.pack('>I', zlib.crc32(tag + data)))
gamma = [(b'gAMA', struct.pack('>I', 45455))]
write('grey16.png', 16, 0, [struct.pack('>HH', 0, 65535), struct.pack('>HH', 1, 256)], gamma)
write('rgb8.png', 8, 2, [bytes([255, 0, 0, 0, 255, 0]), bytes([0, 0, 255, 100, 100, 100])], gamma)
write('rgba8.png', 8, 6, [bytes([255, 0, 0, 9, 0, 255, 0, 0]), bytes([0, 0, 255, 255, 100, 100, 100, 1])])
write('palette.png', 8, 3, [bytes([0, 1]), bytes([2, 3])], [(b'PLTE', bytes([255, 0, 0, 0, 255, 0, 0, 0, 255, 100, 100, 100]))])
write('bits.png', 1, 0, [bytes([0x40]), bytes([0x80])])
)");
  test::ShellResult const python =
      test::shell("/usr/bin/python3 " + folder / "write.py" + " " + folder.path());
  ASSERT_EQ(python.status, 0) << python.output;
  auto const expect = [&](std::string const& name, std::array<float, 4> const& values) {
    Array<float> const image = read_png(folder / name);
    ASSERT_EQ(image.size(), 4) << name;
    // The luma weights sum to 1 in float32 to within 1e-7.
    for (std::int64_t i = 0; i < 4; ++i)
      EXPECT_NEAR(image[i], values[static_cast<std::size_t>(i)], 2e-7) << name << i;
  };
  std::array<float, 4> const colours = {0.299F, 0.587F, 0.114F, 100 / 255.0F};
  expect("grey16.png", {0, 1, 1 / 65535.0F, 256 / 65535.0F});
  expect("rgb8.png", colours);
  expect("rgba8.png", colours);
  expect("palette.png", colours);
  expect("bits.png", {0, 1, 1, 0});
}

TEST_F(Png, DamageIsRefused) {
  write_png(folder / "a.png", gradient(64, 64));
  std::string const bytes = test::read_bytes(folder / "a.png");
  for (std::string const& damaged : {std::string(), std::string("no picture at all"), bytes.substr(0, 30),
                                     bytes.substr(0, bytes.size() / 2)}) {
    test::write_bytes(folder / "b.png", damaged);
    Error const error = caught([&] { read_png(folder / "b.png"); });
    EXPECT_EQ(error.kind, ErrorKind::bad_file);
    EXPECT_TRUE(mentions(error, "b.png"));
  }
  EXPECT_EQ(caught([&] { read_png(folder / "none.png"); }).kind, ErrorKind::bad_file);
}

}  // namespace
}  // namespace findrho
