// SPDX-License-Identifier: BSD-3-Clause
// Reads a raw scan from an MRD (ISMRMRD) HDF5 file as it is: nothing is interpreted yet (see
// recipe/prepare.hpp).
#pragma once
#include <string>

#include "findrho/core/context.hpp"
#include "findrho/io/raw_scan.hpp"

namespace findrho {

struct MrdReadOptions {
  std::string group{};  // HDF5 group that holds `data` and `xml`; empty: the only one there is
};

/// All readouts of a file, opened read-only and without locking, so that many may read one file at a time.
/// Members of the readout header are matched by name, so padded and packed headers are both read.
/// Errors  bad_file (no HDF5, truncated, images, no or unparseable xml, lengths that contradict the header,
///         compressed readouts), bad_option (no such group, several groups), out_of_memory (before it is
///         taken)
/// Cost    two passes over the file: headers first, then samples and trajectories in batches of 16 MiB
RawScan read_mrd(Context const& context, std::string const& path, MrdReadOptions const& options = {});

}  // namespace findrho
