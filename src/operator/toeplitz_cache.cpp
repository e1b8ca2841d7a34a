// SPDX-License-Identifier: BSD-3-Clause
// Spectra of Q on disk. An entry is <key>.findrho-q: a header of fixed size, then the spectrum. It is written under a
// name of its own and renamed, so a reader never sees half of one, whoever else is writing.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "findrho/core/sha256.hpp"
#include "findrho/operator/toeplitz.hpp"

namespace findrho {
namespace {

namespace fs = std::filesystem;

// Part of every key: raise it whenever the order of the spectrum, the file or the way Q is computed changes.
constexpr std::int64_t kFormatVersion = 3;
constexpr char const* kExtension = ".findrho-q";

struct Header {
  std::array<char, 16> magic{'f', 'i', 'n', 'd', 'r', 'h', 'o', ' ', 'Q', '\n'};
  std::array<char, 64> sha256{};  // of the spectrum
  std::int64_t elements = 0;
};

template <class T>
std::span<std::byte const> bytes_of(T const* data, std::int64_t count) {
  return std::as_bytes(std::span<T const>(data, static_cast<std::size_t>(count)));
}

template <class T>
std::string spectrum_sha256(View<T const> spectrum) {
  return sha256(bytes_of(spectrum.data, spectrum.size()));
}

template <class T>
std::string cache_key(Trajectory const& trajectory, Matrix const& matrix, std::span<double const> weights,
                      EncodingOptions const& options) {
  // The parts are hashed by themselves, so that no two lists of parts run together to the same bytes.
  std::string parts;
  auto const add = [&parts](auto const& value) { parts += std::to_string(value) + '\n'; };
  auto const add_list = [&parts](std::span<double const> list) {
    parts += sha256(bytes_of(list.data(), static_cast<std::int64_t>(list.size()))) + '\n';
  };
  add(kFormatVersion);
  add(sizeof(T));
  for (int d = 0; d < 3; ++d) add(matrix[d]);
  add(trajectory.dims);
  for (int d = 0; d < trajectory.dims; ++d) add_list(trajectory[d]);
  add_list(weights);
  add(static_cast<int>(options.transform));
  bool const by_rung = options.transform == TransformKind::exact && options.sums;
  add(by_rung ? static_cast<int>(grid_rung<T>(*options.sums)) : -1);
  add(static_cast<int>(options.nufft.kernel));
  add(options.nufft.width);
  std::array<double, 2> const accuracy{options.nufft.accuracy, options.nufft.oversampling};
  add_list(accuracy);
  return sha256(std::string_view(parts));
}

/// The entry's spectrum; empty when it is not what was once written.
template <class T>
Array<T> read_entry(std::ifstream& in, std::int64_t elements) {
  Header header;
  Header const expected;
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!in || header.magic != expected.magic || header.elements != elements) return {};
  Array<T> spectrum({{Axis::other, elements}});
  in.read(reinterpret_cast<char*>(spectrum.data()), static_cast<std::streamsize>(sizeof(T)) * elements);
  if (!in || in.peek() != std::ifstream::traits_type::eof()) return {};
  if (spectrum_sha256<T>(spectrum) != std::string_view(header.sha256.data(), header.sha256.size())) return {};
  return spectrum;
}

/// A file that is removed again unless keep() is reached.
class TemporaryFile {
 public:
  explicit TemporaryFile(std::string name_template) : name_(std::move(name_template)) {
    int const descriptor = ::mkstemp(name_.data());
    check(descriptor >= 0);
    file_ = ::fdopen(descriptor, "wb");
    if (file_ == nullptr) ::close(descriptor);
    check(file_ != nullptr);
  }
  ~TemporaryFile() {
    if (file_ != nullptr) std::fclose(file_);
    if (!kept_) ::unlink(name_.c_str());
  }
  TemporaryFile(TemporaryFile const&) = delete;
  TemporaryFile& operator=(TemporaryFile const&) = delete;

  void write(std::span<std::byte const> bytes) {
    check(std::fwrite(bytes.data(), 1, bytes.size(), file_) == bytes.size());
  }
  void keep_as(fs::path const& path) {
    check(std::fclose(std::exchange(file_, nullptr)) == 0);
    fs::rename(name_, path);
    kept_ = true;
  }

 private:
  static void check(bool good) {
    if (!good) throw std::system_error(errno, std::generic_category());
  }
  std::string name_;
  std::FILE* file_ = nullptr;
  bool kept_ = false;
};

/// Errors  std::system_error
template <class T>
void write_entry(fs::path const& file, View<T const> spectrum) {
  Header header;
  std::string const hash = spectrum_sha256(spectrum);
  std::copy(hash.begin(), hash.end(), header.sha256.begin());
  header.elements = spectrum.size();
  TemporaryFile out(file.string() + ".XXXXXX");
  out.write(bytes_of(&header, 1));
  out.write(bytes_of(spectrum.data, spectrum.size()));
  out.keep_as(file);
}

/// Removes what was not used for longest until the rest is within the limit, and what writers that died left behind.
/// Another process may remove the same files meanwhile: errors are no concern.
void evict(fs::path const& folder, std::int64_t limit_bytes) {
  using namespace std::chrono_literals;
  struct Entry {
    fs::file_time_type used;
    std::int64_t bytes;
    fs::path path;
  };
  std::vector<Entry> entries;
  std::int64_t total = 0;
  std::error_code ignored;
  for (fs::directory_entry const& item : fs::directory_iterator(folder, ignored)) {
    bool const whole = item.path().extension() == kExtension;
    bool const partial = item.path().stem().extension() == kExtension;
    if (!whole && !partial) continue;
    std::error_code failed;
    Entry entry{item.last_write_time(failed), static_cast<std::int64_t>(item.file_size(failed)), item.path()};
    if (failed) continue;
    if (partial) {
      if (fs::file_time_type::clock::now() - entry.used > 1h) fs::remove(entry.path, ignored);
      continue;
    }
    total += entry.bytes;
    entries.push_back(std::move(entry));
  }
  std::sort(entries.begin(), entries.end(), [](Entry const& a, Entry const& b) { return a.used < b.used; });
  for (Entry const& entry : entries) {
    if (total <= limit_bytes) return;
    fs::remove(entry.path, ignored);
    total -= entry.bytes;
  }
}

template <class T>
void store(Context const& context, fs::path const& folder, fs::path const& file, View<T const> spectrum,
           std::int64_t limit_bytes) {
  std::int64_t const bytes =
      static_cast<std::int64_t>(sizeof(Header)) + static_cast<std::int64_t>(sizeof(T)) * spectrum.size();
  if (bytes > limit_bytes) {
    context.note("Q is larger than the cache may grow (" + std::to_string(limit_bytes >> 20) +
                 " MiB): not kept");
    return;
  }
  try {
    fs::create_directories(folder);
    // Room is made first, so that the folder does not outgrow its limit meanwhile.
    evict(folder, limit_bytes - bytes);
    write_entry(file, spectrum);
  } catch (std::system_error const& error) {
    context.note("Q was not kept in the cache " + folder.string() + ": " + error.code().message());
  }
}

}  // namespace

template <class T>
std::shared_ptr<ToeplitzKernel<T> const> cached_toeplitz_kernel(
    Context const& context, Trajectory const& trajectory, Matrix const& matrix,
    std::span<double const> weights, EncodingOptions const& options, fs::path const& folder,
    std::int64_t limit_bytes) {
  fs::path const file = folder / (cache_key<T>(trajectory, matrix, weights, options) + kExtension);
  // Opened without asking first whether it is there: another process may remove it in between, which is no damage.
  if (std::ifstream in(file, std::ios::binary); in) {
    Array<T> spectrum = read_entry<T>(in, toeplitz_spectrum_size<T>(matrix));
    if (!spectrum.empty()) {
      std::error_code ignored;
      fs::last_write_time(file, fs::file_time_type::clock::now(), ignored);  // used now
      context.note("Q was read from " + file.string());
      return std::make_shared<ToeplitzKernel<T> const>(matrix, std::move(spectrum));
    }
    context.note("the cached Q in " + file.string() + " is damaged: computed anew");
  }
  auto kernel = std::make_shared<ToeplitzKernel<T> const>(context, trajectory, matrix, weights, options);
  store<T>(context, folder, file, kernel->spectrum(), limit_bytes);
  return kernel;
}

template std::shared_ptr<ToeplitzKernel<float> const> cached_toeplitz_kernel(Context const&,
                                                                             Trajectory const&, Matrix const&,
                                                                             std::span<double const>,
                                                                             EncodingOptions const&,
                                                                             fs::path const&, std::int64_t);
template std::shared_ptr<ToeplitzKernel<double> const> cached_toeplitz_kernel(
    Context const&, Trajectory const&, Matrix const&, std::span<double const>, EncodingOptions const&,
    fs::path const&, std::int64_t);

}  // namespace findrho
