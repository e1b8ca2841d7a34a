// SPDX-License-Identifier: BSD-3-Clause
#include "progress.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace findrho {
namespace {

// A terminal is redrawn at most this often, so that hundreds of fast iterations cost nothing.
constexpr double kRedrawSeconds = 0.1;
// Elsewhere an iteration gets a line when it is a tenth of the whole, or this long after the last line.
constexpr double kPlainSeconds = 10;
constexpr int kPlainLines = 10;

double seconds_between(std::chrono::steady_clock::time_point from, std::chrono::steady_clock::time_point to) {
  return std::chrono::duration<double>(to - from).count();
}

char const* name(Event::Type type) {
  switch (type) {
    case Event::Type::phase_begin:
      return "phase_begin";
    case Event::Type::phase_end:
      return "phase_end";
    case Event::Type::iteration:
      return "iteration";
    case Event::Type::allocation:
      return "allocation";
    case Event::Type::note:
      return "note";
    case Event::Type::warning:
      return "warning";
  }
  return "";
}

std::string json_line(Event const& event) {
  nlohmann::ordered_json line;
  line["event"] = name(event.type);
  line["text"] = event.text;
  if (event.type == Event::Type::phase_end) line["seconds"] = event.seconds;
  if (event.type == Event::Type::allocation) line["bytes"] = event.bytes;
  if (event.type == Event::Type::iteration) {
    line["step"] = event.step;
    line["total"] = event.total;
    line["residual"] = event.residual;
    line["objective"] = event.objective;
  }
  // A text that is no UTF-8 (a file name, say) must not end the run.
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string duration_text(double seconds) {
  if (seconds < 0.9995) return fmt::format("{:.0f} ms", seconds * 1e3);
  if (seconds < 59.95) return fmt::format("{:.1f} s", seconds);
  auto const whole = static_cast<std::int64_t>(std::llround(seconds));
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes_text(double bytes) {
  if (bytes < 1024) return fmt::format("{:.0f} bytes", bytes);
  static constexpr char const* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  int unit = -1;
  for (; bytes >= 1024 && unit < 3; ++unit) bytes /= 1024;
  return fmt::format("{:.1f} {}", bytes, kUnits[unit]);
}

Progress::Progress(ProgressStyle style, Verbosity verbosity, std::FILE* out)
    : style_(style), verbosity_(verbosity), out_(out) {}

void Progress::show(Event const& event) {
  std::lock_guard<std::mutex> const lock(mutex_);
  bool const ends = event.type == Event::Type::phase_end && !running_.empty();
  record_.add(event, static_cast<int>(running_.size()) - (ends ? 1 : 0));
  if (style_ == ProgressStyle::json) {
    if (verbosity_ == Verbosity::normal || event.type == Event::Type::warning) print_line(json_line(event));
  } else if (verbosity_ == Verbosity::normal) {
    show_lines(event);
  } else if (event.type == Event::Type::warning) {
    print_line("warning: " + event.text);
  }
  if (event.type == Event::Type::phase_begin) begin(event);
  if (ends) running_.pop_back();
}

void Progress::begin(Event const& event) {
  auto const now = Clock::now();
  running_.push_back({event.text, now, now, now});
}

void Progress::show_lines(Event const& event) {
  switch (event.type) {
    case Event::Type::phase_begin:
      if (style_ == ProgressStyle::terminal) redraw(event.text + " ...");
      break;
    case Event::Type::phase_end:
      end(event);
      break;
    case Event::Type::iteration:
      iterate(event);
      break;
    case Event::Type::allocation:
      break;
    case Event::Type::note:
      print_line("note: " + event.text);
      break;
    case Event::Type::warning:
      print_line("warning: " + event.text);
      break;
  }
}

void Progress::end(Event const& event) {
  auto const indent = running_.empty() ? 0 : 2 * (running_.size() - 1);
  std::string line = fmt::format("{:{}}{:<12} {:>9}", "", indent, event.text, duration_text(event.seconds));
  if (!running_.empty() && running_.back().steps > 0) {
    line += fmt::format("   {} iterations, residual {:.2e}", running_.back().steps, running_.back().residual);
  }
  print_line(line);
}

void Progress::iterate(Event const& event) {
  auto const now = Clock::now();
  if (running_.empty()) begin({.type = Event::Type::phase_begin, .text = event.text});
  Running& phase = running_.back();
  // Steps that begin anew are another solve of the same phase: what went before says nothing of its time.
  if (event.step <= phase.steps) phase.start = phase.last_step;
  phase.last_step = now;
  phase.steps = event.step;
  phase.residual = event.residual;
  double const since_line = seconds_between(phase.last_line, now);
  bool const last = event.total > 0 && event.step >= event.total;
  bool const tenth = event.total > 0 &&
                     event.step * kPlainLines / event.total != (event.step - 1) * kPlainLines / event.total;
  bool const due = style_ == ProgressStyle::terminal ? event.step <= 1 || since_line > kRedrawSeconds
                                                     : tenth || since_line > kPlainSeconds;
  if (!due && !last) return;
  phase.last_line = now;

  std::string line = fmt::format("{} {}", event.text, event.step);
  if (event.total > 0) line += fmt::format("/{}", event.total);
  line += fmt::format("   residual {:.2e}", event.residual);
  if (event.total > event.step && event.step > 0) {
    double const per_step = seconds_between(phase.start, now) / static_cast<double>(event.step);
    line += "   ETA " + duration_text(per_step * static_cast<double>(event.total - event.step));
  }
  style_ == ProgressStyle::terminal ? redraw(line) : print_line(line);
}

/// A write that fails is no failure of the work: fmt::print would throw.
void Progress::put(std::string const& text) {
  std::fputs(text.c_str(), out_);
  std::fflush(out_);
}

void Progress::print_line(std::string const& line) {
  clear_line();
  put(line + "\n");
}

void Progress::redraw(std::string const& line) {
  clear_line();
  put(line);
  line_drawn_ = true;
}

void Progress::clear_line() {
  if (line_drawn_) put("\r\033[K");
  line_drawn_ = false;
}

}  // namespace findrho
