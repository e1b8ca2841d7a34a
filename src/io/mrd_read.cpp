// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/mrd_read.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <vector>

#include "findrho/core/error.hpp"
#include "io/file.hpp"
#include "mrd_header.hpp"
#include "mrd_layout.hpp"

namespace findrho {

namespace {

using mrd::Handle;

constexpr std::int64_t kBatchBytes = std::int64_t{16} << 20;
constexpr std::int64_t kHeaderBatch = 4096;  // readout headers of 600 bytes: 2.4 MB

Handle open_file(std::string const& path) {
  std::error_code ignored;
  if (!std::filesystem::exists(path, ignored)) {
    throw Error(ErrorKind::bad_file, path + ": no such file", "see whether the name is right");
  }
  if (!std::filesystem::is_regular_file(path, ignored)) {
    throw Error(ErrorKind::bad_file, path + ": not a regular file", "give an MRD file or a cfl pair");
  }
  // Locking off: concurrent readers and read-only folders must not fail.
  Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  H5Pset_file_locking(access, 0, 1);
  Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, access), H5Fclose);
  if (file.valid()) return file;

  std::string const reason = mrd::hdf5_reason();
  if (reason.find("truncated") != std::string::npos) {
    throw Error(ErrorKind::bad_file,
                path + ": truncated HDF5 file (" + std::to_string(std::filesystem::file_size(path, ignored)) +
                    " bytes are there; " + reason.substr(0, reason.find(';')) + ")",
                "copy the file again");
  }
  if (H5Fis_hdf5(path.c_str()) == 0) {
    throw Error(ErrorKind::bad_file, path + ": not an HDF5 file",
                "raw data is read from MRD (ISMRMRD) HDF5 files and from cfl/hdr pairs");
  }
  throw Error(ErrorKind::bad_file, path + ": cannot be opened: " + reason.substr(0, reason.find(';')));
}

/// The groups of a file that look like MRD.
struct Contents {
  std::vector<std::string> raw;        // with data and xml
  std::vector<std::string> no_header;  // with data, without xml
  std::vector<std::string> images;
};

bool has_link(hid_t file, std::string const& path) {
  return H5Lexists(file, path.c_str(), H5P_DEFAULT) > 0;
}

/// Called for every link of the file; the links named "data" tell what a group holds.
herr_t classify(hid_t file, char const* name, H5L_info_t const*, void* contents_) {
  auto& contents = *static_cast<Contents*>(contents_);
  std::string const path = name;
  std::size_t const slash = path.rfind('/');
  if (path.substr(slash == std::string::npos ? 0 : slash + 1) != "data") return 0;
  std::string const group = slash == std::string::npos ? "/" : path.substr(0, slash);
  std::string const prefix = slash == std::string::npos ? "" : group + "/";

  Handle const data(H5Dopen2(file, name, H5P_DEFAULT), H5Dclose);
  if (!data.valid()) return 0;
  Handle const type(H5Dget_type(data), H5Tclose);
  if (H5Tget_class(type) == H5T_COMPOUND && H5Tget_member_index(type, "head") >= 0) {
    (has_link(file, prefix + "xml") ? contents.raw : contents.no_header).push_back(group);
  } else if (has_link(file, prefix + "header")) {
    contents.images.push_back(group);
  }
  return 0;
}

std::string joined(std::vector<std::string> const& names) {
  std::string text;
  for (std::string const& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

std::string trimmed(std::string const& group) {
  std::size_t const first = group.find_first_not_of('/'), last = group.find_last_not_of('/');
  return first == std::string::npos ? "/" : group.substr(first, last - first + 1);
}

std::string choose_group(hid_t file, std::string const& path, std::string const& asked) {
  Contents contents;
  H5Lvisit(file, H5_INDEX_NAME, H5_ITER_INC, classify, &contents);
  if (!asked.empty()) {
    std::string const group = trimmed(asked);
    if (std::find(contents.raw.begin(), contents.raw.end(), group) != contents.raw.end()) return group;
    if (!contents.raw.empty()) {
      throw Error(ErrorKind::bad_option, path + ": group " + group + " holds no raw data",
                  "groups with raw data are: " + joined(contents.raw));
    }
  }
  if (contents.raw.size() > 1) {
    throw Error(
        ErrorKind::bad_option,
        path + ": " + std::to_string(contents.raw.size()) + " groups hold raw data: " + joined(contents.raw),
        "name one with --group");
  }
  if (contents.raw.size() == 1) return contents.raw.front();
  if (!contents.no_header.empty()) {
    throw Error(ErrorKind::bad_file,
                path + ": no XML header: " + contents.no_header.front() + "/xml is missing");
  }
  if (!contents.images.empty()) {
    throw Error(ErrorKind::bad_file,
                path + ": holds images (" + joined(contents.images) + ") and not raw data",
                "give the raw data file that these images were made from");
  }
  throw Error(ErrorKind::bad_file,
              path + ": no group holds MRD raw data (a compound dataset `data` with `head`)");
}

std::string read_xml(hid_t group, std::string const& source) {
  Handle const dataset(H5Dopen2(group, "xml", H5P_DEFAULT), H5Dclose);
  Handle const type(dataset.valid() ? H5Dget_type(dataset) : -1, H5Tclose);
  Handle const extent(dataset.valid() ? H5Dget_space(dataset) : -1, H5Sclose);
  if (!type.valid() || H5Tget_class(type) != H5T_STRING || H5Sget_simple_extent_npoints(extent) < 1) {
    throw Error(ErrorKind::bad_file, source + "/xml: the XML header is not a string");
  }
  // The file's own type as memory type: ASCII or UTF-8, fixed or variable, nothing needs converting.
  std::int64_t const strings = H5Sget_simple_extent_npoints(extent);
  std::string xml;
  if (H5Tis_variable_str(type) > 0) {
    std::vector<char*> texts(static_cast<std::size_t>(strings), nullptr);
    if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) >= 0 && texts[0] != nullptr) {
      xml = texts[0];
    }
    H5Dvlen_reclaim(type, extent, H5P_DEFAULT, texts.data());
  } else {
    std::size_t const length = H5Tget_size(type);
    std::string texts(length * static_cast<std::size_t>(strings), '\0');
    if (H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, texts.data()) >= 0)
      xml = texts.substr(0, length);
    xml.resize(std::min(xml.size(), xml.find('\0')));
  }
  if (xml.empty()) throw Error(ErrorKind::bad_file, source + "/xml: the XML header is empty");
  return xml;
}

RawReadout from_header(mrd::ReadoutHeader const& h) {
  RawReadout r;
  r.flags = h.flags;
  r.scan_counter = h.scan_counter;
  r.channels = static_cast<int>(h.active_channels);
  r.samples = h.number_of_samples;
  r.discard_pre = h.discard_pre;
  r.discard_post = h.discard_post;
  r.center_sample = h.center_sample;
  r.encoding = static_cast<int>(h.encoding_space_ref);
  r.trajectory_dims = static_cast<int>(h.trajectory_dimensions);
  r.dwell_us = h.sample_time_us;
  for (std::size_t d = 0; d < 3; ++d) {
    r.position[d] = h.position[d];
    r.read_dir[d] = h.read_dir[d];
    r.phase_dir[d] = h.phase_dir[d];
    r.slice_dir[d] = h.slice_dir[d];
  }
  r.ky = static_cast<int>(h.ky);
  r.kz = static_cast<int>(h.kz);
  r.average = static_cast<int>(h.average);
  r.slice = static_cast<int>(h.slice);
  r.contrast = static_cast<int>(h.contrast);
  r.phase = static_cast<int>(h.phase);
  r.repetition = static_cast<int>(h.repetition);
  r.set = static_cast<int>(h.set);
  r.segment = static_cast<int>(h.segment);
  return r;
}

/// The readouts of one group, read in hyperslabs.
class Readouts {
 public:
  Readouts(hid_t group, std::string source) : source_(std::move(source)) {
    data_ = Handle(H5Dopen2(group, "data", H5P_DEFAULT), H5Dclose);
    Handle const type(H5Dget_type(data_), H5Tclose);
    if (std::string const missing = mrd::missing_member(type); !missing.empty()) {
      throw Error(ErrorKind::bad_file,
                  source_ + "/data: no MRD raw data: its compound type lacks " + missing);
    }
    extent_ = Handle(H5Dget_space(data_), H5Sclose);
    count_ = H5Sget_simple_extent_npoints(extent_);
    if (H5Sget_simple_extent_ndims(extent_) != 1 || count_ < 1) {
      throw Error(ErrorKind::bad_file, source_ + "/data: there are no readouts");
    }
  }

  std::int64_t count() const { return count_; }

  template <class Row>
  void read(hid_t type, std::int64_t first, std::vector<Row>& rows) {
    hsize_t const start = static_cast<hsize_t>(first), length = rows.size();
    H5Sselect_hyperslab(extent_, H5S_SELECT_SET, &start, nullptr, &length, nullptr);
    Handle const memory(H5Screate_simple(1, &length, nullptr), H5Sclose);
    if (H5Dread(data_, type, memory, extent_, H5P_DEFAULT, rows.data()) < 0) {
      std::string const reason = mrd::hdf5_reason();
      throw Error(ErrorKind::bad_file,
                  source_ + "/data: readouts " + std::to_string(first) + ".." +
                      std::to_string(first + static_cast<std::int64_t>(rows.size()) - 1) +
                      " cannot be read: " + reason.substr(0, reason.find(';')),
                  "the file is damaged; copy or convert it again");
    }
  }

 private:
  std::string source_;
  Handle data_, extent_;
  std::int64_t count_ = 0;
};

void read_headers(Context const& context, Readouts& file, RawScan& scan) {
  Handle const type = mrd::header_only_type();
  std::int64_t data = 0, trajectory = 0;
  for (std::int64_t first = 0; first < file.count(); first += kHeaderBatch) {
    context.throw_if_cancelled();
    std::vector<mrd::ReadoutHeader> rows(
        static_cast<std::size_t>(std::min(kHeaderBatch, file.count() - first)));
    file.read(type, first, rows);
    for (mrd::ReadoutHeader const& row : rows) {
      RawReadout r = from_header(row);
      if (r.has(ReadoutFlag::compressed)) {
        throw Error(ErrorKind::bad_file,
                    scan.path + ": readout " + std::to_string(scan.readouts.size()) + " is compressed",
                    "decompress the acquisitions first, with the program that wrote them");
      }
      if (row.active_channels > 65535 || row.trajectory_dimensions > 65535) {
        throw Error(ErrorKind::bad_file, scan.path + ": readout " + std::to_string(scan.readouts.size()) +
                                             " has " + std::to_string(row.active_channels) +
                                             " channels and " + std::to_string(row.trajectory_dimensions) +
                                             " trajectory dimensions");
      }
      r.data_offset = data;
      r.trajectory_offset = trajectory;
      data += r.channels * r.samples;
      trajectory += r.samples * r.trajectory_dims;
      scan.readouts.push_back(r);
    }
  }
}

void allocate(RawScan& scan) {
  RawReadout const& last = scan.readouts.back();
  std::int64_t const data = last.data_offset + last.channels * last.samples;
  std::int64_t const trajectory = last.trajectory_offset + last.samples * last.trajectory_dims;
  std::int64_t const bytes = data * 8 + trajectory * 4 + 2 * kBatchBytes;
  require_memory_to_read(scan.path, bytes);
  scan.data.resize(static_cast<std::size_t>(data));
  scan.trajectory.resize(static_cast<std::size_t>(trajectory));
}

/// Frees what HDF5 allocated for variable-length members, also when a check throws.
struct Reclaim {
  hid_t type;
  std::vector<mrd::Readout>& rows;
  ~Reclaim() {
    hsize_t const length = rows.size();
    Handle const space(H5Screate_simple(1, &length, nullptr), H5Sclose);
    H5Dvlen_reclaim(type, space, H5P_DEFAULT, rows.data());
  }
};

void require_length(RawScan const& scan, std::int64_t readout, char const* what, std::size_t actual,
                    std::int64_t expected, std::string const& because) {
  if (actual == static_cast<std::size_t>(expected)) return;
  throw Error(ErrorKind::bad_file,
              scan.path + ": readout " + std::to_string(readout) + " has " + std::to_string(actual) + " " +
                  what + " values, its header says " + std::to_string(expected) + " (" + because + ")",
              "the file is damaged or was written with wrong headers; convert it again");
}

void take_samples(RawScan& scan, std::int64_t index, mrd::Readout const& row) {
  RawReadout const& r = scan.readouts[static_cast<std::size_t>(index)];
  require_length(
      scan, index, "data", row.data.len, 2 * r.channels * r.samples,
      "2 x " + std::to_string(r.channels) + " channels x " + std::to_string(r.samples) + " samples");
  require_length(
      scan, index, "trajectory", row.traj.len, r.samples * r.trajectory_dims,
      std::to_string(r.samples) + " samples x " + std::to_string(r.trajectory_dims) + " dimensions");
  auto const* data = static_cast<float const*>(row.data.p);
  for (std::int64_t i = 0; i < r.channels * r.samples; ++i) {
    scan.data[static_cast<std::size_t>(r.data_offset + i)] = {data[2 * i], data[2 * i + 1]};
  }
  std::copy_n(static_cast<float const*>(row.traj.p), row.traj.len,
              scan.trajectory.begin() + static_cast<std::ptrdiff_t>(r.trajectory_offset));
}

void read_samples(Context const& context, Readouts& file, RawScan& scan) {
  Handle const type = mrd::samples_only_type();
  std::int64_t first = 0;
  while (first < file.count()) {
    context.throw_if_cancelled();
    std::int64_t last = first, bytes = 0;
    while (last < file.count() && (last == first || bytes < kBatchBytes)) {
      RawReadout const& r = scan.readouts[static_cast<std::size_t>(last++)];
      bytes += r.samples * (8 * r.channels + 4 * r.trajectory_dims) +
               static_cast<std::int64_t>(sizeof(mrd::Readout));
    }
    std::vector<mrd::Readout> rows(static_cast<std::size_t>(last - first));
    Reclaim const reclaim{type, rows};
    file.read(type, first, rows);
    for (std::int64_t i = first; i < last; ++i)
      take_samples(scan, i, rows[static_cast<std::size_t>(i - first)]);
    first = last;
  }
}

}  // namespace

RawScan read_mrd(Context const& context, std::string const& path, MrdReadOptions const& options) {
  Phase const phase(context, "read");
  mrd::Session const session;
  Handle const file = open_file(path);
  RawScan scan;
  scan.path = path;
  scan.group = choose_group(file, path, options.group);
  std::string const source = path + ":" + scan.group;
  Handle const group(H5Gopen2(file, scan.group.c_str(), H5P_DEFAULT), H5Gclose);
  scan.xml = read_xml(group, source);
  mrd::parse_header(scan.xml, source, scan);
  Readouts readouts(group, source);
  read_headers(context, readouts, scan);
  allocate(scan);
  read_samples(context, readouts, scan);
  return scan;
}

}  // namespace findrho
