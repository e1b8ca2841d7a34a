// SPDX-License-Identifier: BSD-3-Clause
// Which readouts make which frame: flags, selection, merging, and the header's limits.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "findrho/core/error.hpp"
#include "prepare_parts.hpp"

namespace findrho {

namespace {

struct Index {
  char const* name;
  int RawReadout::*value;
  RawLimit RawEncoding::*limit;
  int FrameIndex::*frame;
};

constexpr Index kIndices[] = {
    {"slice", &RawReadout::slice, &RawEncoding::slice, &FrameIndex::slice},
    {"contrast", &RawReadout::contrast, &RawEncoding::contrast, &FrameIndex::contrast},
    {"phase", &RawReadout::phase, &RawEncoding::phase, &FrameIndex::phase},
    {"repetition", &RawReadout::repetition, &RawEncoding::repetition, &FrameIndex::repetition},
    {"set", &RawReadout::set, &RawEncoding::set, &FrameIndex::set},
    {"average", &RawReadout::average, &RawEncoding::average, &FrameIndex::average}};

constexpr char const* kNames = "slice, contrast, phase, repetition, set, average";

bool known(std::string_view name) {
  return std::any_of(std::begin(kIndices), std::end(kIndices),
                     [name](Index const& i) { return name == i.name; });
}

int parse_int(std::string_view text, std::string_view whole) {
  int value = 0;
  auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value >= 0) return value;
  throw Error(ErrorKind::bad_option, fmt::format("selection \"{}\": \"{}\" is not an index", whole, text),
              "for example slice=3,contrast=0..1");
}

/// Calls f for each part of text between separators.
template <class F>
void split(std::string_view text, char separator, F&& f) {
  while (true) {
    std::size_t const end = text.find(separator);
    f(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

void parse_selection(std::string_view text, Selection& selection) {
  split(text, ',', [&](std::string_view part) {
    std::size_t const equals = part.find('=');
    std::string_view const name = part.substr(0, equals);
    if (equals == std::string_view::npos || !(known(name) || name == "encoding")) {
      throw Error(ErrorKind::bad_option,
                  fmt::format("selection \"{}\" is not NAME=INDEX or NAME=FIRST..LAST", part),
                  fmt::format("names are encoding, {}", kNames));
    }
    std::string_view const range = part.substr(equals + 1);
    std::size_t const dots = range.find("..");
    IndexRange parsed;
    parsed.first = parse_int(range.substr(0, dots), part);
    parsed.last = dots == std::string_view::npos ? parsed.first : parse_int(range.substr(dots + 2), part);
    if (parsed.last < parsed.first) {
      throw Error(ErrorKind::bad_option, fmt::format("selection \"{}\" ends before it begins", part));
    }
    selection[std::string(name)].push_back(parsed);
  });
}

std::set<std::string> parse_index_names(std::string_view text) {
  std::set<std::string> names;
  split(text, ',', [&](std::string_view name) {
    if (!known(name)) {
      throw Error(ErrorKind::bad_option, fmt::format("unknown index \"{}\"", name),
                  fmt::format("names are {}", kNames));
    }
    names.emplace(name);
  });
  return names;
}

namespace prepare_parts {

int index_value(RawReadout const& readout, std::string const& name) {
  for (Index const& index : kIndices) {
    if (name == index.name) return readout.*index.value;
  }
  return readout.encoding;
}

namespace {

struct Dropped {
  ReadoutFlag flag;
  char const* name;
  std::int64_t count = 0;
};

/// Readouts that carry image samples, after setting noise aside.
Readouts imaging_readouts(Context const& context, RawScan const& scan, Readouts& noise) {
  Dropped dropped[] = {{ReadoutFlag::navigation, "navigation"},
                       {ReadoutFlag::phase_correction, "phase correction"},
                       {ReadoutFlag::phase_stabilization_reference, "phase stabilization reference"},
                       {ReadoutFlag::phase_stabilization, "phase stabilization"},
                       {ReadoutFlag::surface_coil_correction, "surface coil correction"},
                       {ReadoutFlag::dummy, "dummy"},
                       {ReadoutFlag::hp_feedback, "feedback"},
                       {ReadoutFlag::rt_feedback, "real-time feedback"},
                       {ReadoutFlag::calibration, "calibration only"}};
  Readouts imaging;
  for (std::int64_t i = 0; i < std::ssize(scan.readouts); ++i) {
    RawReadout const& r = readout(scan, i);
    if (r.has(ReadoutFlag::noise)) {
      noise.push_back(i);
      continue;
    }
    auto* const reason = std::find_if(std::begin(dropped), std::end(dropped), [&r](Dropped const& d) {
      return r.has(d.flag) &&
             !(d.flag == ReadoutFlag::calibration && r.has(ReadoutFlag::calibration_and_imaging));
    });
    if (reason == std::end(dropped)) {
      imaging.push_back(i);
    } else {
      ++reason->count;
    }
  }
  std::string counts;
  for (Dropped const& d : dropped) {
    if (d.count > 0) counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", d.count, d.name);
  }
  if (!counts.empty()) context.note("readouts left out: " + counts);
  if (imaging.empty()) {
    throw Error(ErrorKind::bad_file,
                fmt::format("{}: none of {} readouts is left for the image ({} noise{}{})", scan.path,
                            scan.readouts.size(), noise.size(), counts.empty() ? "" : ", ", counts));
  }
  return imaging;
}

/// "0..3, 7" for the values that occur.
std::string list_values(RawScan const& scan, Readouts const& readouts, std::string const& name) {
  std::set<int> values;
  for (std::int64_t const i : readouts) values.insert(index_value(readout(scan, i), name));
  std::string text;
  for (auto first = values.begin(); first != values.end();) {
    auto last = first;
    while (std::next(last) != values.end() && *std::next(last) == *last + 1) ++last;
    text += (text.empty() ? "" : ", ") +
            (first == last ? std::to_string(*first) : fmt::format("{}..{}", *first, *last));
    first = std::next(last);
  }
  return text;
}

Readouts select(RawScan const& scan, Readouts readouts, Selection const& selection) {
  for (auto const& [name, ranges] : selection) {
    Readouts kept;
    for (std::int64_t const i : readouts) {
      int const value = index_value(readout(scan, i), name);
      if (std::any_of(ranges.begin(), ranges.end(),
                      [value](IndexRange const& r) { return value >= r.first && value <= r.last; })) {
        kept.push_back(i);
      }
    }
    if (kept.empty()) {
      throw Error(ErrorKind::bad_option, fmt::format("{}: no readout has the selected {}", scan.path, name),
                  fmt::format("there is {} {}", name, list_values(scan, readouts, name)));
    }
    readouts = std::move(kept);
  }
  return readouts;
}

void check_limits(RawScan const& scan, Readouts const& readouts, std::set<std::string> const& merge) {
  for (Index const& index : kIndices) {
    if (merge.count(index.name) > 0) continue;
    int worst = 0, excess = 0;
    RawLimit limits;
    for (std::int64_t const i : readouts) {
      RawReadout const& r = readout(scan, i);
      RawLimit const& limit = scan.encodings[static_cast<std::size_t>(r.encoding)].*index.limit;
      int const beyond = std::max(r.*index.value - limit.maximum, limit.minimum - r.*index.value);
      if (limit.present && beyond > excess) {
        excess = beyond;
        worst = r.*index.value;
        limits = limit;
      }
    }
    if (excess > 0) {
      throw Error(
          ErrorKind::bad_file,
          fmt::format("{}: idx.{} {} outside {}..{}", scan.path, index.name, worst, limits.minimum,
                      limits.maximum),
          fmt::format("pool the readouts with --merge {0}, or take those inside with --select {0}={1}..{2}",
                      index.name, limits.minimum, limits.maximum));
    }
  }
}

FrameIndex frame_of(RawReadout const& r, PrepareOptions const& options) {
  FrameIndex frame;
  frame.encoding = r.encoding;
  for (Index const& index : kIndices) {
    bool const merged = options.merge.count(index.name) > 0 ||
                        (index.frame == &FrameIndex::average && options.averages == Averages::merged);
    if (!merged) frame.*index.frame = r.*index.value;
  }
  return frame;
}

}  // namespace

Chosen choose_readouts(Context const& context, RawScan const& scan, PrepareOptions const& options) {
  Chosen chosen;
  chosen.imaging = select(scan, imaging_readouts(context, scan, chosen.noise), options.select);
  for (std::int64_t const i : chosen.imaging) {
    int const encoding = readout(scan, i).encoding;
    if (encoding < 0 || encoding >= std::ssize(scan.encodings)) {
      throw Error(ErrorKind::bad_file, fmt::format("{}: readout {} belongs to encoding {}, the header has {}",
                                                   scan.path, i, encoding, scan.encodings.size()));
    }
  }
  check_limits(scan, chosen.imaging, options.merge);
  for (std::int64_t const i : chosen.imaging) {
    chosen.frames[frame_of(readout(scan, i), options)].push_back(i);
  }
  return chosen;
}

}  // namespace prepare_parts

}  // namespace findrho
