// SPDX-License-Identifier: BSD-3-Clause
// Times the library for bench.py: one command a line on standard input, one answer a line on standard output,
// so that several programs can take turns. Every time is in milliseconds: findrho_bench THREADS [cpu], where cpu
// means the processor time of all threads, for machines that others use too.
//   load FOLDER COILS X Y Z   k.bin (3 x double per sample), image.bin, samples.bin (complex float, coil slowest)
//   plan ACCURACY  type1  type2        -> the time; the result stays
//   write type1|type2 FILE             -> bytes
//   describe                           -> kernel and grid
//   kernel ACCURACY OVERSAMPLING       -> the time of planning Q; keeps it
//   doubled ACCURACY OVERSAMPLING      -> the execution of one type-1 transform onto the doubled grid
//   product                            -> the time of one Toeplitz product over all coils
//   memory                             -> largest resident size so far, MiB
#include <time.h>

#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sstream>
#include <string>

#include "findrho/core/error.hpp"
#include "findrho/core/lag_boxes.hpp"
#include "findrho/operator/toeplitz.hpp"

namespace findrho {
namespace {

using C = std::complex<float>;

template <class T>
void read_file(std::string const& path, T* data, std::int64_t count) {
  std::ifstream file(path, std::ios::binary);
  auto const bytes = static_cast<std::streamsize>(count * static_cast<std::int64_t>(sizeof(T)));
  if (!file.read(reinterpret_cast<char*>(data), bytes)) {
    throw Error(ErrorKind::bad_file,
                path + " cannot be read or is shorter than " + std::to_string(bytes) + " bytes");
  }
}

clockid_t time_kind = CLOCK_MONOTONIC;

double now_ms() {
  timespec now{};
  clock_gettime(time_kind, &now);
  return 1e3 * static_cast<double>(now.tv_sec) + 1e-6 * static_cast<double>(now.tv_nsec);
}

template <class F>
double milliseconds(F const& f) {
  double const start = now_ms();
  f();
  return now_ms() - start;
}

class Worker {
 public:
  explicit Worker(int threads) : context_(Context::cpu(threads)) {}

  void load(std::istream& words) {
    std::string folder;
    std::int64_t coils = 0;
    words >> folder >> coils >> matrix_.x >> matrix_.y >> matrix_.z;
    std::ifstream size(folder + "/k.bin", std::ios::binary | std::ios::ate);
    std::int64_t const m =
        static_cast<std::int64_t>(size.tellg()) / static_cast<std::int64_t>(3 * sizeof(double));
    std::vector<double> k(static_cast<std::size_t>(3 * m));
    read_file(folder + "/k.bin", k.data(), 3 * m);
    trajectory_ = {};
    trajectory_.dims = matrix_.dims();
    for (int d = 0; d < trajectory_.dims; ++d) {
      for (std::size_t i = 0; i < k.size(); i += 3)
        trajectory_[d].push_back(k[i + static_cast<std::size_t>(d)]);
    }
    image_ = Array<C>(matrix_.shape(coils));
    samples_ = Array<C>(sample_shape(coils, m));
    read_file(folder + "/image.bin", image_.data(), image_.size());
    read_file(folder + "/samples.bin", samples_.data(), samples_.size());
    type1_ = Array<C>(image_.shape());
    type2_ = Array<C>(samples_.shape());
    product_ = Array<C>(matrix_.shape());
    plan_.reset();
    normal_.reset();
  }

  double plan(double accuracy) {
    plan_.reset();
    return milliseconds(
        [&] { plan_.emplace(context_, trajectory_, matrix_, NufftOptions{.accuracy = accuracy}); });
  }
  double type1() {
    return milliseconds([&] { plan_.value().adjoint(context_, samples_, type1_); });
  }
  double type2() {
    return milliseconds([&] { plan_.value().forward(context_, image_, type2_); });
  }
  std::int64_t write(std::istream& words) const {
    std::string what, path;
    words >> what >> path;
    Array<C> const& result = what == "type1" ? type1_ : type2_;
    auto const bytes = result.size() * static_cast<std::int64_t>(sizeof(C));
    std::ofstream(path, std::ios::binary).write(reinterpret_cast<char const*>(result.data()), bytes);
    return bytes;
  }
  std::string describe() const { return plan_.value().description(); }

  double kernel(NufftOptions const& options) {
    normal_.reset();
    std::shared_ptr<ToeplitzKernel<float> const> q;
    double const time = milliseconds([&] {
      q = std::make_shared<ToeplitzKernel<float> const>(
          context_, trajectory_, matrix_, std::span<double const>(), EncodingOptions{.nufft = options});
    });
    // The image's coils serve as maps: what they hold does not change the time.
    normal_.emplace(q, View<C const>(image_));
    return time;
  }
  double product() {
    View<C const> const first{image_.data(), matrix_.shape()};
    return milliseconds([&] { normal_.value().forward(context_, first, product_); });
  }
  double doubled(NufftOptions const& options) {
    Matrix const wide = findrho::doubled(matrix_);
    Trajectory stretched = trajectory_;
    for (int d = 0; d < stretched.dims; ++d) {
      for (double& k : stretched[d]) k *= 2;
    }
    Nufft<float> const nufft(context_, stretched, wide, options);
    Array<C> out(wide.shape(1));
    View<C const> const first{samples_.data(), sample_shape(1, trajectory_.size())};
    nufft.adjoint(context_, first, out);  // its work array is made here
    return milliseconds([&] { nufft.adjoint(context_, first, out); });
  }

 private:
  Context context_;
  Matrix matrix_;
  Trajectory trajectory_;
  Array<C> image_, samples_, type1_, type2_, product_;
  std::optional<Nufft<float>> plan_;
  std::optional<ToeplitzNormal<float>> normal_;
};

/// Not getrusage's, which begins with what the program had that started this one.
std::int64_t peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib / 1024;
  }
  return 0;
}

NufftOptions options(std::istream& words) {
  NufftOptions o;
  words >> o.accuracy >> o.oversampling;
  return o;
}

void answer(Worker& worker, std::string const& line) {
  std::istringstream words(line);
  std::string command;
  words >> command;
  if (command == "load") {
    worker.load(words);
    std::cout << "ok";
  } else if (command == "plan") {
    std::cout << worker.plan(options(words).accuracy);
  } else if (command == "type1") {
    std::cout << worker.type1();
  } else if (command == "type2") {
    std::cout << worker.type2();
  } else if (command == "write") {
    std::cout << worker.write(words);
  } else if (command == "describe") {
    std::cout << worker.describe();
  } else if (command == "kernel") {
    std::cout << worker.kernel(options(words));
  } else if (command == "doubled") {
    std::cout << worker.doubled(options(words));
  } else if (command == "product") {
    std::cout << worker.product();
  } else if (command == "memory") {
    std::cout << peak_mib();
  } else {
    throw Error(ErrorKind::bad_option, "no command '" + command + "'");
  }
}

int serve(int threads) {
  Worker worker(threads);
  for (std::string line; std::getline(std::cin, line);) {
    try {
      answer(worker, line);
    } catch (std::exception const& error) {
      std::cout << "error: " << error.what();
    }
    std::cout << std::endl;
  }
  return 0;
}

}  // namespace
}  // namespace findrho

int main(int argc, char** argv) {
  if (argc > 2 && std::string(argv[2]) == "cpu") findrho::time_kind = CLOCK_PROCESS_CPUTIME_ID;
  return findrho::serve(argc > 1 ? std::stoi(argv[1]) : 2);
}
