// SPDX-License-Identifier: BSD-3-Clause
// Opens what the user names: a raw scan (MRD, or BART cfl with its trajectory), sensitivity maps.
#pragma once
#include <complex>
#include <string>

#include "findrho/core/context.hpp"
#include "findrho/core/scan.hpp"
#include "findrho/recipe/prepare.hpp"

namespace findrho {

struct LoadRequest {
  std::string scan;        // .h5, .mrd, or a cfl pair
  std::string trajectory;  // a cfl pair; only with a cfl scan
  std::string group;       // HDF5 group of an MRD file; empty: the only one
  PrepareOptions prepare;
};

struct LoadedScan {
  Dataset dataset;
  std::string mrd_header;  // XML, verbatim; empty for cfl
};

/// Errors  bad_file, bad_option, bad_shape, out_of_memory
LoadedScan load_scan(Context const& context, LoadRequest const& request);

/// Sensitivity maps from a cfl pair (x, y, z, coil) or a complex NIfTI file (x, y, z, coil).
/// Shapes  result (coil, z, y, x)
/// Errors  bad_file
Array<std::complex<float>> load_maps(std::string const& path);

}  // namespace findrho
