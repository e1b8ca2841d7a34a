#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Draws the k-space of every generator of docs/trajectories.md with its defaults, and puts the pictures together.
Usage: trajectory-montage.py PROGRAM MONTAGE.png (Debian: python3-pil)"""
import subprocess
import sys
import tempfile

from PIL import Image, ImageDraw

PROGRAM, MONTAGE = sys.argv[1:3]
TILE, CAPTION, COLUMNS = 300, 16, 5
FLAT = ["cartesian", "radial", "radial_golden", "spiral", "spiral_vd", "rosette", "propeller"]
SOLID = ["radial_3d", "stack_of_stars", "stack_of_spirals", "cones", "tpi", "radial_3d_adapted"]


def k_space(folder, name):
    """The part of the preview between its title and the gradients."""
    path, matrix = f"{folder}/{name}.png", "128x128" if name in FLAT else "32x32x32"
    subprocess.run([PROGRAM, "traj", name, "--matrix", matrix, "--preview", path, "--quiet"], check=True)
    preview = Image.open(path).convert("L")
    return preview.crop((53, 54, 785, 786)).resize((TILE, TILE), Image.LANCZOS)


def main():
    names = FLAT + SOLID
    montage = Image.new("L", (COLUMNS * TILE, -(-len(names) // COLUMNS) * (TILE + CAPTION)), 255)
    draw = ImageDraw.Draw(montage)
    with tempfile.TemporaryDirectory() as folder:
        for i, name in enumerate(names):
            x, y = i % COLUMNS * TILE, i // COLUMNS * (TILE + CAPTION)
            montage.paste(k_space(folder, name), (x, y))
            draw.text((x + 4, y + TILE + 2), name, fill=0)
    montage.save(MONTAGE, optimize=True)


if __name__ == "__main__":
    main()
