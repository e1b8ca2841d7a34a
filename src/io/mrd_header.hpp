// SPDX-License-Identifier: BSD-3-Clause
// The XML header of an MRD file: what findrho needs of it, read tolerantly, and the least header that is
// valid.
#pragma once
#include <string>

#include "findrho/io/raw_scan.hpp"

namespace findrho::mrd {

/// Fills encodings, field, frequency and noise bandwidth from xml. Unknown elements and namespaces are passed
/// over. Errors  bad_file, when the text is no XML or no ismrmrdHeader; `source` names the file
void parse_header(std::string const& xml, std::string const& source, RawScan& scan);

/// A header with the scan's encodings, valid under ismrmrd.xsd.
std::string make_header(RawScan const& scan);

}  // namespace findrho::mrd
