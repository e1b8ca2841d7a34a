# SPDX-License-Identifier: BSD-3-Clause
# The options of bench.py; a bad one is refused in one line, exit code 2.
import argparse
import math
from pathlib import Path

PARTS = ("nufft", "toeplitz", "growth", "recon")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"bench: {message.replace('argument ', '', 1)}; --help lists the options\n")


def number(kind, fits, wanted):
    """An option's type: a number that fits, or a line that says what is wanted."""
    def convert(text):
        try:
            value = kind(text)
        except ValueError:
            value = math.nan
        if not (math.isfinite(value) and fits(value)):
            raise argparse.ArgumentTypeError(f"wants {wanted}, not '{text}'")
        return value
    return convert


def numbers(kind, fits, wanted):
    one = number(kind, fits, wanted)
    return lambda text: [one(word) for word in text.split(",")]


def parts(text):
    for word in text.split(","):
        if word not in PARTS:
            raise argparse.ArgumentTypeError(f"wants some of {','.join(PARTS)}, not '{word}'")
    return text.split(",")


def iterations(text):
    found = numbers(int, lambda n: n >= 1, "whole numbers of 1 or more, as 10,30")(text)
    if len(found) != 2 or found[0] >= found[1]:
        raise argparse.ArgumentTypeError(f"wants two numbers, the fewer first, as 10,30, not '{text}'")
    return found


def arguments():
    count = lambda most: number(int, lambda n: 1 <= n <= most, f"a whole number from 1 to {most}")
    a = Parser(prog="bench.py")
    a.add_argument("--build", type=Path, default=Path("build/bench"), help="build folder with bin/findrho_bench")
    a.add_argument("--out", type=Path, help="where the results go (default: BUILD/results)")
    a.add_argument("--threads", type=count(1024), default=2)
    a.add_argument("--clock", choices=["wall", "cpu"], default="wall",
                   help="cpu: processor time of all threads, for a machine that others use too")
    a.add_argument("--seconds", type=number(float, lambda s: s >= 0, "a time of 0 or more"), default=4,
                   help="time for the turns of one row")
    a.add_argument("--turns", type=count(1000), default=3, help="turns at least, whatever they take")
    a.add_argument("--quick", action="store_true", help="small problems, to see that all of it works")
    a.add_argument("--parts", type=parts, default=list(PARTS), help="of " + ",".join(PARTS))
    a.add_argument("--only", help="NUFFT problems and scans whose name holds this")
    a.add_argument("--targets", type=numbers(float, lambda e: 0 < e < 1, "errors between 0 and 1, as 1e-2,1e-3"),
                   default=[1e-2, 1e-3, 1e-5])
    a.add_argument("--coils", type=numbers(int, lambda n: n >= 1, "whole numbers of 1 or more, as 1,8"), default=[1, 8])
    a.add_argument("--iterations", type=iterations, default=[10, 30], help="of the two runs of a reconstruction, the fewer first")
    a.add_argument("--bart", default="bart")
    a.add_argument("--data", type=Path, default=Path("../shared/data"), help="folder of the measured scans")
    o = a.parse_args()
    o.findrho, o.worker = (o.build.resolve() / "bin" / name for name in ("findrho", "findrho_bench"))
    o.data = o.data.resolve()
    o.out = o.out or o.build / "results"
    o.refuse = a.error
    return o
