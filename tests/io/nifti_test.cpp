// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/nifti.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <sstream>

#include "io/nifti_header.hpp"
#include "support/caught.hpp"
#include "support/shell.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

using Complex = std::complex<float>;
using test::caught;
using test::mentions;
using Vector = std::array<double, 3>;

// float32 in the header: half a unit in the last place of numbers up to 512 mm is 1.5e-5; sums of three of them.
constexpr double kHeaderTolerance = 5e-5;

Shape frames_of(std::int64_t frames, Matrix const& m) {
  return {{Axis::frame, frames}, {Axis::z, m.z}, {Axis::y, m.y}, {Axis::x, m.x}};
}

template <class T>
Array<T> ramp(Shape const& shape) {
  Array<T> a(shape);
  for (std::int64_t i = 0; i < a.size(); ++i) a[i] = T(0.25F * static_cast<float>(i) - 3);
  return a;
}

/// Directions turned by the angles (radians) about z, then x, then y: oblique for all but special angles.
Geometry oblique(double z, double x, double y, Vector const& fov_mm, Vector const& position_mm) {
  auto const turn = [&](Vector v) {
    v = {std::cos(z) * v[0] - std::sin(z) * v[1], std::sin(z) * v[0] + std::cos(z) * v[1], v[2]};
    v = {v[0], std::cos(x) * v[1] - std::sin(x) * v[2], std::sin(x) * v[1] + std::cos(x) * v[2]};
    return Vector{std::cos(y) * v[0] + std::sin(y) * v[2], v[1], -std::sin(y) * v[0] + std::cos(y) * v[2]};
  };
  return {fov_mm, position_mm, turn({1, 0, 0}), turn({0, 1, 0}), turn({0, 0, 1}), true};
}

struct Nifti : testing::Test {
  test::TempFolder folder;
};

void expect_near(Vector const& a, Vector const& b, double tolerance) {
  for (std::size_t d = 0; d < 3; ++d) EXPECT_NEAR(a[d], b[d], tolerance) << "component " << d;
}

TEST_F(Nifti, AffineOfAnAxialImageIsTheHandComputedOne) {
  Geometry const geometry{{200, 100, 30}, {10, 20, 30}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, true};
  Affine const a = nifti_affine(geometry, {100, 50, 3});
  // Voxel (50, 25, 1) sits at the position; LPS (10, 20, 30) is RAS (-10, -20, 30); steps are 2, 2 and 10 mm.
  EXPECT_EQ(a[0], (std::array<double, 4>{-2, 0, 0, -10 + 2 * 50}));
  EXPECT_EQ(a[1], (std::array<double, 4>{0, -2, 0, -20 + 2 * 25}));
  EXPECT_EQ(a[2], (std::array<double, 4>{0, 0, 10, 30 - 10}));
}

TEST_F(Nifti, RealFramesComeBackAsWritten) {
  Matrix const matrix{5, 4, 3};
  Geometry const geometry = oblique(0.3, -0.7, 1.1, {220, 200, 90}, {12, -34, 56});
  for (std::string const name : {"a.nii", "a.nii.gz"}) {
    Array<float> const a = ramp<float>(frames_of(2, matrix));
    write_nifti(folder / name, a, geometry);
    NiftiImage const b = read_nifti(folder / name);
    ASSERT_FALSE(b.is_complex());
    EXPECT_EQ(b.matrix, matrix);
    EXPECT_EQ(b.frames, 2);
    EXPECT_EQ(b.real.shape(), a.shape());
    EXPECT_TRUE(std::equal(a.begin(), a.end(), b.real.begin()));
    EXPECT_TRUE(b.geometry.orientation_known);
    expect_near(b.geometry.fov_mm, geometry.fov_mm, kHeaderTolerance * 5);  // times the number of voxels
    expect_near(b.geometry.position_mm, geometry.position_mm, kHeaderTolerance * 5);
    expect_near(b.geometry.read, geometry.read, 1e-6);  // float32: 6e-8 per component, lengths divided out
    expect_near(b.geometry.slice, geometry.slice, 1e-6);
  }
}

TEST_F(Nifti, ComplexImageComesBackAsWritten) {
  Array<Complex> a = ramp<Complex>(Matrix{3, 2, 2}.shape());
  a[7] = {1, -2};
  write_nifti(folder / "a.nii.gz", a, {});
  NiftiImage const b = read_nifti(folder / "a.nii.gz");
  ASSERT_TRUE(b.is_complex());
  EXPECT_TRUE(std::equal(a.begin(), a.end(), b.complex.begin()));
}

TEST_F(Nifti, TwoWritesGiveTheSameBytesWhateverTheName) {
  Array<float> const a = ramp<float>(Matrix{8, 8, 2}.shape());
  write_nifti(folder / "a.nii.gz", a, {});
  write_nifti(folder / "other.nii.gz", a, {});
  std::string const bytes = test::read_bytes(folder / "a.nii.gz");
  EXPECT_EQ(bytes, test::read_bytes(folder / "other.nii.gz"));
  // RFC 1952: magic, deflate, no flags (so no name), four bytes of time.
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x1f\x8b\x08\0\0\0\0\0", 8));
}

TEST_F(Nifti, UnknownFovIsOneMillimetreMarkedUnknown) {
  write_nifti(folder / "a.nii", ramp<float>(Matrix{4, 4, 1}.shape()), {});
  NiftiHeader header;
  std::memcpy(&header, test::read_bytes(folder / "a.nii").data(), sizeof header);
  EXPECT_EQ(header.pixdim[1], 1.0F);
  EXPECT_EQ(header.sform_code, 0);
  EXPECT_EQ(header.qform_code, 0);
  EXPECT_EQ(header.units, 0);
  NiftiImage const b = read_nifti(folder / "a.nii");
  EXPECT_EQ(b.geometry.fov_mm, (Vector{0, 0, 0}));
  EXPECT_FALSE(b.geometry.orientation_known);
}

TEST_F(Nifti, LayersOfUnknownThicknessLeaveThePlaneKnown) {
  write_nifti(folder / "a.nii", ramp<float>(Matrix{4, 4, 1}.shape()),
              {{200, 200, 0}, {}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, true});
  EXPECT_EQ(read_nifti(folder / "a.nii").geometry.fov_mm, (Vector{200, 200, 1}));
}

TEST_F(Nifti, ShapesThatAreNoImagesAreRefused) {
  EXPECT_EQ(caught([&] {
              write_nifti(folder / "a.nii", ramp<float>(Matrix{4, 4, 1}.shape(2)), {});
            }).kind,
            ErrorKind::bad_shape);
  Error const error = caught([&] {
    write_nifti(folder / "a.nii", ramp<float>(Matrix{40000, 1, 1}.shape()), {});
  });
  EXPECT_EQ(error.kind, ErrorKind::bad_shape);
  EXPECT_TRUE(mentions(error, "32767") && mentions(error, "40000"));
  EXPECT_TRUE(folder.names().empty());
}

// nibabel as the independent reader and writer.
struct Nibabel : Nifti {
  void SetUp() override {
    if (!test::succeeds("/usr/bin/python3 -c 'import nibabel'")) {
      GTEST_SKIP() << "nibabel is not installed (Debian: python3-nibabel)";
    }
  }
  /// Runs a script with the test's folder as its argument; returns what it printed.
  std::istringstream run(std::string const& script) {
    test::write_bytes(folder / "script.py", script);
    test::ShellResult const python =
        test::shell("/usr/bin/python3 -W ignore " + folder / "script.py" + " " + folder.path());
    EXPECT_EQ(python.status, 0) << python.output;
    return std::istringstream(python.output);
  }
};

constexpr char kDescribeFiles[] = R"(
import sys, numpy, nibabel
for i in range(12):
    image = nibabel.load(f'{sys.argv[1]}/{i}.nii.gz')
    header = image.header
    print(image.get_data_dtype(), *image.shape, header.get_xyzt_units()[0])
    print(int(header['qform_code']), int(header['sform_code']), *header.get_zooms()[:3])
    for affine in (header.get_sform(), header.get_qform()):
        print(*affine[:3].ravel())
    for value in numpy.asanyarray(image.dataobj).ravel(order='F'):
        print(value.real, value.imag)
)";

template <std::size_t N>
std::array<double, N> numbers(std::istream& in) {
  std::array<double, N> result{};
  for (double& value : result) EXPECT_TRUE(in >> value);
  return result;
}

void expect_description(std::istream& in, Array<Complex> const& image, Affine const& affine) {
  std::string line;
  std::getline(in >> std::ws, line);
  EXPECT_EQ(line, "complex64 5 4 3 2 mm");
  std::array<double, 5> const codes_and_zooms = numbers<5>(in);
  EXPECT_EQ(codes_and_zooms, (std::array<double, 5>{1, 1, 44, 45, 25}));
  for (int form = 0; form < 2; ++form) {
    for (auto const& row : affine) {
      std::array<double, 4> const got = numbers<4>(in);
      // The qform's quaternion, three float32, costs up to 1e-7 x 512 mm more than the sform.
      for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(got[i], row[i], 4 * kHeaderTolerance);
    }
  }
  for (Complex const& value : image) {
    std::array<double, 2> const got = numbers<2>(in);
    EXPECT_EQ(Complex(static_cast<float>(got[0]), static_cast<float>(got[1])), value);
  }
}

TEST_F(Nibabel, AgreesOnDataAffineAndZoomsOfObliqueImages) {
  // Turns that reach all four branches of the quaternion, each with right- and left-handed directions.
  double const pi = std::acos(-1.0);
  Vector const turns[] = {
      {0, 0, 0},   {0.3, -0.7, 0.4}, {0.1, pi - 0.1, 0.2}, {0.2, 0.1, pi - 0.3}, {pi - 0.2, 0.1, 0.1},
      {2, -2, 2.5}};
  Matrix const matrix{5, 4, 3};
  Array<Complex> const image = ramp<Complex>(frames_of(2, matrix));
  std::vector<Affine> affines;
  for (std::size_t i = 0; i < 12; ++i) {
    Vector const& turn = turns[i / 2];
    Geometry geometry = oblique(turn[0], turn[1], turn[2], {220, 180, 75}, {12.5, -34, 156});
    if (i % 2 == 1) geometry.slice = {-geometry.slice[0], -geometry.slice[1], -geometry.slice[2]};
    write_nifti(folder / (std::to_string(i) + ".nii.gz"), image, geometry);
    affines.push_back(nifti_affine(geometry, matrix));
  }
  std::istringstream in = run(kDescribeFiles);
  for (std::size_t i = 0; i < 12; ++i) {
    SCOPED_TRACE("file " + std::to_string(i));
    expect_description(in, image, affines[i]);
  }
}

constexpr char kWriteFiles[] = R"(
import sys, numpy, nibabel
affine = numpy.array([[0, 0, 4, -7], [-2, 0, 0, 8], [0, 3, 0, 9], [0, 0, 0, 1.0]])
for kind in 'uint8 int8 int16 uint16 int32 uint32 int64 uint64 float32 float64 complex64 complex128'.split():
    for order in '<>':
        data = numpy.arange(48).reshape((2, 3, 4, 1, 2), order='F').astype(kind)
        image = nibabel.Nifti1Image(data, affine, header=nibabel.Nifti1Header(endianness=order), dtype=kind)
        image.header.set_slope_inter(0.5, 10)
        name = f'{kind}{"big" if order == ">" else "little"}.nii.gz'
        nibabel.save(image, f'{sys.argv[1]}/{name}')
        print(name)
        read = nibabel.load(f'{sys.argv[1]}/{name}')
        print(*numpy.asanyarray(read.dataobj).ravel(order='F').real)
)";

TEST_F(Nibabel, FilesOfEveryTypeScaleAndByteOrderAreRead) {
  std::istringstream in = run(kWriteFiles);
  int files = 0;
  for (std::string name; in >> name; ++files) {
    SCOPED_TRACE(name);
    NiftiImage const image = read_nifti(folder / name);
    EXPECT_EQ(image.matrix, (Matrix{2, 3, 4}));
    EXPECT_EQ(image.frames, 2);
    std::array<double, 48> const values = numbers<48>(in);  // small multiples of 1/2: exact in float32
    for (std::int64_t i = 0; i < 48; ++i) {
      EXPECT_EQ(image.is_complex() ? image.complex[i].real() : image.real[i],
                values[static_cast<std::size_t>(i)]);
    }
    // RAS columns (0,-2,0), (0,0,3), (4,0,0); voxel (1, 1, 2) sits at RAS (-7 + 8, 8 - 2, 9 + 3) = LPS (-1, -6, 12).
    EXPECT_EQ(image.geometry.fov_mm, (Vector{4, 9, 16}));
    EXPECT_EQ(image.geometry.read, (Vector{0, 1, 0}));
    EXPECT_EQ(image.geometry.phase, (Vector{0, 0, 1}));
    EXPECT_EQ(image.geometry.slice, (Vector{-1, 0, 0}));
    EXPECT_EQ(image.geometry.position_mm, (Vector{-1, -6, 12}));
  }
  EXPECT_EQ(files, 24);
}

// Damage.
struct DamagedNifti : Nifti {
  DamagedNifti() {
    write_nifti(folder / "a.nii", ramp<float>(Matrix{8, 8, 4}.shape()), {});
    bytes = test::read_bytes(folder / "a.nii");
  }
  Error read_changed(std::string const& changed, std::string const& name = "b.nii") {
    test::write_bytes(folder / name, changed);
    Error const error = caught([&] { read_nifti(folder / name); });
    EXPECT_EQ(error.kind, ErrorKind::bad_file);
    EXPECT_TRUE(mentions(error, name));
    return error;
  }
  std::string with(std::size_t offset, std::string const& value) const {
    return std::string(bytes).replace(offset, value.size(), value);
  }
  std::string bytes;
};

TEST_F(DamagedNifti, CutShortIsRefusedWithBothNumbers) {
  Error const error = read_changed(bytes.substr(0, bytes.size() - 1));
  EXPECT_TRUE(mentions(error, "1024") && mentions(error, "1023"));
  read_changed(bytes.substr(0, 100));
  read_changed("");
}

TEST_F(DamagedNifti, CutShortInsideCompressionIsRefused) {
  write_nifti(folder / "a.nii.gz", ramp<float>(Matrix{32, 32, 32}.shape()), {});
  std::string const compressed = test::read_bytes(folder / "a.nii.gz");
  read_changed(compressed.substr(0, compressed.size() / 2), "b.nii.gz");
  std::string flipped = compressed;
  flipped[compressed.size() / 2] = static_cast<char>(~flipped[compressed.size() / 2]);
  read_changed(flipped, "b.nii.gz");
}

TEST_F(DamagedNifti, OtherFormatsAreNamed) {
  EXPECT_TRUE(mentions(read_changed(with(0, std::string("\x1c\x02\0\0", 4))), "NIfTI-2"));
  EXPECT_TRUE(mentions(read_changed(with(344, std::string("ni1\0", 4))), ".hdr/.img"));
  EXPECT_TRUE(mentions(read_changed(with(344, std::string(4, '\0'))), "ANALYZE"));
  EXPECT_TRUE(mentions(read_changed(with(70, std::string("\x80\0", 2))), "128"));
  EXPECT_TRUE(mentions(read_changed(std::string(500, 'x')), "not a NIfTI-1"));
}

TEST_F(DamagedNifti, SenselessSizesAreRefusedBeforeMemoryIsTaken) {
  read_changed(with(40, std::string("\x08\0", 2)));    // eight dimensions
  read_changed(with(42, std::string("\xff\xff", 2)));  // -1 along x
  std::string const most("\xff\x7f\xff\x7f\xff\x7f\xff\x7f\xff\x7f\xff\x7f\xff\x7f", 14);
  read_changed(with(40, std::string("\x07\0", 2) + most));  // 32767^7 voxels
}

TEST_F(Nifti, MeasuredAnatomyIsRead) {
  std::string const path = std::string(FINDRHO_DATA_DIR) + "/anatomy/ch2bet.nii.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the measured images are not in " << FINDRHO_DATA_DIR;
  NiftiImage const image = read_nifti(path);
  EXPECT_EQ(image.matrix, (Matrix{181, 217, 181}));
  EXPECT_EQ(image.geometry.fov_mm, (Vector{181, 217, 181}));  // 1 mm voxels
  EXPECT_GT(*std::max_element(image.real.begin(), image.real.end()), 100.0F);
}

}  // namespace
}  // namespace findrho
