// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/trajectory_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>

#include "findrho/core/error.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

Context const context = Context::cpu(1);

Trajectory some(int dims) {
  Trajectory t;
  t.dims = dims;
  t.samples_per_readout = 5;
  for (int m = 0; m < 15; ++m) {
    for (int d = 0; d < dims; ++d) t[d].push_back(10 * std::sin(1.0 + m * 0.7 + d));
    t.time_s.push_back(static_cast<float>((m % 5 - 2) * 4e-6));
  }
  return t;
}

class TrajectoryFiles : public ::testing::Test {
 protected:
  test::TempFolder folder_;
  std::string path(std::string const& name) const { return folder_ / name; }

  TrajectoryFile there_and_back(std::string const& name, Trajectory const& t) const {
    TrajectoryHeader const header{{20, 24, t.dims == 3 ? 8 : 1}, {200, 240, 80}, "spiral"};
    write_trajectory(trajectory_outputs(path(name)), trajectory_format(name), t, header);
    return read_trajectory(context, path(name));
  }

  std::string refused(std::string const& name, std::string const& content) const {
    std::ofstream(path(name), std::ios::binary) << content;
    try {
      read_trajectory(context, path(name));
    } catch (Error const& error) {
      EXPECT_EQ(error.kind, ErrorKind::bad_file);
      std::string const what = error.what();
      return what.substr(what.find(name) + name.size());
    }
    return "nothing was refused";
  }
};

TEST_F(TrajectoryFiles, NpyAndTextKeepEveryBit) {
  for (int const dims : {2, 3}) {
    Trajectory const t = some(dims);
    for (char const* name : {"t.npy", "t.txt"}) {
      Trajectory const read = there_and_back(name, t).trajectory;
      EXPECT_EQ(read.dims, dims);
      EXPECT_EQ(read.samples_per_readout, 5);
      for (int d = 0; d < dims; ++d) EXPECT_EQ(read[d], t[d]) << name;
    }
  }
}

TEST_F(TrajectoryFiles, MrdAndCflKeepFloats) {
  for (int const dims : {2, 3}) {
    Trajectory const t = some(dims);
    for (char const* name : {"t.h5", "t.cfl"}) {
      Trajectory const read = there_and_back(name, t).trajectory;
      EXPECT_EQ(read.dims, dims) << name;
      EXPECT_EQ(read.samples_per_readout, 5);
      for (int d = 0; d < dims; ++d) {
        for (std::size_t m = 0; m < 15; ++m)
          EXPECT_EQ(read[d][m], static_cast<double>(static_cast<float>(t[d][m])));
      }
    }
  }
}

TEST_F(TrajectoryFiles, MrdKnowsTimesMatrixAndKind) {
  TrajectoryFile const file = there_and_back("t.h5", some(3));
  EXPECT_EQ(file.header.matrix, (Matrix{20, 24, 8}));
  EXPECT_EQ(file.header.fov_mm, (std::array<double, 3>{200, 240, 80}));
  EXPECT_EQ(file.header.kind, "spiral");
  ASSERT_EQ(file.trajectory.time_s.size(), 15U);
  for (std::size_t m = 0; m < 15; ++m)
    EXPECT_NEAR(file.trajectory.time_s[m], some(3).time_s[m], 1e-12);  // floats of 1e-5
}

TEST_F(TrajectoryFiles, TextTakesCommentsCommasAndWindowsLines) {
  std::ofstream(path("t.txt")) << "# two readouts\r\n1,2 # first\r\n3, 4\r\n\r\n\r\n-5e-1\t6\r\n7 8\r\n";
  Trajectory const t = read_trajectory(context, path("t.txt")).trajectory;
  EXPECT_EQ(t.samples_per_readout, 2);
  EXPECT_EQ(t.kx, (std::vector<double>{1, 3, -0.5, 7}));
  EXPECT_EQ(t.ky, (std::vector<double>{2, 4, 6, 8}));
}

TEST_F(TrajectoryFiles, DamageIsNamedWithItsLine) {
  EXPECT_EQ(refused("a.txt", "1 2\n3 x\n"), ":2: x is no number");
  EXPECT_EQ(refused("b.txt", "1 2\n3\n"), ":2: 1 numbers");
  EXPECT_EQ(refused("c.txt", "1 2\n3 4\n\n5 6\n"), ":4: a readout of 1 samples after one of 2");
  EXPECT_EQ(refused("d.txt", "# nothing\n"), ":1: no samples");
  EXPECT_EQ(refused("e.txt", "1 nan\n"), ": sample 0 is not finite");
  EXPECT_EQ(refused("a.npy", "not numpy at all"), ": no numpy file");
  std::string const magic = std::string("\x93NUMPY\x01\x00", 8);
  auto const npy = [&](std::string const& header, std::size_t bytes) {
    return magic + static_cast<char>(header.size()) + '\0' + header + std::string(bytes, '\0');
  };
  EXPECT_EQ(refused("b.npy", npy("{'descr': '<i4', 'fortran_order': False, 'shape': (2, 2), }\n", 16)),
            ": values of type <i4");
  EXPECT_EQ(refused("c.npy", npy("{'descr': '<f8', 'fortran_order': True, 'shape': (2, 2), }\n", 32)),
            ": values in Fortran order");
  EXPECT_EQ(refused("d.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }\n", 32)),
            ": the shape is (4,)");
  EXPECT_EQ(refused("e.npy", npy("{'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }\n", 32))
                .substr(0, 22),
            ": 32 bytes of values, ");
  EXPECT_EQ(refused("f.npy", magic + "\xff"), ": no numpy file");
}

TEST_F(TrajectoryFiles, OtherEndingsAreRefused) {
  EXPECT_THROW(trajectory_format("t.doc"), Error);
  EXPECT_EQ(trajectory_outputs("t.cfl"), (std::vector<std::string>{"t.hdr", "t.cfl"}));
}

}  // namespace
}  // namespace findrho
