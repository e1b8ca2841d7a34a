// SPDX-License-Identifier: BSD-3-Clause
// Gathers what an experiment reports into its result.
#pragma once
#include "findrho/lab/experiment.hpp"
#include "lab/lab_abi.hpp"

namespace findrho {

struct Collector {
  ExperimentResult& result;
  Context const& context;
};
/// The sink that fills the collector, which outlives it.
LabSink sink_into(Collector& collector);

/// Errors  bad_option, naming the experiments there are
ExperimentInfo const& find_experiment(std::string const& name);

}  // namespace findrho
