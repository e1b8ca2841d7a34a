// SPDX-License-Identifier: BSD-3-Clause
// The record beside every image: what was run on what, how it went, and all that is needed to run it again.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "findrho/core/scan.hpp"
#include "findrho/recipe/recon.hpp"

namespace findrho {

struct ManifestInput {
  std::string role, path, sha256;  // role: the option that named it, "scan" for the scan itself
};

struct ManifestOutput {
  std::string path, sha256;
};

struct ManifestOption {
  std::string name;                 // "--lambda"
  std::vector<std::string> values;  // as the command line takes them; empty: not given and without default
  std::string unit;                 // "mm", "cycles per FOV"; empty for a pure number or a word
};

struct ManifestPhase {
  std::string name;
  double seconds = 0;
};

struct Manifest {
  std::string version, command;
  std::vector<ManifestOption> options;  // every option, defaults filled in
  std::vector<ManifestInput> inputs;
  std::vector<ManifestOutput> outputs;
  std::vector<std::string> notes, warnings;
  std::vector<ManifestPhase> phases;
  std::int64_t peak_memory_bytes = 0;
  int threads = 0;
  std::string device = "cpu";  // as --device takes it: cpu or cuda:<n>
  std::uint64_t seed = 0;
  bool interrupted = false;
  Matrix matrix;
  Geometry geometry;
  std::vector<FrameReport> frames;
};

/// JSON text, indented; the same manifest gives the same text.
std::string manifest_json(Manifest const& manifest);

/// What rerun needs of a manifest: version, command, interrupted, device, options, inputs, outputs.
/// Errors  bad_file (no such file, not JSON, not a findrho manifest)
Manifest read_manifest(std::string const& path);

}  // namespace findrho
