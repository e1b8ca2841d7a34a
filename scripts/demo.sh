#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Simulates noisy scans of the Shepp-Logan phantom, reconstructs them in four ways, and compares with the truth.
#   scripts/demo.sh PROGRAM [FOLDER]
set -euo pipefail
program=$(realpath "$1")
folder=${2:-demo}
mkdir -p "$folder"
cd "$folder"

run() {
  echo "+ findrho $*"
  "$program" --progress plain "$@" 2>>demo.log
}

: >demo.log
scan=(--matrix 256x256 --snr 20 --force)
run simulate "${scan[@]}" --trajectory cartesian -o cartesian.h5 --truth truth.nii.gz
run simulate "${scan[@]}" --trajectory spiral -o spiral.h5

recon=(--force --cache none)
run recon cartesian.h5 "${recon[@]}" --method ifft -o cartesian_ifft.nii.gz
run recon spiral.h5 "${recon[@]}" --method gridding --kernel bilinear --density none -o spiral_bilinear.nii.gz
run recon spiral.h5 "${recon[@]}" --method gridding -o spiral_gridding.nii.gz
run recon spiral.h5 "${recon[@]}" --method cg -o spiral_cg.nii.gz

echo
run compare cartesian_ifft.nii.gz spiral_bilinear.nii.gz spiral_gridding.nii.gz spiral_cg.nii.gz truth.nii.gz \
  --scale fit --picture panel.png --force \
  --captions "Cartesian, FFT" "spiral, bilinear gridding, no weights" "spiral, Kaiser-Bessel gridding" "spiral, iterative"
echo
echo "The pictures: $PWD/panel.png"
