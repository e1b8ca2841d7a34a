# SPDX-License-Identifier: BSD-3-Clause
# findrho beside FINUFFT and BART, in turns, on this machine: table.md, results.json and speed.png in a folder.
#   make bench, or bench.py --build build/bench [--quick] [--parts nufft,toeplitz,growth,recon] [--only "3D 128"]
import importlib.util
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

STOPS = [n for n in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) != signal.SIG_IGN]
for number in STOPS:
    signal.signal(number, signal.SIG_DFL)  # until there is something to put in order

if importlib.util.find_spec("numpy") is None:
    sys.exit(f"bench: {sys.executable} has no numpy: install it (Debian: python3-numpy), or use scripts/bench.sh")

import peers
from nufft_rows import Bench, say
from options import arguments
from recon_rows import ReconBench
from report import why, write_report


class Stop(RuntimeError):
    """The bench cannot go on; the message is for the user."""


def processor():
    for line in Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []:
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor() or platform.machine()


def machine(o):
    asked = subprocess.run([o.findrho, "--version"], capture_output=True, text=True)
    version = asked.stdout.strip()
    if asked.returncode != 0:
        raise Stop(f"{o.findrho} does not run: {(asked.stderr.strip().splitlines() or ['no word of why'])[0]}")
    return {"processor": processor(), "cores_usable": len(os.sched_getaffinity(0)), "threads": o.threads, "clock": o.clock,
            "load": os.getloadavg()[0], "findrho": version, "finufft": o.finufft, "bart": o.bart_version,
            "python": platform.python_version()}


def save(folder, about, rows):
    """At once or not at all: what is there stays readable whenever this is stopped."""
    whole = folder / "results.json.new"
    whole.write_text(json.dumps({"machine": about, "rows": rows}, indent=1) + "\n")
    whole.replace(folder / "results.json")


def check_programs(o):
    for program in (o.worker, o.findrho):
        if not os.access(program, os.X_OK):
            raise Stop(f"bin/{program.name} is not in {o.build}: make bench builds it")


def choose_parts(o):
    if "recon" in o.parts and importlib.util.find_spec("h5py") is None:
        say("h5py is not there (Debian: python3-h5py): the part recon is left out")
        o.parts = [part for part in o.parts if part != "recon"]
    names = {"nufft": Bench(o, None).names(), "recon": list(ReconBench(o, None).scans())}
    there = [name for part in ("nufft", "recon") if part in o.parts for name in names[part]]
    if o.only and not any(o.only in name for name in there):
        o.refuse(f"--only '{o.only}' is in no name; there are: " + ("; ".join(there) or "none in these --parts"))
    if not o.parts:
        raise Stop("no part is left to measure")


def check_out(o):
    """Before hours of measuring."""
    try:
        o.out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=o.out):
            pass
    except OSError as error:
        o.refuse(f"--out {o.out} cannot be written: {error.strerror}")
    for name in ("results.json", "table.md", "speed.png"):
        if (o.out / name).is_dir():
            o.refuse(f"--out {o.out} cannot be written: {name} is a folder there")


def find_peers(o):
    o.finufft, o.bart_version = peers.finufft_version(), peers.bart_version(o.bart)
    if o.finufft is None:
        say("FINUFFT is not there (pip install finufft): its columns stay empty")
    if o.bart_version is None and "recon" in o.parts:
        say("BART is not there (Debian package bart): reconstructions are timed without it")
    o.bart = os.path.abspath(shutil.which(o.bart)) if o.bart_version else None


def measure(o, about, rows):
    with tempfile.TemporaryDirectory(prefix="findrho-bench-") as folder:
        bench, recon = Bench(o, Path(folder)), ReconBench(o, Path(folder))
        try:
            for part, run in (("nufft", bench.nufft), ("toeplitz", bench.toeplitz), ("growth", bench.growth), ("recon", recon.rows)):
                if part in o.parts:
                    say(part)
                    for row in run():
                        rows.append(row)
                        save(o.out, about, rows)  # what is measured stays when the rest is stopped
        finally:
            for number in STOPS:
                signal.signal(number, signal.SIG_IGN)  # a second Ctrl-C would leave the folder behind
            peers.stop_all()
            (o.out / "results.json.new").unlink(missing_ok=True)


def kept(o, rows):
    if not rows:
        return f"nothing was measured; {o.out} holds no new results"
    results = o.out / "results.json"
    return (f"{results} holds the {len(rows)} row{'s'[:len(rows) > 1]} so far; "
            f"python3 {Path(__file__).parent / 'report.py'} {results} {o.out} makes their table")


def main():
    o, rows = arguments(), []
    try:
        for number in STOPS:
            signal.signal(number, signal.default_int_handler)
        check_programs(o)
        choose_parts(o)
        check_out(o)
        find_peers(o)
        about = machine(o)
        say(", ".join(f"{k} {v}" for k, v in about.items()))
        measure(o, about, rows)
        if not rows:
            raise Stop("no row could be measured")
        about["load_after"] = os.getloadavg()[0]
        save(o.out, about, rows)
        say(f"{o.out}: " + ", ".join(["results.json"] + write_report(about, rows, o.out)))
    except KeyboardInterrupt:
        return f"bench: stopped; {kept(o, rows)}"
    except (RuntimeError, OSError, MemoryError) as error:
        return f"bench: {why(error)}" + (f"; {kept(o, rows)}" if rows else "")
    return 0


if __name__ == "__main__":
    sys.exit(main())
