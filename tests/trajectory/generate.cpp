// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/trajectory/generate.hpp"

#include <regex>

#include "support.hpp"

namespace findrho {
namespace {

using test::refused;

TEST(Generate, EveryGeneratorStatesItsSourceAndMakesSamplesInsideItsMatrixByDefault) {
  for (Generator const& g : trajectory_generators()) {
    Matrix const matrix{24, 24, g.dims == 3 ? 24 : 1};
    Trajectory const t = make_trajectory(matrix, g.defaults);
    EXPECT_GT(t.size(), 0) << g.name;
    EXPECT_EQ(t.size() % t.samples_per_readout, 0) << g.name;
    EXPECT_LE(test::largest_over_edge(t, matrix), 1 + 1e-12) << g.name;  // some roundings of 1e-16
    EXPECT_TRUE(std::regex_search(g.source, std::regex("[0-9]+:[0-9]+ \\([0-9]{4}\\)")))
        << g.name;  // volume, page, year
    EXPECT_GT(dwell_s(g.defaults), 0);
    EXPECT_EQ(&trajectory_generator(g.name), &g);
  }
}

TEST(Generate, EveryOptionTakesItsOwnDefault) {
  for (Generator const& g : trajectory_generators()) {
    OptionValues values;
    for (GeneratorOption const& o : generator_options(g)) {
      EXPECT_FALSE(o.help.empty()) << g.name << " " << o.name;
      values.emplace_back(o.name, o.default_value);
    }
    std::int64_t const n = g.dims == 3 ? 16 : 32;
    Matrix const matrix{n, n, g.dims == 3 ? n : 1};
    Trajectory const a = make_trajectory(matrix, g.defaults);
    Trajectory const b = make_trajectory(matrix, trajectory_options(g.name, values));
    ASSERT_EQ(a.size(), b.size()) << g.name;
    // Defaults are printed with six digits; none needs more, but 5 us x 1e-6 may round differently from 5e-6.
    for (std::size_t m = 0; m < a.kx.size(); ++m) ASSERT_NEAR(a.kx[m], b.kx[m], 1e-9) << g.name;
  }
}

TEST(Generate, AWordNamesATrajectoryWithItsOptions) {
  auto const o =
      std::get<Radial2dOptions>(parse_trajectory("radial:shots=8,spoke=half,order=golden,dwell=4"));
  EXPECT_EQ(o.spokes, 8);
  EXPECT_EQ(o.kind, SpokeKind::half);
  EXPECT_EQ(o.order, AngleOrder::golden);
  EXPECT_DOUBLE_EQ(o.dwell_s, 4e-6);
  EXPECT_EQ(std::get<CartesianOptions>(parse_trajectory("cartesian")).acceleration, 1);
  EXPECT_EQ(trajectory_name("radial:shots=8"), "radial");
}

TEST(Generate, RefusesWhatItDoesNotKnow) {
  EXPECT_EQ(refused([] { trajectory_options("zigzag"); }), "there is no trajectory 'zigzag'");
  EXPECT_EQ(refused([] { parse_trajectory("radial:blades=3"); }), "the trajectory radial takes no blades");
  EXPECT_EQ(refused([] { parse_trajectory("radial:shots"); }),
            "'shots' in 'radial:shots' is no option=value");
  EXPECT_EQ(refused([] { parse_trajectory("radial:shots=2.5"); }), "shots is '2.5', not a whole number");
  EXPECT_EQ(refused([] { parse_trajectory("radial:dwell=nan"); }), "dwell is 'nan', not a number");
  EXPECT_EQ(refused([] { parse_trajectory("radial:spoke=third"); }), "spoke is 'third'");
  EXPECT_EQ(refused([] { parse_trajectory("radial:shots=3,shots=4"); }), "shots is given twice");
}

TEST(Generate, RefusalsNameNoMemberOfTheCode) {
  // Users know an option as its word with "-" or as plain words; '_' is the code's, and so are seconds of a dwell time.
  for (Generator const& g : trajectory_generators()) {
    Matrix const matrix{24, 24, g.dims == 3 ? 24 : 1};
    for (GeneratorOption const& option : generator_options(g)) {
      if (!option.choices.empty()) continue;
      std::string const message = refused([&] {
        make_trajectory(matrix, trajectory_options(g.name, {{option.name, "-3"}}));
      });
      EXPECT_EQ(message.find('_'), std::string::npos) << message;
      EXPECT_NE(message.find("is -3"), std::string::npos)
          << g.name << " --" << option.name << ": " << message;
    }
  }
}

TEST(Generate, RefusesMoreThanAnyScanHasBeforeItTakesTheMemory) {
  Matrix const flat{64, 64, 1}, solid{16, 16, 16};
  for (char const* word : {"rosette:petals=4000000000000000000", "propeller:blades=4000000000000000000",
                           "spiral_vd:shots=4000000000000000000", "spiral_vd:shots=1,undersampling=1e-9",
                           "spiral_vd:undersampling=1e-9", "radial:shots=4000000000000000000",
                           "propeller:readout-oversampling=4000000000000000000", "rosette:dwell=1e-9",
                           "spiral_vd:dwell=1e-12,readout-limit=1e6"}) {
    refused([&] { make_trajectory(flat, parse_trajectory(word)); });
  }
  for (char const* word :
       {"cones:equator=4000000000000000000", "cones:undersampling=1e-9", "tpi:undersampling=1e-20",
        "tpi:dwell=1e-9", "radial_3d_adapted:undersampling=1e-9",
        "stack_of_stars:shots=4000000000000000000"}) {
    refused([&] { make_trajectory(solid, parse_trajectory(word)); });
  }
}

}  // namespace
}  // namespace findrho
