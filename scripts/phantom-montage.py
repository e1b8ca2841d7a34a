#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Simulates every phantom and effect of docs/phantoms.md, reconstructs them, and puts the pictures together.
Usage: phantom-montage.py PROGRAM ANATOMY.nii.gz MONTAGE.png (Debian: python3-nibabel, python3-numpy, python3-pil)"""
import subprocess
import sys
import tempfile

import nibabel
import numpy
from PIL import Image, ImageDraw

PROGRAM, ANATOMY, MONTAGE = sys.argv[1:4]
TILE, CAPTION, COLUMNS = 192, 16, 5
SCAN = ["--matrix", "192x192", "--coils", "8", "--force", "--quiet"]
HEAD = ["--phantom", "head", "--anatomy", ANATOMY, "--trajectory", "radial"]
BLOB = ["--b0", "blob=200/0/-0.2/0/0.12"]
DRIFT = ["--motion", "drift:turn=8,shift_x=6"]

# (caption, options of simulate, which picture: the truth, the reconstruction, or the field)
PICTURES = [
    ("shepp-logan, truth", ["--trajectory", "radial"], "truth"),
    ("resolution, truth", ["--phantom", "resolution", "--trajectory", "radial"], "truth"),
    ("contrast, truth", ["--phantom", "contrast", "--trajectory", "radial"], "truth"),
    ("head 1H, truth", HEAD, "truth"),
    ("head 23Na, truth", [*HEAD, "--head-nucleus", "23Na"], "truth"),
    ("radial, SNR 30", ["--trajectory", "radial", "--snr", "30"], "image"),
    ("radial, SNR 30", ["--phantom", "resolution", "--trajectory", "radial", "--snr", "30"], "image"),
    ("radial, SNR 30", ["--phantom", "contrast", "--trajectory", "radial", "--snr", "30"], "image"),
    ("loops, T2* by tissue", [*HEAD, "--coil-model", "loops", "--t2star", "tissue", "--snr", "30"], "image"),
    ("23Na, T2* by tissue", [*HEAD, "--head-nucleus", "23Na", "--t2star", "tissue", "--dwell", "50"], "image"),
    ("drift, Cartesian", ["--trajectory", "cartesian", *DRIFT], "image"),
    ("drift, radial", ["--trajectory", "radial", *DRIFT], "image"),
    ("step, spiral", ["--trajectory", "spiral", "--motion", "step:turn=5,shift_x=3"], "image"),
    ("off-resonance, Hz", ["--trajectory", "spiral", "--shots", "4", *BLOB], "field"),
    ("off-resonance, spiral", ["--trajectory", "spiral", "--shots", "4", *BLOB], "image"),
]


def picture(folder, options, which):
    """The asked picture as grey values, row y = 0 at the top, white at the 99.5th percentile."""
    model = "loops" if "loops" in options else "polynomial"
    field = ["--b0-map", f"{folder}/field.nii.gz"] if "--b0" in options else []
    run = lambda *arguments: subprocess.run([PROGRAM, *arguments], check=True)  # noqa: E731
    run("simulate", *SCAN, *options, *field, "-o", f"{folder}/scan.h5", "--truth", f"{folder}/truth.nii.gz", "--maps", f"{folder}/{model}")
    if which == "image":
        run("recon", f"{folder}/scan.h5", "--method", "cg", "--maps", f"{folder}/{model}.cfl", "--force", "--quiet", "--cache", "none",
            "-o", f"{folder}/image.nii.gz")
    values = numpy.squeeze(nibabel.load(f"{folder}/{which}.nii.gz").get_fdata()).T
    return numpy.clip(values / numpy.percentile(values, 99.5) * 255, 0, 255).astype(numpy.uint8)


def main():
    rows = -(-len(PICTURES) // COLUMNS)
    montage = Image.new("L", (COLUMNS * TILE, rows * (TILE + CAPTION)), 255)
    draw = ImageDraw.Draw(montage)
    with tempfile.TemporaryDirectory() as folder:
        for i, (caption, options, which) in enumerate(PICTURES):
            x, y = i % COLUMNS * TILE, i // COLUMNS * (TILE + CAPTION)
            montage.paste(Image.fromarray(picture(folder, options, which)), (x, y))
            draw.text((x + 4, y + TILE + 2), caption, fill=0)
    montage.save(MONTAGE, optimize=True)


if __name__ == "__main__":
    main()
