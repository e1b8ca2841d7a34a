// SPDX-License-Identifier: BSD-3-Clause
// Results of the lab as tables and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "lab_parts.hpp"

namespace findrho {
namespace {

std::string number(double value) {
  double const size = std::abs(value);
  if (value == 0) return "0";
  if (size >= 1000 && size < 1e12) return fmt::format("{:.0f}", value);
  if (size >= 100) return fmt::format("{:.4g}", value);
  return size >= 0.01 ? fmt::format("{:.3g}", value) : fmt::format("{:.2g}", value);
}

using Line = std::vector<std::string>;

std::string aligned(std::vector<Line> const& lines) {
  std::vector<std::size_t> width;
  for (Line const& line : lines) {
    width.resize(std::max(width.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) width[i] = std::max(width[i], line[i].size());
  }
  std::string text;
  for (Line const& line : lines) {
    text += " ";
    for (std::size_t i = 0; i < line.size(); ++i) {
      bool const words = i == 0 || i + 1 == line.size();
      text += words ? fmt::format(" {:<{}}", line[i], i == 0 ? width[i] : 0)
                    : fmt::format("  {:>{}}", line[i], width[i]);
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

bool same_columns(LabMeasurement const& a, LabMeasurement const& b) {
  return std::equal(a.values.begin(), a.values.end(), b.values.begin(), b.values.end(),
                    [](auto const& x, auto const& y) { return x.name == y.name && x.unit == y.unit; });
}

Line header(LabMeasurement const& row) {
  Line line{"variant"};
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    auto const& v = row.values[i];
    line.push_back(v.unit.empty() ? v.name : v.name + ", " + v.unit);
    if (i == 0) line.push_back("predicted");
  }
  line.push_back("  because");
  return line;
}

Line cells(LabMeasurement const& row) {
  Line line{row.variant};
  for (std::size_t i = 0; i < row.values.size(); ++i) {
    line.push_back(number(row.values[i].value));
    if (i == 0) line.push_back(row.predicted ? number(*row.predicted) + (row.agrees() ? " " : "*") : "-");
  }
  line.push_back("  " + row.reason);
  return line;
}

/// "* one variant; another: why", a line for each reason.
std::string disagreements(std::vector<LabMeasurement> const& rows) {
  std::vector<std::pair<std::string, std::string>> variants_of;  // reason, variants
  for (LabMeasurement const& row : rows) {
    if (row.agrees()) continue;
    std::string const why = row.note.empty() ? "not explained" : row.note;
    auto const known =
        std::find_if(variants_of.begin(), variants_of.end(), [&](auto const& v) { return v.first == why; });
    if (known == variants_of.end()) {
      variants_of.emplace_back(why, row.variant);
    } else {
      known->second += "; " + row.variant;
    }
  }
  std::string text;
  for (auto const& [why, variants] : variants_of) text += fmt::format("  * {}: {}\n", variants, why);
  return text;
}

}  // namespace

std::string lab_text(ExperimentResult const& result) {
  std::string text =
      fmt::format("\n{}: {}  [{}; {:.1f} s]\n", result.name, result.title, result.device, result.seconds);
  std::vector<Line> lines;
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    if (i == 0 || !same_columns(result.rows[i - 1], result.rows[i])) {
      text += aligned(std::exchange(lines, {header(result.rows[i])}));
    }
    lines.push_back(cells(result.rows[i]));
  }
  text += aligned(lines);
  text += disagreements(result.rows);
  text += fmt::format("  checked before timing: {} results against the host's\n", result.checks.size());
  for (auto const& remark : result.remarks) text += "  note: " + remark + "\n";
  for (auto const& answer : result.answers) text += "  question: " + answer + "\n";
  for (auto const& advice : result.advice) text += "  in your own kernel: " + advice + "\n";
  return text;
}

std::string lab_json(std::vector<ExperimentResult> const& results) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (ExperimentResult const& result : results) {
    Json rows = Json::array(), checks = Json::array();
    for (LabMeasurement const& row : result.rows) {
      Json values = Json::array();
      for (auto const& v : row.values)
        values.push_back({{"name", v.name}, {"unit", v.unit}, {"value", v.value}});
      Json entry{{"variant", row.variant}, {"values", values}};
      entry["predicted"] = row.predicted ? Json(*row.predicted) : Json(nullptr);
      entry["as_predicted"] = row.agrees();
      entry["reason"] = row.reason;
      if (!row.agrees()) entry["explanation"] = row.note;
      rows.push_back(entry);
    }
    for (auto const& c : result.checks)
      checks.push_back({{"what", c.what}, {"error", c.error}, {"bound", c.bound}});
    all.push_back({{"experiment", result.name},
                   {"title", result.title},
                   {"device", result.device},
                   {"seconds", result.seconds},
                   {"rows", rows},
                   {"checks", checks},
                   {"remarks", result.remarks},
                   {"answers", result.answers},
                   {"advice", result.advice}});
  }
  return all.dump(2) + "\n";
}

}  // namespace findrho
