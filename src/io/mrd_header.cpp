// SPDX-License-Identifier: BSD-3-Clause
#include "mrd_header.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <pugixml.hpp>
#include <sstream>
#include <string_view>
#include <utility>

#include "findrho/core/error.hpp"

namespace findrho::mrd {

namespace {

/// Name without its namespace prefix: some writers emit <ns0:encoding>.
std::string_view local_name(pugi::xml_node node) {
  std::string_view const name = node.name();
  std::size_t const colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

pugi::xml_node child(pugi::xml_node parent, std::string_view name) {
  return parent.find_child([name](pugi::xml_node node) { return local_name(node) == name; });
}

double number(pugi::xml_node node, double otherwise) {
  char const* text = node.child_value();
  char* end = nullptr;
  double const value = std::strtod(text, &end);
  return end == text || !std::isfinite(value) ? otherwise : value;
}

/// Rounded, and held within what later arithmetic can bear; a header may say anything.
std::int64_t integer(pugi::xml_node node, std::int64_t otherwise) {
  double const value = number(node, static_cast<double>(otherwise));
  return static_cast<std::int64_t>(std::llround(std::clamp(value, -1e9, 1e9)));
}

RawSpace space(pugi::xml_node node) {
  RawSpace result;
  result.present = !node.empty();
  static constexpr char const* kAxes[] = {"x", "y", "z"};
  for (std::size_t d = 0; d < 3; ++d) {
    result.matrix[d] = integer(child(child(node, "matrixSize"), kAxes[d]), 0);
    result.fov_mm[d] = number(child(child(node, "fieldOfView_mm"), kAxes[d]), 0);
  }
  return result;
}

constexpr std::pair<char const*, RawLimit RawEncoding::*> kLimits[] = {
    {"kspace_encoding_step_1", &RawEncoding::ky},
    {"kspace_encoding_step_2", &RawEncoding::kz},
    {"average", &RawEncoding::average},
    {"slice", &RawEncoding::slice},
    {"contrast", &RawEncoding::contrast},
    {"phase", &RawEncoding::phase},
    {"repetition", &RawEncoding::repetition},
    {"set", &RawEncoding::set},
    {"segment", &RawEncoding::segment}};

RawLimit limit(pugi::xml_node node) {
  return {.present = !node.empty(),
          .minimum = static_cast<int>(integer(child(node, "minimum"), 0)),
          .maximum = static_cast<int>(integer(child(node, "maximum"), 0)),
          .center = static_cast<int>(integer(child(node, "center"), 0))};
}

RawEncoding encoding(pugi::xml_node node) {
  RawEncoding result;
  result.trajectory = child(node, "trajectory").child_value();
  for (char& c : result.trajectory) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  result.encoded = space(child(node, "encodedSpace"));
  result.recon = space(child(node, "reconSpace"));
  pugi::xml_node const limits = child(node, "encodingLimits");
  for (auto const& [name, member] : kLimits) result.*member = limit(child(limits, name));
  return result;
}

template <class Value>
void append(pugi::xml_node parent, char const* name, Value value) {
  parent.append_child(name).text().set(value);
}

void append_space(pugi::xml_node parent, char const* name, RawSpace const& space) {
  pugi::xml_node node = parent.append_child(name);
  pugi::xml_node matrix = node.append_child("matrixSize"), fov = node.append_child("fieldOfView_mm");
  static constexpr char const* kAxes[] = {"x", "y", "z"};
  for (std::size_t d = 0; d < 3; ++d) {
    append(matrix, kAxes[d], static_cast<long long>(space.matrix[d]));
    append(fov, kAxes[d], space.fov_mm[d]);
  }
}

/// The schema knows six names; findrho's own generators have more.
char const* schema_trajectory(std::string const& name) {
  for (char const* known : {"cartesian", "epi", "radial", "goldenangle", "spiral"}) {
    if (name == known) return known;
  }
  return "other";
}

void append_encoding(pugi::xml_node header, RawEncoding const& e) {
  pugi::xml_node node = header.append_child("encoding");
  append_space(node, "encodedSpace", e.encoded);
  append_space(node, "reconSpace", e.recon.present ? e.recon : e.encoded);
  pugi::xml_node limits = node.append_child("encodingLimits");
  for (auto const& [name, member] : kLimits) {
    RawLimit const& value = e.*member;
    if (!value.present) continue;
    pugi::xml_node entry = limits.append_child(name);
    append(entry, "minimum", value.minimum);
    append(entry, "maximum", value.maximum);
    append(entry, "center", value.center);
  }
  append(node, "trajectory", schema_trajectory(e.trajectory));
}

}  // namespace

void parse_header(std::string const& xml, std::string const& source, RawScan& scan) {
  pugi::xml_document document;
  pugi::xml_parse_result const parsed = document.load_buffer(xml.data(), xml.size());
  if (!parsed) {
    throw Error(ErrorKind::bad_file,
                source + ": the XML header cannot be parsed: " + parsed.description() + " at byte " +
                    std::to_string(parsed.offset) + " of " + std::to_string(xml.size()),
                "repair the header, or convert the scan again from the vendor's file");
  }
  pugi::xml_node const header = child(document, "ismrmrdHeader");
  if (header.empty()) {
    throw Error(ErrorKind::bad_file, source + ": the XML header's root is <" +
                                         document.document_element().name() + ">, not <ismrmrdHeader>");
  }
  pugi::xml_node const system = child(header, "acquisitionSystemInformation");
  scan.field_T = number(child(system, "systemFieldStrength_T"), 0);
  scan.receiver_noise_bandwidth = number(child(system, "relativeReceiverNoiseBandwidth"), 1);
  scan.resonance_Hz = number(child(child(header, "experimentalConditions"), "H1resonanceFrequency_Hz"), 0);
  scan.encodings.clear();
  for (pugi::xml_node const node : header.children()) {
    if (local_name(node) == "encoding") scan.encodings.push_back(encoding(node));
  }
}

std::string make_header(RawScan const& scan) {
  pugi::xml_document document;
  pugi::xml_node header = document.append_child("ismrmrdHeader");
  header.append_attribute("xmlns") = "http://www.ismrm.org/ISMRMRD";
  pugi::xml_node system = header.append_child("acquisitionSystemInformation");
  if (scan.field_T > 0) append(system, "systemFieldStrength_T", scan.field_T);
  append(system, "relativeReceiverNoiseBandwidth", scan.receiver_noise_bandwidth);
  if (!scan.readouts.empty()) append(system, "receiverChannels", scan.readouts.front().channels);
  append(header.append_child("experimentalConditions"), "H1resonanceFrequency_Hz",
         static_cast<long long>(std::llround(std::clamp(scan.resonance_Hz, 0.0, 1e15))));
  for (RawEncoding const& e : scan.encodings) append_encoding(header, e);
  std::ostringstream text;
  document.save(text, " ");
  return text.str();
}

}  // namespace findrho::mrd
