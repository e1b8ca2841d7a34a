// SPDX-License-Identifier: BSD-3-Clause
// Finds and loads libfindrho_cuda.so. Nothing of CUDA is linked here.
#include "findrho/backend/cuda_module.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "backend/cuda/module_abi.hpp"
#include "backend/cuda/topic.hpp"
#include "findrho/backend/cuda_session.hpp"
#include "findrho/core/error.hpp"

namespace findrho {
namespace {

constexpr int kMaxDevices = 64;
constexpr char const* kFileName = "libfindrho_cuda.so";

std::string find_file() {
  std::error_code ignored;
  auto const program = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (auto const& folder : {program, program / "../lib", program / "../lib/findrho"}) {
    if (std::filesystem::exists(folder / kFileName, ignored)) return (folder / kFileName).lexically_normal();
  }
  return {};
}

std::string version_text(int version) {
  if (version == 0) return {};
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

template <class Function>
Function* find_function(void* library, char const* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

void set(CudaModule& module, CudaModule::State state, std::string reason, std::string hint) {
  module.state = state;
  module.reason = std::move(reason);
  module.hint = std::move(hint);
}

void set_missing(CudaModule& module) {
#ifdef FINDRHO_CUDA_BUILT
  set(module, CudaModule::State::not_found,
      std::string(kFileName) + " lies neither beside the program nor in ../lib or ../lib/findrho",
      "copy it there from the folder of the build");
#else
  set(module, CudaModule::State::not_built, "this build has no CUDA backend",
      "install NVIDIA's CUDA toolkit (nvcc) and build with: make cuda");
#endif
}

void set_from_probe(CudaModule& module, CudaProbe const& probe, CudaDeviceRecord const* records) {
  module.runtime = version_text(probe.runtime_version);
  module.driver = version_text(probe.driver_version);
  switch (probe.status) {
    case CudaProbe::ok:
      module.state = CudaModule::State::ready;
      break;
    case CudaProbe::no_driver:
      return set(module, CudaModule::State::no_driver,
                 module.driver.empty() ? "there is no NVIDIA driver"
                                       : "the NVIDIA driver knows CUDA " + module.driver +
                                             ", the module needs " + module.runtime,
                 "install an NVIDIA driver for CUDA " + module.runtime + " or newer");
    case CudaProbe::no_device:
      return set(module, CudaModule::State::no_device, "the NVIDIA driver offers no device",
                 "look at nvidia-smi and at CUDA_VISIBLE_DEVICES");
    default:
      return set(module, CudaModule::State::failed, probe.error,
                 "look at nvidia-smi and at the kernel's log");
  }
  for (int i = 0; i < std::min(probe.devices, kMaxDevices); ++i) {
    CudaDeviceRecord const& record = records[i];
    module.devices.push_back(
        {.index = i,
         .name = record.name,
         .compute_major = record.compute_major,
         .compute_minor = record.compute_minor,
         .multiprocessors = record.multiprocessors,
         .memory_bytes = record.memory_bytes,
         .memory_free_bytes = record.memory_free_bytes,
         .l2_bytes = record.l2_bytes,
         .clock_mhz = record.clock_khz / 1e3,
         .uuid = record.uuid,
         .memory_bytes_per_s = 2e3 * record.memory_clock_khz * record.memory_bus_bits / 8});
  }
}

[[noreturn]] void fail(CudaModule const& module) {
  using State = CudaModule::State;
  bool const no_module =
      module.state == State::not_built || module.state == State::not_found || module.state == State::unusable;
  ErrorKind kind = no_module ? ErrorKind::not_built : ErrorKind::no_device;
  if (module.state == State::failed) kind = ErrorKind::device_fault;
  throw Error(kind, module.reason, module.hint);
}

}  // namespace

CudaModule load_cuda_module() {
  CudaModule module;
  module.path = find_file();
  if (module.path.empty()) {
    set_missing(module);
    return module;
  }
  // Never closed: the CUDA runtime does not outlive being unloaded, and a second load finds the same one.
  void* const library = dlopen(module.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  std::string const other_version = "copy the one of this build there";
  if (library == nullptr) {
    char const* const why = dlerror();
    set(module, CudaModule::State::unusable, std::string("cannot load the CUDA module: ") + why,
        other_version);
    return module;
  }
  auto* const abi = find_function<CudaAbiFunction>(library, kCudaAbiName);
  auto* const probe = find_function<CudaProbeFunction>(library, kCudaProbeName);
  if (abi == nullptr || probe == nullptr || abi() != kCudaAbi) {
    set(module, CudaModule::State::unusable, module.path + " belongs to another version of findrho",
        other_version);
    return module;
  }
  CudaProbe answer{};
  std::array<CudaDeviceRecord, kMaxDevices> records{};
  probe(&answer, records.data(), kMaxDevices);
  set_from_probe(module, answer, records.data());
  return module;
}

CudaDevice const& require_cuda_device(CudaModule const& module, int index) {
  if (!module.ready()) fail(module);
  auto const count = static_cast<int>(module.devices.size());
  if (index < 0 || index >= count) {
    throw Error(ErrorKind::no_device,
                "there is no CUDA device " + std::to_string(index) + "; there are " + std::to_string(count),
                "give a number from 0 to " + std::to_string(count - 1));
  }
  return module.devices[static_cast<std::size_t>(index)];
}

void cuda_self_test(CudaModule const& module, int index) {
  CudaDevice const& device = require_cuda_device(module, index);
  void* const library = dlopen(module.path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* const test =
      library == nullptr ? nullptr : find_function<CudaSelfTestFunction>(library, kCudaSelfTestName);
  if (test == nullptr) throw Error(ErrorKind::not_built, module.path + " has no self-test", "build it again");
  std::array<char, 512> reason{};
  if (test(index, reason.data(), static_cast<int>(reason.size())) != 0) {
    throw Error(ErrorKind::device_fault, "the self-test failed on " + device.name + ": " + reason.data(),
                "look at nvidia-smi and at the kernel's log");
  }
}

void const* cuda_topic(std::string const& path, char const* topic, int version) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  auto* const find = library == nullptr ? nullptr
                                        : find_function<CudaTopicFunction>(
                                              library, (std::string(kCudaTopicPrefix) + topic).c_str());
  void const* const table = find == nullptr ? nullptr : find(version);
  if (table == nullptr) {
    throw Error(ErrorKind::not_built,
                path + " has no functions for '" + topic + "' of version " + std::to_string(version),
                "copy the module of this build there");
  }
  return table;
}

namespace {

/// n of "cuda" or "cuda:<n>"; -1 for anything else.
int cuda_index(std::string const& name) {
  if (name == "cuda") return 0;
  if (name.rfind("cuda:", 0) != 0) return -1;
  std::string const digits = name.substr(5);
  bool const number =
      !digits.empty() && digits.size() <= 3 && digits.find_first_not_of("0123456789") == std::string::npos;
  return number ? std::stoi(digits) : -1;
}

}  // namespace

DeviceChoice choose_device(std::string const& name, CudaModule const& module) {
  if (name == "cpu") return {};
  if (name == "auto") {
    if (module.ready()) return {true, 0, "auto: " + module.devices.front().name};
    return {false, 0, "auto: the CPU, because " + module.reason};
  }
  int const index = cuda_index(name);
  if (index < 0) {
    throw Error(ErrorKind::bad_option, "there is no device '" + name + "'",
                "take auto, cpu, cuda or cuda:<number>");
  }
  require_cuda_device(module, index);
  return {true, index, {}};
}

}  // namespace findrho
