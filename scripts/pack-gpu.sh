#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Packs what a run on another machine with a GPU needs into a folder that works from anywhere:
#   scripts/pack-gpu.sh BUILD FOLDER [DATA...]
# BUILD is a build folder with CUDA; FOLDER is made anew. In it: bin/ with the program, the CUDA module, the test
# programs that have GPU tests and the benchmarks that were built, and lib/ with the shared libraries that the other
# machine may lack, both in programs.tar.xz; bench/; data/ with DATA, files named by their last folder
# (data/heart-radial/heart.h5); and run.sh, which is scripts/gpu-run.sh and unpacks what it needs. cuFFT and cuBLAS come from the toolkit there. Tests find DATA where BUILD was configured with
# -DFINDRHO_DATA_DIR:STRING=data.
set -eu
[ $# -ge 2 ] || { sed -n '3,11s/^# *//p' "$0" >&2; exit 2; }
build=$1 folder=$2 root=$(cd "$(dirname "$0")/.." && pwd)
shift 2
[ -f "$build/bin/libfindrho_cuda.so" ] || { echo "pack-gpu: $build/bin has no libfindrho_cuda.so: build it with CUDA" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/lib" "$folder/data" "$folder/bench"
for file in "$build"/bin/findrho "$build"/bin/libfindrho_cuda.so "$build"/bin/test_* "$build"/bin/gpu_*; do
  case $file in *.py | *"[1]"*) continue ;; esac
  [ -f "$file" ] || continue
  cp "$file" "$folder/bin/"
  strip "$folder/bin/$(basename "$file")" 2>/dev/null || true
done
# Libraries of the system's C and C++, and of CUDA, are the other machine's own.
for file in "$folder"/bin/*; do
  ldd "$file" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libresolv|libstdc\+\+|libgcc_s|libcufft|libcublas|libcublasLt|libcudart|libcuda)\.so' || true
done | sort -u | while read -r library; do cp -L "$library" "$folder/lib/"; done
for item in "$@"; do
  to=$folder/data/$(basename "$(dirname "$item")")
  mkdir -p "$to" && cp -rL "$item" "$to/"
done
cp "$root"/bench/cufinufft_rows.py "$root"/bench/gpu_table.py "$folder/bench/"
cp "$root"/scripts/gpu-run.sh "$folder/run.sh"
tar -C "$folder" -cf - bin lib | xz -T0 -6 >"$folder/programs.tar.xz"
rm -r "${folder:?}/bin" "${folder:?}/lib"
du -sh "$folder" | cut -f1
