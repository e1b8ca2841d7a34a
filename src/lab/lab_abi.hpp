// SPDX-License-Identifier: BSD-3-Clause
// The module's table for the lab (topic "lab"), and the form in which an experiment reports, on GPU and CPU alike.
#pragma once
#include "backend/cuda/module_abi.hpp"

namespace findrho {

struct LabValue {
  char const* name;  // "useful", "of the copy"
  char const* unit;  // "GB/s"; "" for a ratio
  double value;
};

/// One variant of an experiment. values[0] is the one that was predicted.
struct LabRow {
  char const* variant;
  LabValue const* values;
  int count;
  double predicted;  // of values[0]; NaN: nothing was predicted
  double
      tolerance;  // measured within predicted / (1 + tolerance) .. predicted (1 + tolerance) is as predicted
  char const* reason;  // why it was predicted
  char const* note;    // what explains a disagreement on this device; "" when nothing is known
};

struct LabSink {
  enum Text : int { advice, answer, remark };
  void* self;
  void (*row)(void* self, LabRow const*);
  /// A result that was compared with its reference before anything was timed: error <= bound held.
  void (*verified)(void* self, char const* what, double error, double bound);
  void (*text)(void* self, int kind, char const* text);
  int (*cancelled)(void* self);
};

struct LabTable {
  static constexpr char const* kTopic = "lab";
  static constexpr int kVersion = 1;
  enum Effort : int {
    usual,
    small,  // arrays of some MB, for checking tools: the times then say nothing about the device
    once    // usual arrays, every variant launched as few times as can be: for profilers
  };
  int (*run)(void* session, char const* experiment, int effort, LabSink const*, CudaFault*);
};

}  // namespace findrho
