// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/recipe/load.hpp"

#include <algorithm>

#include "findrho/core/error.hpp"
#include "findrho/io/cfl.hpp"
#include "findrho/io/mrd_read.hpp"
#include "findrho/io/nifti.hpp"

namespace findrho {
namespace {

using Cf = std::complex<float>;

View<Cf const> flat(CflArray const& array) {
  return {array.data.data(), {{Axis::other, static_cast<std::int64_t>(array.data.size())}}};
}

Dataset load_cfl(Context const& context, LoadRequest const& request) {
  if (request.trajectory.empty()) {
    throw Error(ErrorKind::bad_option, request.scan + " has samples but no trajectory",
                "name its trajectory with --traj");
  }
  CflArray const samples = read_cfl(request.scan), trajectory = read_cfl(request.trajectory);
  return prepare_headerless(context,
                            {.source = request.scan,
                             .sample_dims = samples.dims,
                             .trajectory_dims = trajectory.dims,
                             .samples = flat(samples),
                             .trajectory = flat(trajectory)},
                            request.prepare);
}

}  // namespace

LoadedScan load_scan(Context const& context, LoadRequest const& request) {
  if (names_cfl(request.scan)) {
    return {load_cfl(context, request), {}};
  }
  if (!request.trajectory.empty()) {
    throw Error(ErrorKind::bad_option,
                "--traj goes with a cfl scan; " + request.scan + " holds its own trajectory",
                "leave --traj out");
  }
  RawScan raw = read_mrd(context, request.scan, {.group = request.group});
  LoadedScan loaded{prepare(context, raw, request.prepare), {}};
  loaded.mrd_header = std::move(raw.xml);
  return loaded;
}

Array<Cf> load_maps(std::string const& path) {
  if (names_cfl(path)) {
    CflArray const maps = read_cfl(path);
    Matrix const matrix{maps.dim(0), maps.dim(1), maps.dim(2)};
    Array<Cf> result(matrix.shape(static_cast<std::int64_t>(maps.data.size()) /
                                  std::max<std::int64_t>(1, matrix.voxels())));
    std::copy(maps.data.begin(), maps.data.end(), result.begin());
    return result;
  }
  NiftiImage image = read_nifti(path);
  if (!image.is_complex()) {
    throw Error(ErrorKind::bad_file, path + " holds real numbers; sensitivity maps are complex",
                "give a cfl pair or a complex NIfTI file");
  }
  Array<Cf> result(image.matrix.shape(image.frames));
  std::copy(image.complex.begin(), image.complex.end(), result.begin());
  return result;
}

}  // namespace findrho
