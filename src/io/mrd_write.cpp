// SPDX-License-Identifier: BSD-3-Clause
#include "findrho/io/mrd_write.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "findrho/core/error.hpp"
#include "findrho/io/output_set.hpp"
#include "mrd_header.hpp"
#include "mrd_layout.hpp"

namespace findrho {

namespace {

using mrd::Handle;

constexpr std::int64_t kLargestCounter = 65535;  // counters of the standard's header have 16 bits
constexpr hsize_t kRowsPerChunk = 64;

void require_written(bool ok, std::string const& path, char const* what) {
  if (ok) return;
  std::string const reason = mrd::hdf5_reason();
  throw Error(ErrorKind::cannot_write,
              shown_name(path) + ": cannot write " + what + ": " + reason.substr(0, reason.find(';')),
              "see whether the disk is full and the folder is writable");
}

/// A new file with one group, and what it takes to put datasets into it.
class Output {
 public:
  Output(std::string path, std::string const& group) : path_(std::move(path)) {
    Handle const access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    H5Pset_file_locking(access, 0, 1);
    file_ = Handle(H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, H5P_DEFAULT, access), H5Fclose);
    require_written(file_.valid(), path_, "the file");
    add_group(group);
  }

  void add_group(std::string const& group) {
    Handle const links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links, 1);
    Handle const made(H5Gcreate2(file_, group.c_str(), links, H5P_DEFAULT, H5P_DEFAULT), H5Gclose);
    require_written(made.valid(), path_, "a group");
  }

  /// A dataset whose first extent may grow, as the ISMRMRD library makes them.
  template <std::size_t Rank>
  void write(std::string const& name, hid_t file_type, hid_t memory_type,
             std::array<hsize_t, Rank> const& dims, std::array<hsize_t, Rank> const& chunk,
             void const* data) {
    std::array<hsize_t, Rank> largest = dims;
    largest[0] = H5S_UNLIMITED;
    Handle const space(H5Screate_simple(Rank, dims.data(), largest.data()), H5Sclose);
    Handle const properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(properties, Rank, chunk.data());
    H5Pset_obj_track_times(properties, 0);  // or the same image would have other bytes a second later
    Handle dataset(H5Dcreate2(file_, name.c_str(), file_type, space, H5P_DEFAULT, properties, H5P_DEFAULT),
                   H5Dclose);
    require_written(dataset.valid(), path_, name.c_str());
    require_written(H5Dwrite(dataset, memory_type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0, path_,
                    name.c_str());
    require_written(dataset.close(), path_, name.c_str());
  }

  void write_strings(std::string const& name, std::vector<char const*> const& texts) {
    Handle const type = mrd::string_type();
    std::array<hsize_t, 1> const dims{texts.size()}, chunk{1};
    write(name, type, type, dims, chunk, texts.data());
  }

  void close() { require_written(file_.close(), path_, "the last bytes"); }

 private:
  std::string path_;
  Handle file_;
};

std::uint32_t counter(std::int64_t value, char const* name, std::size_t readout) {
  if (value >= 0 && value <= kLargestCounter) return static_cast<std::uint32_t>(value);
  throw Error(ErrorKind::bad_shape,
              "readout " + std::to_string(readout) + ": " + name + " is " + std::to_string(value) +
                  ", MRD holds 0.." + std::to_string(kLargestCounter),
              "split long readouts");
}

mrd::ReadoutHeader to_header(RawReadout const& r, std::size_t i) {
  mrd::ReadoutHeader h;
  h.flags = r.flags;
  h.scan_counter = r.scan_counter;
  h.number_of_samples = counter(r.samples, "number_of_samples", i);
  h.available_channels = h.active_channels = counter(r.channels, "active_channels", i);
  for (int c = 0; c < std::min(r.channels, 1024); ++c) h.channel_mask[c / 64] |= std::uint64_t{1} << (c % 64);
  h.discard_pre = counter(r.discard_pre, "discard_pre", i);
  h.discard_post = counter(r.discard_post, "discard_post", i);
  h.center_sample = counter(r.center_sample, "center_sample", i);
  h.encoding_space_ref = counter(r.encoding, "encoding_space_ref", i);
  h.trajectory_dimensions = counter(r.trajectory_dims, "trajectory_dimensions", i);
  h.sample_time_us = r.dwell_us;
  std::copy(r.position.begin(), r.position.end(), h.position);
  std::copy(r.read_dir.begin(), r.read_dir.end(), h.read_dir);
  std::copy(r.phase_dir.begin(), r.phase_dir.end(), h.phase_dir);
  std::copy(r.slice_dir.begin(), r.slice_dir.end(), h.slice_dir);
  h.ky = counter(r.ky, "idx.kspace_encode_step_1", i);
  h.kz = counter(r.kz, "idx.kspace_encode_step_2", i);
  h.average = counter(r.average, "idx.average", i);
  h.slice = counter(r.slice, "idx.slice", i);
  h.contrast = counter(r.contrast, "idx.contrast", i);
  h.phase = counter(r.phase, "idx.phase", i);
  h.repetition = counter(r.repetition, "idx.repetition", i);
  h.set = counter(r.set, "idx.set", i);
  h.segment = counter(r.segment, "idx.segment", i);
  return h;
}

/// Rows whose variable-length members point into the scan; HDF5 only reads through them.
std::vector<mrd::Readout> rows_of(RawScan const& scan) {
  std::vector<mrd::Readout> rows(scan.readouts.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RawReadout const& r = scan.readouts[i];
    rows[i].head = to_header(r, i);
    std::int64_t const data = r.channels * r.samples, trajectory = r.samples * r.trajectory_dims;
    if (r.data_offset < 0 || r.data_offset + data > std::ssize(scan.data) || r.trajectory_offset < 0 ||
        r.trajectory_offset + trajectory > std::ssize(scan.trajectory)) {
      throw Error(ErrorKind::bad_shape, "readout " + std::to_string(i) + " reaches beyond the scan's " +
                                            std::to_string(scan.data.size()) + " samples or " +
                                            std::to_string(scan.trajectory.size()) + " trajectory values");
    }
    rows[i].data = {static_cast<std::size_t>(2 * data),
                    const_cast<std::complex<float>*>(scan.data.data() + r.data_offset)};
    rows[i].traj = {static_cast<std::size_t>(trajectory),
                    const_cast<float*>(scan.trajectory.data() + r.trajectory_offset)};
  }
  return rows;
}

mrd::ImageHeader to_header(MrdImageFrame const& frame, View<std::complex<float> const> images, ImagePart part,
                           std::int64_t index) {
  mrd::ImageHeader h;
  h.data_type = part == ImagePart::magnitude ? 5 : 7;   // ISMRMRD_FLOAT, ISMRMRD_CXFLOAT
  h.image_type = part == ImagePart::magnitude ? 1 : 5;  // ISMRMRD_IMTYPE_MAGNITUDE, ISMRMRD_IMTYPE_COMPLEX
  static constexpr Axis kAxes[] = {Axis::x, Axis::y, Axis::z};
  for (std::size_t d = 0; d < 3; ++d) {
    std::int64_t const size = images.shape.extent(kAxes[d]);
    if (size > kLargestCounter) {
      throw Error(ErrorKind::bad_shape, "image has " + std::to_string(size) + " voxels along " +
                                            name(kAxes[d]) + ", MRD holds " +
                                            std::to_string(kLargestCounter));
    }
    Geometry const& g = frame.geometry;
    h.matrix_size[d] = static_cast<std::uint16_t>(size);
    // An unknown FOV means voxels of 1 mm everywhere in findrho.
    h.field_of_view[d] = static_cast<float>(g.fov_mm[d] > 0 ? g.fov_mm[d] : static_cast<double>(size));
    h.position[d] = static_cast<float>(g.position_mm[d]);
    h.read_dir[d] = static_cast<float>(g.read[d]);
    h.phase_dir[d] = static_cast<float>(g.phase[d]);
    h.slice_dir[d] = static_cast<float>(g.slice[d]);
  }
  h.average = static_cast<std::uint16_t>(frame.index.average);
  h.slice = static_cast<std::uint16_t>(frame.index.slice);
  h.contrast = static_cast<std::uint16_t>(frame.index.contrast);
  h.phase = static_cast<std::uint16_t>(frame.index.phase);
  h.repetition = static_cast<std::uint16_t>(frame.index.repetition);
  h.set = static_cast<std::uint16_t>(frame.index.set);
  h.image_index = static_cast<std::uint16_t>(std::min(index, kLargestCounter));
  return h;
}

}  // namespace

void write_mrd(std::string const& path, RawScan const& scan) {
  mrd::Session const session;
  std::vector<mrd::Readout> const rows = rows_of(scan);
  std::string const xml = scan.xml.empty() ? mrd::make_header(scan) : scan.xml;
  std::string const group = scan.group.empty() ? "dataset" : scan.group;
  Output output(path, group);
  output.write_strings(group + "/xml", {xml.c_str()});
  Handle const file_type = mrd::readout_type(mrd::Side::file),
               memory_type = mrd::readout_type(mrd::Side::memory);
  std::array<hsize_t, 1> const dims{rows.size()}, chunk{kRowsPerChunk};
  output.write(group + "/data", file_type, memory_type, dims, chunk, rows.data());
  output.close();
}

void write_mrd_images(std::string const& path, View<std::complex<float> const> images,
                      std::vector<MrdImageFrame> const& frames, ImagePart part, std::string const& xml) {
  std::int64_t const count = images.shape.extent(Axis::frame);
  if (count != std::ssize(frames) || count < 1 || images.size() < 1) {
    throw Error(ErrorKind::bad_shape, "images are " + images.shape.str() + ", described by " +
                                          std::to_string(frames.size()) + " headers");
  }
  std::vector<mrd::ImageHeader> headers;
  for (std::int64_t i = 0; i < count; ++i) {
    headers.push_back(to_header(frames[static_cast<std::size_t>(i)], images, part, i));
  }
  mrd::Session const session;
  std::string const group = "dataset/image_0";
  Output output(path, group);
  if (!xml.empty()) output.write_strings("dataset/xml", {xml.c_str()});
  auto const extent = [&images](Axis axis) { return static_cast<hsize_t>(images.shape.extent(axis)); };
  std::array<hsize_t, 5> const dims{headers.size(), 1, extent(Axis::z), extent(Axis::y), extent(Axis::x)};
  std::array<hsize_t, 5> const chunk{1, 1, 1, dims[3], dims[4]};
  if (part == ImagePart::complex) {
    Handle const type = mrd::complex_type();
    output.write(group + "/data", type, type, dims, chunk, images.data);
  } else {
    std::vector<float> magnitude(static_cast<std::size_t>(images.size()));
    std::transform(images.begin(), images.end(), magnitude.begin(),
                   [](auto value) { return std::abs(value); });
    output.write(group + "/data", H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, dims, chunk, magnitude.data());
  }
  Handle const file_type = mrd::image_header_type(mrd::Side::file);
  Handle const memory_type = mrd::image_header_type(mrd::Side::memory);
  std::array<hsize_t, 1> const rows{headers.size()}, one{1};
  output.write(group + "/header", file_type, memory_type, rows, one, headers.data());
  output.write_strings(group + "/attributes", std::vector<char const*>(headers.size(), ""));
  output.close();
}

}  // namespace findrho
