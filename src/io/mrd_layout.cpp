// SPDX-License-Identifier: BSD-3-Clause
#include "mrd_layout.hpp"

#include <cstddef>
#include <span>

namespace findrho::mrd {

namespace {

std::recursive_mutex& hdf5_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// One member of a compound: its name, place in our struct, type there, type in files, array length.
struct Member {
  char const* name;
  std::size_t offset;
  hid_t memory, file;
  hsize_t count = 1;
};

Handle array_of(hid_t base, hsize_t count) {
  return count == 1 ? Handle(H5Tcopy(base), H5Tclose) : Handle(H5Tarray_create2(base, 1, &count), H5Tclose);
}

/// In memory the members lie where the struct has them (relative to `origin`); in files they are packed.
Handle compound(Side side, std::size_t memory_size, std::size_t origin, std::span<Member const> members) {
  std::size_t packed_size = 0;
  for (Member const& m : members) packed_size += H5Tget_size(m.file) * m.count;
  Handle type(H5Tcreate(H5T_COMPOUND, side == Side::memory ? memory_size : packed_size), H5Tclose);
  std::size_t packed_offset = 0;
  for (Member const& m : members) {
    Handle const member = array_of(side == Side::memory ? m.memory : m.file, m.count);
    H5Tinsert(type, m.name, side == Side::memory ? m.offset - origin : packed_offset, member);
    packed_offset += H5Tget_size(m.file) * m.count;
  }
  return type;
}

Handle counters_type(Side side) {
  hid_t const memory = H5T_NATIVE_UINT32, file = H5T_STD_U16LE;
  using H = ReadoutHeader;
  Member const members[] = {{"kspace_encode_step_1", offsetof(H, ky), memory, file},
                            {"kspace_encode_step_2", offsetof(H, kz), memory, file},
                            {"average", offsetof(H, average), memory, file},
                            {"slice", offsetof(H, slice), memory, file},
                            {"contrast", offsetof(H, contrast), memory, file},
                            {"phase", offsetof(H, phase), memory, file},
                            {"repetition", offsetof(H, repetition), memory, file},
                            {"set", offsetof(H, set), memory, file},
                            {"segment", offsetof(H, segment), memory, file},
                            {"user", offsetof(H, user), memory, file, 8}};
  return compound(side, offsetof(H, user_int) - offsetof(H, ky), offsetof(H, ky), members);
}

Handle header_type(Side side) {
  hid_t const memory = H5T_NATIVE_UINT32, file = H5T_STD_U16LE, file32 = H5T_STD_U32LE;
  hid_t const real = H5T_NATIVE_FLOAT, file_real = H5T_IEEE_F32LE;
  Handle const memory_counters = counters_type(Side::memory), file_counters = counters_type(Side::file);
  using H = ReadoutHeader;
  Member const members[] = {
      {"version", offsetof(H, version), memory, file},
      {"flags", offsetof(H, flags), H5T_NATIVE_UINT64, H5T_STD_U64LE},
      {"measurement_uid", offsetof(H, measurement_uid), memory, file32},
      {"scan_counter", offsetof(H, scan_counter), memory, file32},
      {"acquisition_time_stamp", offsetof(H, acquisition_time_stamp), memory, file32},
      {"physiology_time_stamp", offsetof(H, physiology_time_stamp), memory, file32, 3},
      {"number_of_samples", offsetof(H, number_of_samples), memory, file},
      {"available_channels", offsetof(H, available_channels), memory, file},
      {"active_channels", offsetof(H, active_channels), memory, file},
      {"channel_mask", offsetof(H, channel_mask), H5T_NATIVE_UINT64, H5T_STD_U64LE, 16},
      {"discard_pre", offsetof(H, discard_pre), memory, file},
      {"discard_post", offsetof(H, discard_post), memory, file},
      {"center_sample", offsetof(H, center_sample), memory, file},
      {"encoding_space_ref", offsetof(H, encoding_space_ref), memory, file},
      {"trajectory_dimensions", offsetof(H, trajectory_dimensions), memory, file},
      {"sample_time_us", offsetof(H, sample_time_us), real, file_real},
      {"position", offsetof(H, position), real, file_real, 3},
      {"read_dir", offsetof(H, read_dir), real, file_real, 3},
      {"phase_dir", offsetof(H, phase_dir), real, file_real, 3},
      {"slice_dir", offsetof(H, slice_dir), real, file_real, 3},
      {"patient_table_position", offsetof(H, patient_table_position), real, file_real, 3},
      {"idx", offsetof(H, ky), memory_counters, file_counters},
      {"user_int", offsetof(H, user_int), H5T_NATIVE_INT32, H5T_STD_I32LE, 8},
      {"user_float", offsetof(H, user_float), real, file_real, 8}};
  return compound(side, sizeof(H), 0, members);
}

/// "file write failed: No space left on device" of "file write failed: time = ..., filename = ..., error message = 'No space
/// left on device', buf = 0x55..., ...".
std::string without_internals(std::string const& text) {
  constexpr std::string_view kMark = "error message = '";
  auto const details = text.find(": time = "), message = text.find(kMark);
  if (details == std::string::npos || message == std::string::npos) return text;
  auto const begin = message + kMark.size();
  return text.substr(0, details) + ": " + text.substr(begin, text.find('\'', begin) - begin);
}

herr_t innermost_reason(unsigned, H5E_error2_t const* error, void* text) {
  auto& reason = *static_cast<std::string*>(text);
  if (error->desc == nullptr || *error->desc == '\0') return 0;
  if (!reason.empty()) reason += "; ";
  reason += without_internals(error->desc);
  return 0;
}

}  // namespace

Session::Session() : lock_(hdf5_mutex()) {
  // Before HDF5's first call: our handles close every file, and its own clean-up at exit reports a damaged file as an
  // "infinite loop closing library" on stderr.
  static herr_t const no_exit_handler = H5dont_atexit();
  static_cast<void>(no_exit_handler);
  H5Eget_auto2(H5E_DEFAULT, &print_, &print_data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Session::~Session() {
  H5Eset_auto2(H5E_DEFAULT, print_, print_data_);
}

std::string hdf5_reason() {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, innermost_reason, &reason);
  return reason;
}

Handle header_only_type() {
  Handle const head = header_type(Side::memory);
  Handle row(H5Tcreate(H5T_COMPOUND, sizeof(ReadoutHeader)), H5Tclose);
  H5Tinsert(row, "head", 0, head);
  return row;
}

Handle samples_only_type() {
  Handle const floats(H5Tvlen_create(H5T_NATIVE_FLOAT), H5Tclose);
  Handle row(H5Tcreate(H5T_COMPOUND, sizeof(Readout)), H5Tclose);
  H5Tinsert(row, "traj", offsetof(Readout, traj), floats);
  H5Tinsert(row, "data", offsetof(Readout, data), floats);
  return row;
}

Handle readout_type(Side side) {
  Handle const memory_head = header_type(Side::memory), file_head = header_type(Side::file);
  Handle const memory_floats(H5Tvlen_create(H5T_NATIVE_FLOAT), H5Tclose);
  Handle const file_floats(H5Tvlen_create(H5T_IEEE_F32LE), H5Tclose);
  Member const members[] = {{"head", offsetof(Readout, head), memory_head, file_head},
                            {"traj", offsetof(Readout, traj), memory_floats, file_floats},
                            {"data", offsetof(Readout, data), memory_floats, file_floats}};
  return compound(side, sizeof(Readout), 0, members);
}

Handle image_header_type(Side side) {
  hid_t const u16 = H5T_NATIVE_UINT16, file16 = H5T_STD_U16LE, u32 = H5T_NATIVE_UINT32,
              file32 = H5T_STD_U32LE;
  hid_t const real = H5T_NATIVE_FLOAT, file_real = H5T_IEEE_F32LE;
  using H = ImageHeader;
  Member const members[] = {
      {"version", offsetof(H, version), u16, file16},
      {"data_type", offsetof(H, data_type), u16, file16},
      {"flags", offsetof(H, flags), H5T_NATIVE_UINT64, H5T_STD_U64LE},
      {"measurement_uid", offsetof(H, measurement_uid), u32, file32},
      {"matrix_size", offsetof(H, matrix_size), u16, file16, 3},
      {"field_of_view", offsetof(H, field_of_view), real, file_real, 3},
      {"channels", offsetof(H, channels), u16, file16},
      {"position", offsetof(H, position), real, file_real, 3},
      {"read_dir", offsetof(H, read_dir), real, file_real, 3},
      {"phase_dir", offsetof(H, phase_dir), real, file_real, 3},
      {"slice_dir", offsetof(H, slice_dir), real, file_real, 3},
      {"patient_table_position", offsetof(H, patient_table_position), real, file_real, 3},
      {"average", offsetof(H, average), u16, file16},
      {"slice", offsetof(H, slice), u16, file16},
      {"contrast", offsetof(H, contrast), u16, file16},
      {"phase", offsetof(H, phase), u16, file16},
      {"repetition", offsetof(H, repetition), u16, file16},
      {"set", offsetof(H, set), u16, file16},
      {"acquisition_time_stamp", offsetof(H, acquisition_time_stamp), u32, file32},
      {"physiology_time_stamp", offsetof(H, physiology_time_stamp), u32, file32, 3},
      {"image_type", offsetof(H, image_type), u16, file16},
      {"image_index", offsetof(H, image_index), u16, file16},
      {"image_series_index", offsetof(H, image_series_index), u16, file16},
      {"user_int", offsetof(H, user_int), H5T_NATIVE_INT32, H5T_STD_I32LE, 8},
      {"user_float", offsetof(H, user_float), real, file_real, 8},
      {"attribute_string_len", offsetof(H, attribute_string_len), u32, file32}};
  return compound(side, sizeof(H), 0, members);
}

Handle complex_type() {
  Handle type(H5Tcreate(H5T_COMPOUND, 2 * sizeof(float)), H5Tclose);
  H5Tinsert(type, "real", 0, H5T_NATIVE_FLOAT);
  H5Tinsert(type, "imag", sizeof(float), H5T_NATIVE_FLOAT);
  return type;
}

Handle string_type() {
  Handle type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type, H5T_VARIABLE);
  return type;
}

std::string missing_member(hid_t row) {
  auto const member = [](hid_t compound, char const* name) {
    int const index = H5Tget_member_index(compound, name);
    return index < 0 ? Handle()
                     : Handle(H5Tget_member_type(compound, static_cast<unsigned>(index)), H5Tclose);
  };
  for (char const* name : {"head", "traj", "data"}) {
    if (!member(row, name).valid()) return name;
  }
  Handle const head = member(row, "head");
  if (H5Tget_class(head) != H5T_COMPOUND) return "head";
  for (char const* name : {"flags", "number_of_samples", "active_channels", "trajectory_dimensions", "idx"}) {
    if (!member(head, name).valid()) return std::string("head.") + name;
  }
  for (char const* name : {"traj", "data"}) {
    Handle const type = member(row, name);
    Handle const base(H5Tget_class(type) == H5T_VLEN ? H5Tget_super(type) : -1, H5Tclose);
    if (!base.valid() || H5Tget_class(base) != H5T_FLOAT)
      return std::string(name) + " as variable-length floats";
  }
  return {};
}

}  // namespace findrho::mrd
