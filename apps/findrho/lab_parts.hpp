// SPDX-License-Identifier: BSD-3-Clause
// The parts of findrho lab: text and JSON of results, charts, and the profiler's counters.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "findrho/io/png.hpp"
#include "findrho/lab/ceilings.hpp"
#include "findrho/lab/experiment.hpp"

namespace findrho {

/// Aligned tables, what was checked, answers and advice.
std::string lab_text(ExperimentResult const& result);
/// One JSON document for all of them.
std::string lab_json(std::vector<ExperimentResult> const& results);

struct Chart {
  struct Series {
    std::string label;
    std::vector<std::pair<double, double>> points;  // positive; both axes are logarithmic
    double label_at = 1;  // 1: beside the last point; less: on the line, that share of the way
  };
  struct Point {
    double x, y;
    std::string tag;
  };
  std::string title, x_label, y_label;
  std::vector<Series> series;
  std::vector<Point> points = {};  // beside the lines
};
/// Of the experiments that make a picture: access, cache-sweep and roofline; others give none.
std::vector<std::pair<std::string, Chart>> charts_of(ExperimentResult const& result);
Chart roofline_chart(Ceilings const& ceilings);
std::string chart_svg(Chart const& chart);
GreyImage chart_image(Chart const& chart);
/// Writes <stem>.svg and <stem>.png.
/// Errors  cannot_write
void write_chart(std::filesystem::path const& stem, Chart const& chart);

/// The command that profiles one experiment with Nsight Compute, clocks left as they are.
std::string ncu_command(std::string const& program, std::string const& experiment, int device);
bool ncu_is_there();
/// Runs the command and gives its counters as a table, one row a launch.
/// Errors  device_fault
std::string ncu_table(std::string const& command);

}  // namespace findrho
