// SPDX-License-Identifier: BSD-3-Clause
#include "study_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "findrho/io/montage.hpp"
#include "progress.hpp"

namespace findrho {
namespace {

std::string number_or_dash(double value, int digits) {
  return std::isfinite(value) ? fmt::format("{:.{}f}", value, digits) : "-";
}

/// One column: its name in the table, its name with the unit in files, its text.
struct Column {
  char const *title, *key;
  std::string (*text)(StudyRow const&);
  double (*number)(StudyRow const&);
};

constexpr Column kNumbers[] = {
    {"SNR", "snr", [](StudyRow const& r) { return r.snr > 0 ? fmt::format("{:g}", r.snr) : "-"; },
     [](StudyRow const& r) { return r.snr; }},
    {"shots", "shots", [](StudyRow const& r) { return fmt::format("{}", r.shots); },
     [](StudyRow const& r) { return static_cast<double>(r.shots); }},
    {"samples", "samples", [](StudyRow const& r) { return fmt::format("{}", r.samples); },
     [](StudyRow const& r) { return static_cast<double>(r.samples); }},
    {"scan", "scan_time_s", [](StudyRow const& r) { return duration_text(r.scan_time_s); },
     [](StudyRow const& r) { return r.scan_time_s; }},
    {"PSNR [dB]", "psnr_db", [](StudyRow const& r) { return number_or_dash(r.psnr_db, 2); },
     [](StudyRow const& r) { return r.psnr_db; }},
    {"SSIM", "ssim", [](StudyRow const& r) { return number_or_dash(r.ssim, 3); },
     [](StudyRow const& r) { return r.ssim; }},
    {"PSF [voxels]", "psf_fwhm_voxels", [](StudyRow const& r) { return number_or_dash(r.psf_width, 2); },
     [](StudyRow const& r) { return r.psf_width; }},
    {"side lobe", "psf_side_lobe",
     [](StudyRow const& r) { return number_or_dash(100 * r.psf_side_lobe, 1) + " %"; },
     [](StudyRow const& r) { return r.psf_side_lobe; }},
    {"noise gain", "noise_gain", [](StudyRow const& r) { return number_or_dash(r.noise_gain, 2); },
     [](StudyRow const& r) { return r.noise_gain; }},
    {"recon", "recon_s", [](StudyRow const& r) { return duration_text(r.recon_seconds); },
     [](StudyRow const& r) { return r.recon_seconds; }}};

std::size_t widest(std::vector<StudyRow> const& rows, std::string const& title,
                   std::string (*text)(StudyRow const&)) {
  std::size_t width = title.size();
  for (StudyRow const& row : rows) width = std::max(width, text(row).size());
  return width;
}

std::string quoted(std::string const& text) {
  std::string result = "\"";
  for (char const c : text) result += c == '"' ? "\"\"" : std::string(1, c);
  return result + "\"";
}

}  // namespace

std::string study_table(std::vector<StudyRow> const& rows) {
  struct Words {
    char const* title;
    std::string (*text)(StudyRow const&);
  };
  Words const words[] = {{"trajectory", [](StudyRow const& r) { return r.trajectory; }},
                         {"method", [](StudyRow const& r) { return method_name(r.method); }},
                         {"motion", [](StudyRow const& r) { return r.motion; }}};
  std::vector<std::string> lines(rows.size() + 1);
  for (Words const& w : words) {
    std::size_t const width = widest(rows, w.title, w.text);
    lines[0] += fmt::format("{:<{}}  ", w.title, width);
    for (std::size_t i = 0; i < rows.size(); ++i)
      lines[i + 1] += fmt::format("{:<{}}  ", w.text(rows[i]), width);
  }
  for (Column const& c : kNumbers) {
    std::size_t const width = widest(rows, c.title, c.text);
    lines[0] += fmt::format("{:>{}}  ", c.title, width);
    for (std::size_t i = 0; i < rows.size(); ++i)
      lines[i + 1] += fmt::format("{:>{}}  ", c.text(rows[i]), width);
  }
  std::string text;
  for (std::string const& line : lines) text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  return text;
}

std::string study_csv(std::vector<StudyRow> const& rows) {
  std::string text = "trajectory,method,motion";
  for (Column const& c : kNumbers) text += fmt::format(",{}", c.key);
  text += "\n";
  for (StudyRow const& row : rows) {
    text +=
        fmt::format("{},{},{}", quoted(row.trajectory), quoted(method_name(row.method)), quoted(row.motion));
    for (Column const& c : kNumbers) {
      double const value = c.number(row);
      text += std::isfinite(value) ? fmt::format(",{:.6g}", value) : ",";
    }
    text += "\n";
  }
  return text;
}

std::string study_json(std::vector<StudyRow> const& rows, StudyOptions const& options) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (StudyRow const& row : rows) {
    Json entry{{"trajectory", row.trajectory}, {"method", method_name(row.method)}, {"motion", row.motion}};
    for (Column const& c : kNumbers) {
      double const value = c.number(row);
      entry[c.key] = std::isfinite(value) ? Json(value) : Json(nullptr);
    }
    list.push_back(std::move(entry));
  }
  Matrix const& m = options.scan.matrix;
  return Json{{"matrix", {m.x, m.y, m.z}},
              {"fov_mm", options.scan.fov_mm},
              {"coils", options.scan.coils},
              {"seed", options.scan.seed},
              {"repetition_time_s", options.scan.repetition_time_s},
              {"lambda", options.recon.lambda},
              {"iterations", options.recon.iterations},
              {"rows", list}}
             .dump(2) +
         "\n";
}

void write_study_picture(std::string const& path, std::vector<StudyRow> const& rows, std::int64_t columns) {
  std::vector<PanelImage> panel;
  for (StudyRow const& row : rows) {
    Shape const& shape = row.image.shape();
    Shape const plane{{Axis::y, shape.extent(Axis::y)}, {Axis::x, shape.extent(Axis::x)}};
    View<float const> const middle(row.image.data() + shape.extent(Axis::z) / 2 * plane.size(), plane);
    std::string caption = fmt::format("{}, {}\n", row.trajectory, method_name(row.method));
    if (row.motion != "none") caption += row.motion + "\n";
    if (row.snr > 0) caption += fmt::format("SNR {:g}, ", row.snr);
    panel.push_back({middle, caption + fmt::format("PSNR {:.1f} dB", row.psnr_db)});
  }
  write_png(path,
            make_panel(panel, {.window = percentile_window({panel.front().image}), .columns = columns}));
}

}  // namespace findrho
