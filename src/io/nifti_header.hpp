// SPDX-License-Identifier: BSD-3-Clause
// The 348 bytes at the start of a NIfTI-1 file, field by field in the order of the standard.
#pragma once
#include <cstddef>
#include <cstdint>

namespace findrho {

struct NiftiHeader {
  std::int32_t header_size = 348;
  char unused_analyze[35] = {};
  char dim_info = 0;
  std::int16_t dim[8] = {};  // number of dimensions, then their sizes
  float intent_parameter[3] = {};
  std::int16_t intent_code = 0;
  std::int16_t datatype = 0;
  std::int16_t bits_per_voxel = 0;
  std::int16_t slice_start = 0;
  float pixdim[8] = {};  // sign of the qform's third axis, then the voxel sizes
  float data_offset = 352;
  float scale_slope = 0, scale_intercept = 0;  // slope 0: values are stored as they are
  std::int16_t slice_end = 0;
  char slice_code = 0;
  char units = 0;  // of space (bits 0 to 2) and time (bits 3 to 5)
  float display_max = 0, display_min = 0;
  float slice_duration = 0, time_offset = 0;
  std::int32_t unused_range[2] = {};
  char description[80] = {};
  char auxiliary_file[24] = {};
  std::int16_t qform_code = 0, sform_code = 0;
  float quaternion[3] = {};  // b, c, d
  float qform_offset[3] = {};
  float sform[3][4] = {};
  char intent_name[16] = {};
  char magic[4] = {'n', '+', '1', '\0'};
};
static_assert(sizeof(NiftiHeader) == 348 && offsetof(NiftiHeader, dim) == 40 &&
              offsetof(NiftiHeader, pixdim) == 76 && offsetof(NiftiHeader, description) == 148 &&
              offsetof(NiftiHeader, magic) == 344);

enum NiftiUnit : char { kUnitUnknown = 0, kUnitMetre = 1, kUnitMillimetre = 2, kUnitMicrometre = 3 };
enum NiftiCode : std::int16_t { kCodeUnknown = 0, kCodeScanner = 1 };
enum NiftiDatatype : std::int16_t {
  kUint8 = 2,
  kInt16 = 4,
  kInt32 = 8,
  kFloat32 = 16,
  kComplex64 = 32,
  kFloat64 = 64,
  kInt8 = 256,
  kUint16 = 512,
  kUint32 = 768,
  kInt64 = 1024,
  kUint64 = 1280,
  kComplex128 = 1792
};

}  // namespace findrho
