// SPDX-License-Identifier: BSD-3-Clause
// The memory lab: experiments on the device at hand, each with its prediction beside the measurement. Every result
// is checked before anything is timed.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "findrho/backend/cuda_session.hpp"
#include "findrho/core/context.hpp"

namespace findrho {

struct ExperimentInfo {
  std::string name;     // "access"
  std::string title;    // what varies
  std::string shows;    // what it must show
  bool on_cpu = false;  // has a CPU version too
};

/// All of them, in the order of a lesson.
std::vector<ExperimentInfo> const& experiments();

struct LabMeasurement {
  struct Value {
    std::string name, unit;
    double value = 0;
  };
  std::string variant;
  std::vector<Value> values;  // the first is the one that was predicted
  std::optional<double> predicted;
  double tolerance = 0;  // agrees within a factor of 1 + tolerance
  std::string reason;    // of the prediction
  std::string note;      // what explains a disagreement on such a device

  bool agrees() const;
  /// A prediction that failed and has no explanation.
  bool unexplained() const { return predicted && !agrees() && note.empty(); }
};

struct ExperimentResult {
  std::string name, title, device;
  std::vector<LabMeasurement> rows;
  struct Check {
    std::string what;
    double error = 0, bound = 0;
  };
  std::vector<Check> checks;         // all held
  std::vector<std::string> answers;  // to the questions of docs/lab.md
  std::vector<std::string> remarks, advice;
  double seconds = 0;
};

enum class LabSize {
  usual,
  small,  // arrays of some MB, for checking tools: the times say nothing about the device
  once    // usual arrays, nothing repeated: for profilers
};

/// Errors  bad_option (no such experiment, or none for the CPU), cancelled, device_fault (a wrong result, too),
///         out_of_memory
ExperimentResult run_on_cpu(Context const& context, std::string const& name, LabSize size = LabSize::usual);
ExperimentResult run_on_cuda(Context const& context, CudaSession const& session, std::string const& name,
                             LabSize size = LabSize::usual);

/// "12 cores of a ..." for the CPU's results.
std::string cpu_name(Context const& context);

}  // namespace findrho
