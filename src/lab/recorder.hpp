// SPDX-License-Identifier: BSD-3-Clause
// Through this an experiment reports: what it checked, its rows, and what to do about them. Header only: the program
// and the CUDA module each have it.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "lab/lab_abi.hpp"

namespace findrho {

struct LabStopped : std::runtime_error {
  LabStopped() : std::runtime_error("stopped") {}
};

class Recorder {
 public:
  explicit Recorder(LabSink const& sink) : sink_(sink) {}

  struct Value {
    std::string name, unit;
    double value = 0;
  };
  struct Row {
    std::string variant;
    std::vector<Value> values;
    double predicted = std::numeric_limits<double>::quiet_NaN();
    double tolerance = 0.25;
    std::string reason = {}, note = {};
  };

  void row(Row const& r) const {
    std::vector<LabValue> values;
    for (Value const& v : r.values) values.push_back({v.name.c_str(), v.unit.c_str(), v.value});
    LabRow const record{r.variant.c_str(), values.data(), static_cast<int>(values.size()),
                        r.predicted,       r.tolerance,   r.reason.c_str(),
                        r.note.c_str()};
    sink_.row(sink_.self, &record);
  }

  /// Errors  runtime_error, when the result is wrong (NaN is): then no time is reported
  void verify(std::string const& what, double error, double bound) const {
    if (sink_.cancelled(sink_.self) != 0) throw LabStopped();
    if (!(error <= bound)) {
      throw std::runtime_error(what + " is wrong: error " + std::to_string(error) + ", allowed " +
                               std::to_string(bound));
    }
    sink_.verified(sink_.self, what.c_str(), error, bound);
  }
  /// Whole numbers: equal or wrong.
  void verify_equal(std::string const& what, std::uint64_t result, std::uint64_t expected) const {
    if (result != expected) {
      throw std::runtime_error(what + " is wrong: " + std::to_string(result) + ", not " +
                               std::to_string(expected));
    }
    verify(what, 0, 0);
  }

  void advice(std::string const& text) const { sink_.text(sink_.self, LabSink::advice, text.c_str()); }
  /// "Question? Answer." of docs/lab.md, with this device's numbers.
  void answer(std::string const& text) const { sink_.text(sink_.self, LabSink::answer, text.c_str()); }
  void remark(std::string const& text) const { sink_.text(sink_.self, LabSink::remark, text.c_str()); }

 private:
  LabSink const& sink_;
};

/// 3.1416 with as many digits as are read: "3.14", "1234".
inline std::string brief(double value, int digits = 3) {
  char text[64];
  std::snprintf(text, sizeof(text), "%.*g", digits, value);
  double const magnitude = std::abs(value);
  if (magnitude >= 1000 && magnitude < 1e7) std::snprintf(text, sizeof(text), "%.0f", value);
  return text;
}

}  // namespace findrho
