# SPDX-License-Identifier: BSD-3-Clause
# findrho beside FINUFFT and BART, in turns, on this machine: table.md, results.json and speed.png in a folder.
#   make bench, or bench.py --build build/bench [--quick] [--parts nufft,toeplitz,growth,recon] [--only "3D 128"]
import argparse
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import peers
from nufft_rows import Bench, say
from recon_rows import ReconBench
from report import write_report

PARTS = ("nufft", "toeplitz", "growth", "recon")


def arguments():
    a = argparse.ArgumentParser()
    a.add_argument("--build", type=Path, default=Path("build/bench"), help="build folder with bin/findrho_bench")
    a.add_argument("--out", type=Path, help="where the results go (default: BUILD/results)")
    a.add_argument("--threads", type=int, default=2)
    a.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                   help="cpu: processor time of all threads, for a machine that others use too")
    a.add_argument("--seconds", type=float, default=4, help="time for the turns of one row")
    a.add_argument("--turns", type=int, default=3, help="turns at least, whatever they take")
    a.add_argument("--quick", action="store_true", help="small problems, to see that all of it works")
    a.add_argument("--parts", default=",".join(PARTS))
    a.add_argument("--only", help="NUFFT problems and scans whose name holds this")
    a.add_argument("--targets", type=lambda text: [float(n) for n in text.split(",")], default=[1e-2, 1e-3, 1e-5])
    a.add_argument("--coils", type=lambda text: [int(n) for n in text.split(",")], default=[1, 8])
    a.add_argument("--iterations", type=lambda text: [int(n) for n in text.split(",")], default=[10, 30],
                   help="of the two runs of a reconstruction, the fewer first")
    a.add_argument("--bart", default="bart")
    a.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the measured scans")
    o = a.parse_args()
    o.findrho, o.worker = (o.build.resolve() / "bin" / name for name in ("findrho", "findrho_bench"))
    o.data = o.data.resolve()
    o.out = o.out or o.build / "results"
    return o


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor() or platform.machine()


def machine(o):
    version = subprocess.run([o.findrho, "--version"], capture_output=True, text=True).stdout.strip()
    return {"processor": processor(), "cores_usable": len(os.sched_getaffinity(0)), "threads": o.threads, "clock": o.clock,
            "load": os.getloadavg()[0], "findrho": version, "finufft": o.finufft, "bart": o.bart_version,
            "python": platform.python_version()}


def save(folder, about, rows):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "results.json").write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n")


def main():
    o = arguments()
    o.finufft, o.bart_version = peers.finufft_version(), peers.bart_version(o.bart)
    if o.finufft is None:
        say("FINUFFT is not there (pip install finufft): its columns stay empty")
    if o.bart_version is None:
        say("BART is not there (Debian package bart): reconstructions are timed without it")
        o.bart = None
    else:
        o.bart = shutil.which(o.bart)
    if not o.data.is_dir():
        say(f"no measured scans in {o.data}: heart-radial and brain-spiral-3d are left out (--data)")
    parts = o.parts.split(",")
    about = machine(o)
    say(", ".join(f"{k} {v}" for k, v in about.items()))
    rows = []
    with tempfile.TemporaryDirectory(prefix="findrho-bench-") as folder:
        bench, recon = Bench(o, Path(folder)), ReconBench(o, Path(folder))
        for part, run in (("nufft", bench.nufft), ("toeplitz", bench.toeplitz), ("growth", bench.growth), ("recon", recon.rows)):
            if part in parts:
                say(part)
                for row in run():
                    rows.append(row)
                    save(o.out, about, rows)  # what is measured stays when the rest is stopped
    about["load_after"] = os.getloadavg()[0]
    save(o.out, about, rows)
    write_report(about, rows, o.out)


if __name__ == "__main__":
    sys.exit(main())
