// SPDX-License-Identifier: BSD-3-Clause
// What findrho ladder prints: the accounting table, the same as JSON, and as a picture.
#pragma once
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "findrho/dft/measure.hpp"
#include "findrho/lab/ceilings.hpp"

namespace findrho {

struct LadderRow : RungTiming {
  // Of the reconstruction of a small phantom with this rung's sums; NaN: not made.
  double psnr_db = std::numeric_limits<double>::quiet_NaN();
  double from_double = std::numeric_limits<double>::quiet_NaN();  // relative l2 distance from that in double
};

/// The whole reconstruction: what F^H d, Q and the solve take with each rung's sums.
struct Amdahl {
  struct Row {
    std::size_t row;  // of the report
    double q_s = 0;
    bool q_extrapolated = false;
    double solve_s = 0;  // where the row's sums were: on the processor or on the device
  };
  std::vector<Row> rows;
  std::string solver;  // "30 iterations of CG on ..."
};

struct LadderReport {
  std::string title, processor, device;  // device: empty without CUDA
  SumKind kind = SumKind::fhd;
  std::int64_t samples = 0, voxels = 0, coils = 1;
  int element_bytes = 4;
  std::vector<LadderRow> rows;  // in the order of the ladder, the CPU's before the device's
  // Of the device, per second: sines or cosines, and float instructions; 0: unknown.
  double sine_rate = 0, float_rate = 0;
  double cpu_multiply_adds = 0;      // of the CPU, per second, by the lab; 0: not measured
  std::string rates_from;            // "findrho lab", or what they were worked out from
  std::optional<Ceilings> ceilings;  // that the lab measured of the device
  std::optional<Amdahl> amdahl;
  std::vector<std::string> notes;
};

/// Pairs per second that the device's arithmetic allows a rung, and what limits it: the sine units (two of every pair,
/// 16 a clock and multiprocessor) where the rung uses them, else the float units (128 a clock). On the CPU only the
/// separable rung has one: the processor's multiply-adds, two of every pair.
struct RungLimit {
  double pairs_per_second = 0;
  char const* what = "";
};
std::optional<RungLimit> limit_of(RungTiming const& row, LadderReport const& report);

std::string table_text(LadderReport const& report);
std::string table_json(LadderReport const& report);
/// Shares of F^H d, Q and the solve, a row a rung.
std::string amdahl_text(LadderReport const& report);
/// Bars of pairs per second, and, where the lab measured the device, its roofline with the rungs on it.
/// Errors  cannot_write
void write_ladder_picture(std::string const& path, LadderReport const& report);
/// The numbers of the user's own problem, in words.
std::string explanation(LadderReport const& report);

/// "1 024", "2.1e12": short numbers for tables.
std::string rate_text(double per_second);

}  // namespace findrho
