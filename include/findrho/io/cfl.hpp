// SPDX-License-Identifier: BSD-3-Clause
// BART's file pair: name.hdr (text, dimensions) and name.cfl (complex float, first dimension fastest).
#pragma once
#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/core/array.hpp"

namespace findrho {

/// dims: 1 to 16 sizes, first fastest; sizes of 1 at the end are dropped on reading.
struct CflArray {
  std::vector<std::int64_t> dims;
  Array<std::complex<float>> data;  // the first dimension runs fastest
  /// Size of dimension i; 1 beyond the last.
  std::int64_t dim(std::size_t i) const { return i < dims.size() ? dims[i] : 1; }
};

/// Whether a name means a cfl pair: name.cfl, name.hdr, or name where name.hdr is there and name itself is not.
bool names_cfl(std::string const& path);

/// The two files of an array whose name was given as name, name.cfl or name.hdr.
struct CflPaths {
  std::string header, data;
};
CflPaths cfl_paths(std::string const& name);

/// NaN and infinity are passed on: see first_non_finite.
/// Errors  bad_file (a file of the pair is missing, no dimensions, a size that does not fit them)
CflArray read_cfl(std::string const& name);

/// Writes both files; give staged paths of an OutputSet.
/// Errors  bad_shape (dims and data differ), cannot_write
void write_cfl(CflPaths const& paths, std::vector<std::int64_t> const& dims,
               View<std::complex<float> const> data);

}  // namespace findrho
