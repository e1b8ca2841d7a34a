#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""cuFINUFFT on the problems that gpu_nufft wrote into FOLDER: one JSON object a row, for its defaults and for the best of
its options. Needs the Python packages cufinufft and cupy.  Usage: cufinufft_rows.py FOLDER"""
import json
import statistics
import sys
from pathlib import Path

import cufinufft
import cupy as cp
import numpy as np

EPS = 1e-3
PROBES = 8


def seconds(work):
    """Median seconds of one call, as gpu_nufft measures."""
    def measure(calls):
        before, after = cp.cuda.Event(), cp.cuda.Event()
        before.record()
        for _ in range(calls):
            work()
        after.record()
        after.synchronize()
        return cp.cuda.get_elapsed_time(before, after) * 1e-3 / calls

    measure(2)
    calls = int(min(20, max(1, 2e-3 / measure(1))))
    return statistics.median(measure(calls) for _ in range(11))


class Problem:
    def __init__(self, folder):
        x, y, z, samples, coils = map(int, (folder / "shape.txt").read_text().split())
        self.name, self.coils = folder.name, coils
        self.modes = (z, y, x) if z > 1 else (y, x)
        axes = ["kz.bin", "ky.bin", "kx.bin"][3 - len(self.modes):]
        self.k = [np.fromfile(folder / name) for name in axes]  # cycles per FOV, slowest axis first
        self.points = [cp.asarray((2 * np.pi * k / n).astype(np.float32)) for k, n in zip(self.k, self.modes)]
        self.image = np.fromfile(folder / "image.bin", np.complex64).reshape(self.modes)
        self.samples = np.fromfile(folder / "samples.bin", np.complex64)
        self.wanted = {1: self.adjoint_probes(), 2: self.forward_probes()}

    def adjoint_probes(self):
        """Exact sums in double at voxels from corner to corner: their numbers and values."""
        r = [(np.arange(n) - n // 2) / n for n in self.modes]
        numbers = [(self.image.size - 1) * i // (PROBES - 1) for i in range(PROBES)]
        values = []
        for n in numbers:
            turns = sum(k * axis[a] for k, axis, a in zip(self.k, r, np.unravel_index(n, self.modes)))
            values.append(np.sum(self.samples * np.exp(2j * np.pi * turns)))
        return numbers, np.array(values)

    def forward_probes(self):
        """The same at a few samples."""
        r = [(np.arange(n) - n // 2) / n for n in self.modes]
        numbers = [len(self.samples) * i // PROBES for i in range(PROBES)]
        values = []
        for m in numbers:
            left = self.image.astype(np.complex128)
            for k, axis in zip(reversed(self.k), reversed(r)):
                left = left @ np.exp(-2j * np.pi * k[m] * axis)
            values.append(left)
        return numbers, np.array(values)

    def probe_error(self, kind, result):
        numbers, values = self.wanted[kind]
        return float(np.linalg.norm(result.reshape(-1)[numbers] - values) / np.linalg.norm(values))


def time_one(problem, kind, coils, options):
    plan = cufinufft.Plan(kind, problem.modes, coils, EPS, 1 if kind == 1 else -1, "complex64", **options)
    plan.setpts(*problem.points)
    source = problem.samples if kind == 1 else problem.image
    source = cp.ascontiguousarray(cp.asarray(np.broadcast_to(source, (coils,) + source.shape)))
    out = cp.zeros((coils,) + (problem.modes if kind == 1 else problem.samples.shape), np.complex64)
    time = seconds(lambda: plan.execute(source, out))
    return time, problem.probe_error(kind, cp.asnumpy(out[0]))


def rows(problem):
    for kind, work in ((1, "adjoint"), (2, "forward")):
        for coils in (1, problem.coils):
            found = {}
            for method in (0, 1, 2, 3) if kind == 1 else (0, 1, 2):
                for sigma in (1.25, 2.0) if method else (0,):
                    options = {} if method == 0 else {"gpu_method": method, "upsampfac": sigma}
                    try:
                        found[str(options or "defaults")] = time_one(problem, kind, coils, options)
                    except Exception as error:  # an option that this version or size does not know
                        print(json.dumps({"problem": problem.name, "options": str(options), "failed": str(error)[:80]}))
            good = {name: v for name, v in found.items() if v[1] < 4 * EPS} or found
            best = min(good, key=lambda name: good[name][0])
            for label, name in (("defaults", "defaults"), ("best: " + best, best)):
                print(json.dumps({"problem": problem.name, "coils": coils, "work": work, "peer": "cuFINUFFT " + label,
                                  "ms_a_coil": round(found[name][0] * 1e3 / coils, 4), "error": found[name][1]}), flush=True)


def main():
    print(json.dumps({"peer": "cuFINUFFT", "version": cufinufft.__version__}))
    for folder in sorted(Path(sys.argv[1]).iterdir()):
        rows(Problem(folder))


if __name__ == "__main__":
    main()
