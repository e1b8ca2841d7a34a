#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# shellcheck disable=SC2317 # parts are called by name
# run.sh of a folder that pack-gpu.sh made, for a machine with a GPU:
#   run.sh [PART...]          tests sanitizer bench lab ladder sums recon; without a PART the tests
#   run.sh findrho ARGUMENT...  the program
# cuFINUFFT is compared with where its Python package was put here, the library as it is or packed by xz.
# Every step has a time limit and the next one begins whatever the last one did. Short tables are printed; everything
# else is in $OUT/NAME.tar.gz (default: out/ here).
set -u
here=$(cd "$(dirname "$0")" && pwd)
cuda=${CUDA_HOME:-/usr/local/cuda}
PATH=$PATH:$cuda/bin
theirs=$cuda/lib64${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
LD_LIBRARY_PATH=$here/lib:$theirs
PYTHONPATH=$here${PYTHONPATH:+:$PYTHONPATH}
XDG_CACHE_HOME=$here/cache # what tune and lab measured serves the later parts
export PATH LD_LIBRARY_PATH PYTHONPATH XDG_CACHE_HOME PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1
cd "$here" || exit 1
unpack() { # by Python where there is no xz
  tar -xJf "$1" 2>/dev/null || python3 -c 'import sys, tarfile; tarfile.open(sys.argv[1]).extractall()' "$1"
}
if [ ! -x bin/findrho ] || [ -n "$(find programs.tar.xz -newer bin/findrho)" ]; then
  unpack programs.tar.xz && touch bin/findrho
fi
[ -x bin/findrho ] || { echo "run.sh: programs.tar.xz cannot be unpacked here" >&2; exit 1; }
out=${OUT:-$here/out}
mkdir -p "$out"
failures=0

# step SECONDS NAME COMMAND...: both outputs go to $logs/NAME.log; prints how it ended.
step() {
  step_limit=$1 step_name=$2
  shift 2
  step_from=$(date +%s)
  timeout -k 5 "$step_limit" "$@" >"$logs/$step_name.log" 2>&1
  step_code=$?
  step_took=$(($(date +%s) - step_from))
  if [ "$step_code" -eq 0 ]; then
    echo "-- $step_name: done, $step_took s"
  else
    failures=$((failures + 1))
    echo "-- $step_name: FAILED, exit $step_code, $step_took s"
    tail -n 4 "$logs/$step_name.log" | cut -c1-200
  fi
}
show() { # LINES NAME [PATTERN]: of a step's output
  grep -E -- "${3:-.}" "$logs/$2.log" | cut -c1-220 | head -n "$1"
}

counts='^\[  (PASSED|SKIPPED|FAILED) +\] [0-9]+ test' # of GoogleTest

part_tests() {
  for test in bin/test_*; do
    name=$(basename "$test")
    step 150 "$name" "$test" '--gtest_filter=Gpu*'
    show 3 "$name" "$counts"
    grep -E '^no (GPU|CUDA)' "$logs/$name.log" | sort | uniq -c | cut -c1-150
    grep -A 6 'Failure$' "$logs/$name.log" | cut -c1-180 | head -n 60
  done
}

part_sanitizer() {
  check() { # TOOL PROGRAM FILTER
    step 240 "$1-$2" compute-sanitizer --tool "$1" "bin/$2" "--gtest_filter=$3" --gtest_brief=1
    show 2 "$1-$2" 'ERROR SUMMARY|RACECHECK SUMMARY|No CUDA|not supported'
    show 3 "$1-$2" "$counts"
  }
  small='GpuNufft/0.AddsTo*:GpuNufft/0.AppliesMaps*:GpuNufft/0.TakesOneSample*:GpuNufft/0.SplitsCoils*'
  boxes='GpuNufft/0.GivesTheResultsOfTheCpuForEveryNumber*:GpuNufft/0.TakesAllSamples*'
  check memcheck test_nufft "$small:$boxes:GpuNufft/0.GivesTheResultsOfTheCpuWhere*:GpuSpectrum*:GpuPipeMenon*"
  check racecheck test_nufft "$small:$boxes"
  planes='GpuToeplitz.AgreesPlane*:GpuToeplitz.Leaves*'
  check memcheck test_operator "GpuToeplitz.AgreesWithExactSums:GpuToeplitz.Coils*:GpuToeplitz.IsHermitian:$planes"
  check racecheck test_operator "GpuToeplitz.Coils*:GpuToeplitz.GivesTheSame*:$planes"
  check memcheck test_solver 'GpuCg.*'
  check racecheck test_solver 'GpuCg.StepsLike*:GpuCg.KeepsAs*'
  check memcheck test_recipe 'GpuCoilMaps.*'
  check racecheck test_recipe 'GpuCoilMaps.*'
  separable='GpuSeparable.QAgrees:GpuSeparable.ForwardAgrees*:GpuSeparable.CoilsAgree*'
  check memcheck test_dft "GpuRungs.AgreeInSinglePrecision:GpuSeparable.GivesTheSame*:$separable"
  check racecheck test_dft "GpuRungs.AgreeInSinglePrecision:$separable"
  for tool in memcheck racecheck; do
    step 60 "$tool-lab" compute-sanitizer --tool "$tool" bin/findrho lab --device cuda --small --once
    show 2 "$tool-lab" 'ERROR SUMMARY|RACECHECK SUMMARY'
  done
}

part_bench() {
  step 100 gpu_nufft bin/gpu_nufft "$logs/../problems"
  step 170 gpu_recon bin/gpu_recon slabs
  if [ -f cufinufft/libcufinufft.so.xz ]; then
    LD_LIBRARY_PATH=$theirs python3 -c 'import lzma, shutil
with lzma.open("cufinufft/libcufinufft.so.xz") as packed, open("cufinufft/libcufinufft.so", "wb") as to:
    shutil.copyfileobj(packed, to, 1 << 24)'
  fi
  step 150 cufinufft env LD_LIBRARY_PATH="$here/cufinufft:$theirs" python3 bench/cufinufft_rows.py "$logs/../problems"
  LD_LIBRARY_PATH=$theirs python3 bench/gpu_table.py "$logs/gpu_nufft.log" "$logs/cufinufft.log" "$logs/gpu_recon.log"
}

part_lab() {
  step 150 lab bin/findrho lab --device cuda --quiet --pictures "$logs/lab"
  show 30 lab '\\?\*|as predicted|not verified|wrong'
}

part_ladder() {
  problem='--size 128 --samples 284592'
  step 20 ceilings bin/findrho lab --device cuda --quiet roofline
  # shellcheck disable=SC2086
  {
    step 90 tune bin/findrho tune --device cuda --quiet $problem --pairs 6e9 --repeats 1
    show 8 tune 'exhaustive|one knob|Pareto|pruned'
    step 60 tune-q bin/findrho tune --device cuda --quiet $problem --sum q --pairs 6e9 --repeats 1
    show 8 tune-q 'exhaustive|one knob|Pareto|pruned'
    step 170 ladder bin/findrho ladder --device cuda --quiet $problem --budget 0.6 --repeats 2 --amdahl --picture "$logs/ladder.png"
    show 80 ladder
    step 60 ladder-q bin/findrho ladder --device cuda --quiet $problem --sum q --budget 0.6 --repeats 2 --rungs gather_fast_trig,tuned
    show 8 ladder-q '^(GPU|CPU)'
  }
  for size in small large; do
    [ -f data/parboil-mri-q/$size.bin ] || continue
    for device in cpu cuda; do
      rung=tuned
      [ $device = cuda ] || rung=gather_vector
      step 40 mri-q-$size-$device bin/findrho ladder --device $device --quiet --rungs $rung --input data/parboil-mri-q/$size.bin \
        --output "$logs/../q-$size-$device.out"
      step 20 parboil-$size-$device bin/findrho compare --parboil "$logs/../q-$size-$device.out" data/parboil-mri-q/$size.out
      show 2 parboil-$size-$device
    done
  done
  step 60 quality bin/findrho ladder --quality --device cuda --quiet --picture "$logs/quality.png"
  show 20 quality
}

part_sums() {
  rungs=separable_fp32,separable_tf32,separable_fp16,separable_split
  rows() { show 6 "$1" '^GPU|^CPU|rror:' | sed 's/  */ /g'; }
  ladder() { step 60 "$@"; rows "$1"; }
  for sum in fhd q forward; do
    ladder sums-$sum bin/findrho ladder --device cuda --quiet --size 128 --samples 284592 --sum $sum --budget 1 --repeats 5 \
      --rungs $rungs
  done
  ladder sums-cpu bin/findrho ladder --device cpu --quiet --size 128 --samples 284592 --budget 2 --rungs gather_vector,separable_vector
  step 90 gpu_exact bin/gpu_exact
  show 30 gpu_exact
  for n in 32 64 256x256 100x90x77; do
    ladder sums-$n bin/findrho ladder --device cuda --quiet --size $n --samples 100000 --budget 0.5 --rungs separable_fp16,separable_split
  done
}

# Every scan on both devices in single and in double precision: the distance of the images, and those of single precision side by
# side.
part_recon() {
  images=$logs/.. # too large to come back
  step 30 phantom bin/findrho simulate --quiet --device cpu --matrix 64x64x64 --trajectory radial_3d --coils 4 --snr 30 \
    -o "$images/phantom.h5"
  for scan in heart=data/heart-radial/heart.h5 head=data/head-spiral-b0/signals_spiralout_clean_slc30.h5 \
    brain3d=data/brain-spiral-3d/brain3d.h5 "phantom=$images/phantom.h5"; do
    name=${scan%%=*} file=${scan#*=}
    for precision in single double; do
      for device in cuda cpu; do
        step 60 recon-$name-$precision-$device bin/findrho recon "$file" --quiet --device $device --precision $precision --cache none \
          --iterations 20 --tolerance 0 --image complex -o "$images/$name-$precision-$device.cfl"
      done
      step 20 compare-$name-$precision bin/findrho compare "$images/$name-$precision-cuda.cfl" "$images/$name-$precision-cpu.cfl" \
        --json
      show 2 compare-$name-$precision 'psnr|nrmse'
    done
    step 20 picture-$name bin/findrho compare "$images/$name-single-cuda.cfl" "$images/$name-single-cpu.cfl" \
      --picture "$out/recon-$name.png" --captions cuda cpu --force
  done
}

[ "${1:-}" != findrho ] || { shift && exec bin/findrho "$@"; }
[ $# -gt 0 ] || set -- tests
for part; do
  case $part in
    tests | sanitizer | bench | lab | ladder | sums | recon) ;;
    *) echo "run.sh: unknown part $part: tests sanitizer bench lab ladder sums recon" >&2; exit 2 ;;
  esac
done
for part; do
  work=$(mktemp -d) && logs=$work/$part && mkdir "$logs" || exit 1
  from=$(date +%s)
  echo "== $part"
  "part_$part"
  tar -C "$work" -czf "$out/$part.tar.gz" "$part"
  rm -rf "$work"
  echo "== $part: $(($(date +%s) - from)) s"
done
exit $((failures > 0))
