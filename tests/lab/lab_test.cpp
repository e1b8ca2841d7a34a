// SPDX-License-Identifier: BSD-3-Clause
// The experiments: all run and hold their checks; wrong results, unknown names and cancelling are told apart.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "backend/gpu.hpp"
#include "findrho/core/error.hpp"
#include "findrho/lab/ceilings.hpp"
#include "findrho/lab/experiment.hpp"
#include "lab/collect.hpp"
#include "lab/cpu.hpp"
#include "lab/product_check.hpp"
#include "lab/recorder.hpp"
#include "support/temp_folder.hpp"

namespace findrho {
namespace {

void expect_complete(ExperimentResult const& result) {
  EXPECT_FALSE(result.rows.empty()) << result.name;
  EXPECT_FALSE(result.advice.empty()) << result.name;
  EXPECT_FALSE(result.checks.empty()) << result.name << " checked nothing";
  EXPECT_FALSE(result.device.empty());
  for (auto const& row : result.rows) {
    ASSERT_FALSE(row.values.empty()) << result.name << ", " << row.variant;
    EXPECT_FALSE(row.reason.empty()) << result.name << ", " << row.variant;
  }
}

TEST(Lab, EveryCpuExperimentRunsAndChecksItself) {
  Context const context = Context::cpu(2);
  int on_cpu = 0;
  for (ExperimentInfo const& info : experiments()) {
    if (!info.on_cpu) continue;
    expect_complete(run_on_cpu(context, info.name, LabSize::small));
    ++on_cpu;
  }
  EXPECT_GE(on_cpu, 6);
}

TEST(Lab, AnUnknownExperimentIsRefused) {
  Context const context = Context::cpu(1);
  try {
    run_on_cpu(context, "acess");
    FAIL() << "no error";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind, ErrorKind::bad_option);
    EXPECT_NE(error.hint.find("--list"), std::string::npos);
  }
}

TEST(Lab, AGpuExperimentOnTheCpuSaysSo) {
  Context const context = Context::cpu(1);
  EXPECT_THROW(run_on_cpu(context, "banks"), Error);
}

TEST(Lab, StopsWhenCancelled) {
  Context context = Context::cpu(1);
  std::atomic<bool> stop{true};
  context.set_cancel_flag(&stop);
  try {
    run_on_cpu(context, "histogram", LabSize::small);
    FAIL() << "no error";
  } catch (Error const& error) {
    EXPECT_EQ(error.kind, ErrorKind::cancelled);
  }
}

struct RecorderFixture {
  Context context = Context::cpu(1);
  ExperimentResult result;
  Collector collector{result, context};
  LabSink sink = sink_into(collector);
  Recorder out{sink};
};

TEST(Recorder, RefusesAWrongResultAndNan) {
  RecorderFixture f;
  EXPECT_NO_THROW(f.out.verify("sum", 0.5, 1.0));
  EXPECT_THROW(f.out.verify("sum", 1.5, 1.0), std::runtime_error);
  EXPECT_THROW(f.out.verify("sum", std::nan(""), 1.0), std::runtime_error);
  EXPECT_THROW(f.out.verify_equal("sum", 3, 4), std::runtime_error);
  EXPECT_EQ(f.result.checks.size(), 1u);
}

TEST(LabMeasurement, AgreesWithinItsFactor) {
  LabMeasurement row;
  row.values = {{"rate", "GB/s", 100}};
  EXPECT_TRUE(row.agrees()) << "nothing was predicted";
  row.tolerance = 0.25;
  row.predicted = 81;
  EXPECT_TRUE(row.agrees());
  row.predicted = 79;
  EXPECT_FALSE(row.agrees());
  EXPECT_TRUE(row.unexplained());
  row.note = "the clock was low";
  EXPECT_FALSE(row.unexplained());
  row.predicted = 0;
  EXPECT_FALSE(row.agrees());
}

LabMeasurement const& fastest(ExperimentResult const& result, std::string const& part_of_name) {
  LabMeasurement const* best = nullptr;
  for (LabMeasurement const& row : result.rows) {
    if (row.variant.find(part_of_name) == std::string::npos) continue;
    if (best == nullptr || row.values.front().value > best->values.front().value) best = &row;
  }
  if (best == nullptr) throw std::runtime_error("no row has " + part_of_name);
  return *best;
}

TEST(CpuLab, ExplainsTheSideOnWhichAPredictionFailed) {
  EXPECT_EQ(on_side(3, 2, "above", "below"), "above");
  EXPECT_EQ(on_side(1, 2, "above", "below"), "below");
}

TEST(CpuLab, PredictsProductsFromVectorsMeasuredInTheSameRun) {
  Context const context = Context::cpu(1);
  ExperimentResult const result = run_on_cpu(context, "matmul", LabSize::small);
  double const in_registers = result.rows.front().values.front().value;
  EXPECT_DOUBLE_EQ(fastest(result, "tile of 4 x 8").predicted.value(), in_registers);
  EXPECT_LE(fastest(result, "sums along rows").predicted.value(), in_registers);
}

TEST(CpuLab, AdvisesWhatWasFastest) {
  Context const context = Context::cpu(1);
  ExperimentResult const product = run_on_cpu(context, "matmul", LabSize::small);
  std::string const best = fastest(product, "128, ").variant.substr(5);
  EXPECT_NE(product.advice.front().find("largest size: " + best), std::string::npos) << best;

  ExperimentResult const histogram = run_on_cpu(context, "histogram", LabSize::small);
  for (std::string const input : {", uniform", ", one bin"}) {
    std::string const variant = fastest(histogram, input).variant;
    std::string const what = variant.substr(0, variant.size() - input.size()) + " for" + input.substr(1);
    EXPECT_NE(histogram.advice.front().find(what), std::string::npos) << what;
  }
}

TEST(CpuLab, ASetThatTheLastCacheHoldsIsNotPredictedAtMemorysPace) {
  Context const context = Context::cpu(1);
  ExperimentResult const result = run_on_cpu(context, "cache-sweep", LabSize::small);
  ASSERT_LE(64 << 10, last_cache_bytes());
  LabMeasurement const &first = fastest(result, "stream, 16 KB"), &second = fastest(result, "stream, 64 KB");
  EXPECT_GT(first.predicted.value(), 0);
  EXPECT_DOUBLE_EQ(second.predicted.value(), first.predicted.value());
}

TEST(ProductCheck, FindsOneWrongElement) {
  std::size_t const n = 64;
  std::vector<float> a(n * n), b(n * n), c(n * n, 0);
  for (std::size_t i = 0; i < n * n; ++i) a[i] = mixed_float(i), b[i] = mixed_float(n * n + i);
  for (std::size_t y = 0; y < n; ++y) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t x = 0; x < n; ++x) c[y * n + x] += a[y * n + k] * b[k * n + x];
    }
  }
  EXPECT_LT(product_error(a, b, c, n, 6e-8), 1);
  c[17 * n + 5] += 0.01f;
  EXPECT_GT(product_error(a, b, c, n, 6e-8), 1);
  c[17 * n + 5] = std::nanf("");
  EXPECT_FALSE(product_error(a, b, c, n, 6e-8) <= 1);
}

class CeilingsFile : public testing::Test {
 protected:
  test::TempFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
};

TEST_F(CeilingsFile, ComesBackAsItWasKept) {
  Ceilings const kept{"a device",
                      {{"DRAM", Ceiling::Kind::bytes, 4.25e12}, {"FP32", Ceiling::Kind::operations, 6.5e13}}};
  save_ceilings(folder_, "GPU-1", kept);
  auto const read = load_ceilings(folder_, "GPU-1");
  ASSERT_TRUE(read);
  EXPECT_EQ(read->device, "a device");
  EXPECT_DOUBLE_EQ((*read)["DRAM"], 4.25e12);
  EXPECT_DOUBLE_EQ((*read)["FP32"], 6.5e13);
  EXPECT_EQ((*read)["FP16"], 0);
  EXPECT_FALSE(load_ceilings(folder_, "GPU-2"));
}

TEST_F(CeilingsFile, ADamagedFileIsAsGoodAsNone) {
  save_ceilings(folder_, "GPU-1", {"a device", {{"DRAM", Ceiling::Kind::bytes, 4e12}}});
  for (char const* text :
       {"", "findrho ceilings 1\na device\n", "findrho ceilings 1\na device\nDRAM bytes x\n",
        "findrho ceilings 1\na device\nDRAM miles 3\n", "findrho ceilings 9\na device\nDRAM bytes 3\n"}) {
    std::ofstream(folder_ / "ceilings-GPU-1.txt") << text;
    EXPECT_FALSE(load_ceilings(folder_, "GPU-1")) << text;
  }
}

class GpuLab : public testing::TestWithParam<std::string> {};

TEST_P(GpuLab, RunsAndChecksItself) {
  FINDRHO_NEED_GPU(module);
  Context const context = Context::cpu(2);
  expect_complete(run_on_cuda(context, CudaSession::open(module, 0), GetParam(), LabSize::small));
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (ExperimentInfo const& info : experiments()) names.push_back(info.name);
  return names;
}

INSTANTIATE_TEST_SUITE_P(GpuLab, GpuLab, testing::ValuesIn(all_names()), [](auto const& chosen) {
  std::string name = chosen.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

}  // namespace
}  // namespace findrho
