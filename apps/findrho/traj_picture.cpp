// SPDX-License-Identifier: BSD-3-Clause
#include "traj_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "findrho/io/montage.hpp"
#include "io/font.hpp"

namespace findrho {
namespace {

constexpr std::int64_t kScale = 2, kPlot = 720, kMargin = 50, kTop = 60, kStrip = 100, kGap = 14;
constexpr std::int64_t kMostDrawn = 128;  // readouts: more would be one grey area

using Spot = std::array<double, 2>;

/// Keeps the brighter of what is there and a dot spread over the four nearest pixels.
void dot(GreyImage& image, Spot const& at, double grey) {
  double const x0 = std::floor(at[0]), y0 = std::floor(at[1]), u = at[0] - x0, v = at[1] - y0;
  for (int i = 0; i < 4; ++i) {
    auto const x = static_cast<std::int64_t>(x0) + i % 2, y = static_cast<std::int64_t>(y0) + i / 2;
    if (x < 0 || y < 0 || x >= image.width || y >= image.height) continue;
    double const share = (i % 2 == 1 ? u : 1 - u) * (i / 2 == 1 ? v : 1 - v);
    auto const value = static_cast<std::uint8_t>(std::clamp(grey * std::min(1.0, 1.6 * share), 0.0, 255.0));
    image.at(x, y) = std::max(image.at(x, y), value);
  }
}

void line(GreyImage& image, Spot const& a, Spot const& b, double grey) {
  double const length = std::hypot(b[0] - a[0], b[1] - a[1]);
  auto const steps = static_cast<std::int64_t>(std::ceil(std::min(length, 1e4) / 0.4)) + 1;
  for (std::int64_t i = 0; i <= steps; ++i) {
    double const u = static_cast<double>(i) / static_cast<double>(steps);
    dot(image, {a[0] + u * (b[0] - a[0]), a[1] + u * (b[1] - a[1])}, grey);
  }
}

void thick_line(GreyImage& image, Spot const& a, Spot const& b, double grey) {
  for (double const d : {-0.6, 0.6}) {
    line(image, {a[0] + d, a[1]}, {b[0] + d, b[1]}, grey);
    line(image, {a[0], a[1] + d}, {b[0], b[1] + d}, grey);
  }
}

/// From k over the largest edge, -1 to 1 per axis, to the screen; depth is -1 (far) to 1 (near).
struct Camera {
  int dims;
  double centre_x = kMargin + 0.5 * kPlot, centre_y = kTop + 0.5 * kPlot;
  double size() const { return dims == 2 ? 0.47 * kPlot : 0.30 * kPlot; }

  Spot place(std::array<double, 3> const& k) const {
    if (dims == 2) return {centre_x + size() * k[0], centre_y - size() * k[1]};
    double const right = kCosTurn * k[0] - kSinTurn * k[1];
    double const up = kSinTilt * (kSinTurn * k[0] + kCosTurn * k[1]) + kCosTilt * k[2];
    return {centre_x + size() * right, centre_y - size() * up};
  }
  double depth(std::array<double, 3> const& k) const {
    if (dims == 2) return 0;
    return (-kCosTilt * (kSinTurn * k[0] + kCosTurn * k[1]) + kSinTilt * k[2]) / std::sqrt(2.0);
  }

 private:
  // Turned by 30 degrees around z, seen from 25 degrees above.
  static constexpr double kCosTurn = 0.8660254, kSinTurn = 0.5, kCosTilt = 0.9063078, kSinTilt = 0.4226183;
};

class KSpace {
 public:
  KSpace(GreyImage& image, TrajectoryPicture const& p) : image_(image), p_(p), camera_{p.trajectory.dims} {
    for (int d = 0; d < 3; ++d) largest_ = std::max(largest_, 0.5 * static_cast<double>(p.matrix[d]));
  }

  void draw_frame() {
    std::array<double, 3> e{};
    for (int d = 0; d < p_.trajectory.dims; ++d) {
      e[static_cast<std::size_t>(d)] = 0.5 * static_cast<double>(p_.matrix[d]) / largest_;
    }
    for (int corner = 0; corner < 8; ++corner) {
      for (int axis = 0; axis < p_.trajectory.dims; ++axis) {
        if (corner >> axis & 1) continue;
        std::array<double, 3> a{}, b{};
        for (int d = 0; d < 3; ++d)
          a[static_cast<std::size_t>(d)] = (corner >> d & 1 ? 1 : -1) * e[static_cast<std::size_t>(d)];
        b = a;
        b[static_cast<std::size_t>(axis)] = e[static_cast<std::size_t>(axis)];
        line(image_, camera_.place(a), camera_.place(b), 60);
      }
    }
    for (int d = 0; d < p_.trajectory.dims; ++d) draw_axis(d, e[static_cast<std::size_t>(d)]);
  }

  void draw_readout(std::int64_t i, bool highlighted) {
    std::int64_t const n = p_.trajectory.samples_per_readout;
    for (std::int64_t j = 1; j < n; ++j) {
      auto const a = at(i * n + j - 1), b = at(i * n + j);
      if (highlighted) {
        thick_line(image_, camera_.place(a), camera_.place(b), 255);
      } else {
        double const near = 0.5 + 0.5 * camera_.depth(a);
        line(image_, camera_.place(a), camera_.place(b), p_.trajectory.dims == 2 ? 95 : 40 + 110 * near);
      }
    }
    if (n == 1) dot(image_, camera_.place(at(i)), highlighted ? 255 : 110);
  }

 private:
  /// From the centre to a little beyond the frame. In 2D ky's name stands beside its end: the title is above.
  void draw_axis(int d, double edge) {
    bool const flat = p_.trajectory.dims == 2;
    std::array<double, 3> end{};
    end[static_cast<std::size_t>(d)] = (flat && d == 1 ? 1.06 : 1.12) * edge;
    Spot const at = camera_.place(end);
    line(image_, camera_.place({0, 0, 0}), at, 60);
    constexpr std::array<std::int64_t, 2> kAbove{-10, -22}, kBelow{-30, 6}, kBeside{8, -2};
    auto const& [x, y] = !flat ? kAbove : d == 0 ? kBelow : kBeside;
    draw_text(image_, static_cast<std::int64_t>(at[0]) + x, static_cast<std::int64_t>(at[1]) + y,
              fmt::format("k{}", "xyz"[d]), kScale);
  }

  std::array<double, 3> at(std::int64_t m) const {
    std::array<double, 3> k{};
    for (int d = 0; d < p_.trajectory.dims; ++d) {
      k[static_cast<std::size_t>(d)] = p_.trajectory[d][static_cast<std::size_t>(m)] / largest_;
    }
    return k;
  }

  GreyImage& image_;
  TrajectoryPicture const& p_;
  Camera camera_;
  double largest_ = 1;
};

/// Gradient of one readout along one axis, mT/m, one value between two samples.
std::vector<double> gradient(TrajectoryPicture const& p, std::int64_t readout, int d) {
  std::int64_t const n = p.trajectory.samples_per_readout;
  std::vector<double> g;
  for (std::int64_t j = 1; j < n; ++j) {
    auto const m = static_cast<std::size_t>(readout * n + j);
    g.push_back(1e3 * (p.trajectory[d][m] - p.trajectory[d][m - 1]) * gradient_of_cycles_per_s(p.scanner, d) /
                p.facts.dwell_s);
  }
  return g;
}

void draw_waveform(GreyImage& image, std::int64_t top, TrajectoryPicture const& p, std::int64_t readout,
                   int d) {
  auto const g = gradient(p, readout, d);
  double const scale = std::max(p.facts.gradient_mT_m, 1e-12), left = kMargin + 60, width = kPlot - 60;
  double const middle = static_cast<double>(top) + 0.5 * kStrip;
  line(image, {left, middle}, {left + width, middle}, 60);
  Spot before{};
  for (std::size_t j = 0; j < g.size(); ++j) {
    Spot const now{left + width * (static_cast<double>(j) + 0.5) / static_cast<double>(g.size()),
                   middle - 0.46 * kStrip * g[j] / scale};
    if (j > 0) line(image, before, now, 230);
    before = now;
  }
  draw_text(image, 8, static_cast<std::int64_t>(middle) - 9, fmt::format("G{}", "xyz"[d]), kScale);
  draw_text(image, 44, top - 2, fmt::format("{:.3g}", scale), 1);
  draw_text(image, 40, top + kStrip - 8, fmt::format("{:.3g}", -scale), 1);
}

}  // namespace

GreyImage draw_trajectory(TrajectoryPicture const& p) {
  int const dims = p.trajectory.dims;
  bool const timed = p.facts.dwell_s > 0 && p.trajectory.samples_per_readout > 2;
  std::int64_t const strips = timed ? dims * (kStrip + kGap) + 50 : 20;
  GreyImage image(kPlot + 2 * kMargin, kTop + kPlot + strips);
  std::int64_t const shots = p.facts.shots, drawn = std::min(shots, kMostDrawn);
  std::string counts = fmt::format("{} x {} samples", shots, p.facts.samples_per_shot);
  if (drawn < shots) counts += fmt::format(", {} readouts drawn", drawn);
  draw_text(image, 10, 8, p.title, kScale);
  draw_text(image, 10, 32, counts, kScale);

  KSpace space(image, p);
  space.draw_frame();
  for (std::int64_t i = 0; i < drawn; ++i) {
    // Steps of the golden ratio: equal steps would pick the same spoke of every plane, or every second cone.
    double const part = static_cast<double>(i) * std::numbers::phi;
    auto const picked = static_cast<std::int64_t>((part - std::floor(part)) * static_cast<double>(shots));
    space.draw_readout(drawn == shots ? i : picked, false);
  }
  // Neither the first nor a special one: a third of the way through.
  std::int64_t const shown = shots / 3;
  space.draw_readout(shown, true);
  if (!timed) return image;
  for (int d = 0; d < dims; ++d) draw_waveform(image, kTop + kPlot + kGap + d * (kStrip + kGap), p, shown, d);
  draw_text(image, kMargin + 60, image.height - 28,
            fmt::format("bright readout: gradients in mT/m over {:.3g} ms", p.facts.readout_s * 1e3), kScale);
  return image;
}

GreyImage draw_psf(PsfFacts const& psf, Matrix const& matrix) {
  constexpr float kFloor = -60;
  Shape const& shape = psf.image.shape();
  std::int64_t const n[] = {shape.extent(Axis::x), shape.extent(Axis::y), shape.extent(Axis::z)};
  auto const value = [&](std::int64_t x, std::int64_t y, std::int64_t z) {
    float const v = psf.image[(z * n[1] + y) * n[0] + x];
    return std::max(kFloor, 20 * std::log10(std::max(v, 1e-6F)));
  };
  auto const plane = [&](int across, int down) {
    Array<float> image({{Axis::y, n[down]}, {Axis::x, n[across]}});
    for (std::int64_t row = 0; row < n[down]; ++row) {
      for (std::int64_t column = 0; column < n[across]; ++column) {
        std::int64_t at[] = {n[0] / 2, n[1] / 2, n[2] / 2};
        at[across] = column, at[down] = row;
        image[row * n[across] + column] = value(at[0], at[1], at[2]);
      }
    }
    return image;
  };
  std::string const caption = fmt::format(
      "{:.3g} x {:.3g}{} voxels FWHM\nside lobe {:.3g} dB", psf.fwhm_voxels[0], psf.fwhm_voxels[1],
      matrix.dims() == 3 ? fmt::format(" x {:.3g}", psf.fwhm_voxels[2]) : "", psf.side_lobe_dB);
  PanelOptions const options{.window = Window{kFloor, 0}, .least_width = matrix.dims() == 3 ? 320 : 512};
  Array<float> const xy = plane(0, 1);
  if (matrix.dims() == 2) return make_panel({{xy, "x, y: 0 to -60 dB\n" + caption}}, options);
  Array<float> const xz = plane(0, 2), yz = plane(1, 2);
  return make_panel({{xy, "x, y: 0 to -60 dB\n" + caption}, {xz, "x, z"}, {yz, "y, z"}}, options);
}

}  // namespace findrho
