// SPDX-License-Identifier: BSD-3-Clause
// The HDF5 layout of MRD files: compound types by name, handles that close themselves, HDF5's reasons for
// failure.
#pragma once
#include <hdf5.h>

#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace findrho::mrd {

/// An HDF5 identifier that is closed when it goes out of scope.
class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  Handle() = default;
  Handle(hid_t id, Close closer) : id_(id), close_(closer) {}
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    std::swap(close_, other.close_);
    return *this;
  }
  ~Handle() {
    if (valid()) close_(id_);
  }
  bool valid() const { return id_ >= 0; }
  operator hid_t() const { return id_; }
  /// Closes now; false when HDF5 could not (a file's last bytes are written on closing).
  bool close() { return !valid() || close_(std::exchange(id_, -1)) >= 0; }

 private:
  hid_t id_ = -1;
  Close close_ = nullptr;
};

/// While it lives, HDF5 prints nothing and no other thread of findrho is inside HDF5 (Debian's is not
/// thread-safe).
class Session {
 public:
  Session();
  ~Session();
  Session(Session const&) = delete;
  Session& operator=(Session const&) = delete;

 private:
  std::unique_lock<std::recursive_mutex> lock_;
  H5E_auto2_t print_ = nullptr;
  void* print_data_ = nullptr;
};

/// HDF5's own words for its last failure, innermost first; empty when it has none.
std::string hdf5_reason();

/// The readout header with all counters widened, in memory; files hold 16-bit counters.
struct ReadoutHeader {
  std::uint32_t version = 1;
  std::uint64_t flags = 0;
  std::uint32_t measurement_uid = 0, scan_counter = 0, acquisition_time_stamp = 0;
  std::uint32_t physiology_time_stamp[3] = {};
  std::uint32_t number_of_samples = 0, available_channels = 0, active_channels = 0;
  std::uint64_t channel_mask[16] = {};
  std::uint32_t discard_pre = 0, discard_post = 0, center_sample = 0, encoding_space_ref = 0;
  std::uint32_t trajectory_dimensions = 0;
  float sample_time_us = 0;
  float position[3] = {}, read_dir[3] = {}, phase_dir[3] = {}, slice_dir[3] = {},
        patient_table_position[3] = {};
  std::uint32_t ky = 0, kz = 0, average = 0, slice = 0, contrast = 0, phase = 0, repetition = 0, set = 0,
                segment = 0;
  std::uint32_t user[8] = {};
  std::int32_t user_int[8] = {};
  float user_float[8] = {};
};

struct Readout {
  ReadoutHeader head;
  hvl_t traj{};
  hvl_t data{};
};

enum class Side { memory, file };

/// Compound type {head} (memory), to read headers without samples.
Handle header_only_type();
/// Compound type {traj, data} (memory), over a Readout, to read samples without headers.
Handle samples_only_type();
/// Compound type {head, traj, data}: a Readout in memory, or the 340-byte header of the standard in a file.
Handle readout_type(Side side);

struct ImageHeader {
  std::uint16_t version = 1, data_type = 0;
  std::uint64_t flags = 0;
  std::uint32_t measurement_uid = 0;
  std::uint16_t matrix_size[3] = {};
  float field_of_view[3] = {};
  std::uint16_t channels = 1;
  float position[3] = {}, read_dir[3] = {}, phase_dir[3] = {}, slice_dir[3] = {},
        patient_table_position[3] = {};
  std::uint16_t average = 0, slice = 0, contrast = 0, phase = 0, repetition = 0, set = 0;
  std::uint32_t acquisition_time_stamp = 0;
  std::uint32_t physiology_time_stamp[3] = {};
  std::uint16_t image_type = 0, image_index = 0, image_series_index = 0;
  std::int32_t user_int[8] = {};
  float user_float[8] = {};
  std::uint32_t attribute_string_len = 0;
};

/// Compound type of an image header: an ImageHeader in memory, or the 198 packed bytes of the standard in a
/// file.
Handle image_header_type(Side side);
/// Compound type {real, imag} of floats.
Handle complex_type();
/// Variable-length C string, ASCII as the ISMRMRD library expects it.
Handle string_type();

/// The innermost members of `head` without which a readout cannot be read; the first that `row` lacks, or "".
std::string missing_member(hid_t row);

}  // namespace findrho::mrd
