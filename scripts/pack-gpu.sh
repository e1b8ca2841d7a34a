#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Packs what a run on another machine with a GPU needs into a folder that works from anywhere:
#   scripts/pack-gpu.sh BUILD FOLDER [DATA...]
# BUILD is a build folder with CUDA; FOLDER is made anew. In it: bin/ with the program, the CUDA module and the test
# programs that have GPU tests; lib/ with the shared libraries that the other machine may lack; data/ with DATA; and
# run.sh, which runs the GPU tests, or with arguments the program. cuFFT and cuBLAS come from the toolkit there.
set -eu
[ $# -ge 2 ] || { sed -n '3,7s/^# *//p' "$0" >&2; exit 2; }
build=$1 folder=$2
shift 2
[ -f "$build/bin/libfindrho_cuda.so" ] || { echo "pack-gpu: $build/bin has no libfindrho_cuda.so: build it with CUDA" >&2; exit 1; }
rm -rf "$folder"
mkdir -p "$folder/bin" "$folder/lib" "$folder/data"
for file in "$build"/bin/findrho "$build"/bin/libfindrho_cuda.so "$build"/bin/test_*; do
  case $file in *.py | *"[1]"*) continue ;; esac
  [ -f "$file" ] || continue
  cp "$file" "$folder/bin/"
  strip "$folder/bin/$(basename "$file")" 2>/dev/null || true
done
# Libraries of the system's C and C++, and of CUDA, are the other machine's own.
for file in "$folder"/bin/*; do
  ldd "$file" | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' |
    grep -vE '/(libc|libm|libdl|libpthread|librt|libstdc\+\+|libgcc_s|libcufft|libcublas|libcublasLt|libcudart|libcuda)\.so' || true
done | sort -u | while read -r library; do cp -L "$library" "$folder/lib/"; done
for item in "$@"; do cp -rL "$item" "$folder/data/"; done
cat > "$folder/run.sh" <<'RUN'
#!/bin/sh
# run.sh            runs the GPU tests
# run.sh COMMAND... runs findrho COMMAND...
here=$(cd "$(dirname "$0")" && pwd)
LD_LIBRARY_PATH=$here/lib:${CUDA_HOME:-/usr/local/cuda}/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export LD_LIBRARY_PATH
[ $# -eq 0 ] || exec "$here/bin/findrho" "$@"
failed=0
for test in "$here"/bin/test_*; do
  "$test" --gtest_filter='Gpu*' --gtest_brief=1 || failed=1
done
exit $failed
RUN
chmod +x "$folder/run.sh"
du -sh "$folder" | cut -f1
