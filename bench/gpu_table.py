#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of gpu_nufft, cufinufft_rows.py and gpu_recon as one table, each beside what it should reach. What is missing is
left empty.  Usage: gpu_table.py NUFFT_LOG CUFINUFFT_LOG RECON_LOG"""
import json
import re
import sys

RANDOM, RADIAL, LARGE, PLANE = "3D 128, 284592 random", "3D 128, 284592 radial", "3D 128, 3e6 radial", "2D 256, 1e5 radial"
# Work of gpu_nufft: problem, its work, coils, milliseconds a coil to reach (None: no aim).
NUFFT = [(RANDOM, "adjoint", 1, 0.35), (RANDOM, "adjoint", 8, 0.20), (RANDOM, "forward", 1, 0.18), (RANDOM, "forward", 8, 0.10),
         (RADIAL, "adjoint", 1, 0.35), (RADIAL, "adjoint", 8, 0.20), (RADIAL, "forward", 1, 0.18), (RADIAL, "forward", 8, 0.10),
         (LARGE, "adjoint", 1, 1.0), (LARGE, "adjoint", 8, 0.6), (LARGE, "forward", 1, None), (LARGE, "forward", 8, None),
         (PLANE, "adjoint", 32, 0.015), (PLANE, "forward", 32, None)]
ONCE = [(RANDOM, "plan", 0.28), (LARGE, "plan", 3.0), (PLANE, "plan", 0.1), (RANDOM, "Q", 2.0), (LARGE, "Q", None)]
# Lines of gpu_recon: their first word, shape and coils, and the milliseconds to reach.
RECON = [("product 128^3, 1 coil", "product", "128", 1, 0.14), ("product 128^3, 8 coils", "product", "128", 8, 1.0),
         ("product 256^2, 12 coils", "product", "plane", 12, None), ("product 256^3, 8 coils", "product", "256", 8, None),
         ("CG iteration 128^3, 1 coil", "cg", "128", 1, 0.18), ("CG iteration 128^3, 8 coils", "cg", "128", 8, 1.2),
         ("F^H d and 20 iterations, 128^3, 1 coil", "whole", "128", 1, 5.0),
         ("F^H d and 20 iterations, 256^3, 8 coils", "whole", "256", 8, 280.0),
         ("F^H d and 30 iterations, 256^2, 12 coils", "whole", "plane", 12, 3.0)]


def json_rows(path):
    try:
        with open(path, encoding="utf-8") as lines:
            return [json.loads(line) for line in lines if line.startswith("{")]
    except (OSError, ValueError) as error:
        print(f"{path}: {error}")
        return []


def text_lines(path):
    try:
        with open(path, encoding="utf-8") as lines:
            return list(lines)
    except OSError as error:
        print(f"{path}: {error}")
        return []


def verdict(ms, aim):
    return "" if aim is None or ms is None else "met" if ms <= aim else f"missed, {ms / aim:.2f} times"


def row(*cells):
    print("| " + " | ".join("" if c is None else str(c) for c in cells) + " |")


def nufft_table(ours, peers):
    row("NUFFT, ms a coil", "coils", "chosen", "aim", "", "error", "of the copy limit", "by tiles", "by samples", "cuFINUFFT defaults",
        "its best (error)")
    row(*["---"] * 11)

    def find(problem, work, coils):
        return [r for r in ours if (r.get("problem"), r.get("work"), r.get("coils")) == (problem, work, coils)]

    for problem, work, coils, aim in NUFFT:
        chosen, tiles, samples = (find(problem, f"{work} {way}", coils) for way in ("as chosen", "by tiles", "by samples"))
        ms = chosen[0]["ms_a_coil"] if chosen else None
        theirs = [p for p in peers if (p.get("problem"), p.get("work"), p.get("coils")) == (problem, work, coils)]
        named = {("best" if "best" in p["peer"] else "defaults"): p for p in theirs}
        best = named.get("best")
        row(f"{problem}: {work}", coils, ms, aim, verdict(ms, aim), f"{chosen[0]['error']:.1e}" if chosen else None,
            chosen[0]["of_copy_limit"] if chosen else None,
            " / ".join(str(r["ms_a_coil"]) for r in tiles), " / ".join(str(r["ms_a_coil"]) for r in samples),
            named["defaults"]["ms_a_coil"] if "defaults" in named else None,
            f"{best['ms_a_coil']} ({best['error']:.1e})" if best else None)
    for problem, work, aim in ONCE:
        found = find(problem, work, 1)
        ms = found[0]["ms_a_coil"] if found else None
        row(f"{problem}: {work}", 1, ms, aim, verdict(ms, aim), None, found[0]["of_copy_limit"] if found else None, *[None] * 4)


SHAPES = {"128": ("128", "128", "128"), "256": ("256", "256", "256"), "plane": ("256", "256")}


def recon_table(lines):
    row("product, CG and whole solves, ms", "measured", "aim", "", "line")
    row(*["---"] * 5)
    for name, kind, shape, coils, aim in RECON:
        for line in lines:
            sizes = tuple(n for n in re.findall(r"\d+", line.split(",")[0]) if n != "1")
            if not line.startswith(kind + " ") or f", {coils} coils" not in line or sizes != SHAPES[shape]:
                continue
            if kind == "whole":
                ms = float(re.search(r"([\d.]+) ms\s*$", line).group(1))
            else:
                ms = float(re.search(r": ([\d.]+) ms", line).group(1))
            row(name, ms, aim, verdict(ms, aim), line.strip().replace("|", " "))


def main():
    ours, peers, recon = json_rows(sys.argv[1]), json_rows(sys.argv[2]), text_lines(sys.argv[3])
    for line in ours[:1]:
        print(f"{line.get('device')}: copies {line.get('copy_GB_s')} GB/s")
    nufft_table(ours, peers)
    print()
    recon_table(recon)
    print("".join(line for line in recon if line.startswith("  slab")), end="")


if __name__ == "__main__":
    main()
