# SPDX-License-Identifier: BSD-3-Clause
# The rows as a table in Markdown and as a picture of ratios; of several results as one:
#   report.py results.json... OUT
import json
import sys
from pathlib import Path

from peers import PLAIN, POOLED


# What is aimed at; what misses it is marked in the tables.
GAIN, GAIN_OF_MANY = 1, 2.5        # FINUFFT's time over ours; the second from eight coils on
PLAN, GROWTH, Q_RATIO = 1, 1.15, 1.5  # at most
PRODUCT_MS = {"2D 256": 0.5, "3D 128": 45}  # at most, and PRODUCT_GAIN times faster than FINUFFT
PRODUCT_GAIN = 2
Q_MIB, PEAK_MIB = 614, 1229        # at most: 0.6 and 1.2 GiB
WHOLE, ITERATION = {"2D": 15, "3D": 8}, {"2D": 6, "3D": 4}  # BART's time over ours


def dimensions(row):
    return "2D" if "2D" in row["problem"] else "3D"


def ms(value):
    return "" if value is None else f"{value:.3g}"


def marked(text, met):
    return text if met else text + " \\*"


def least(value, aim, digits=2):
    """A ratio that should be the aim or more."""
    return "" if value is None else marked(f"{value:.{digits}f}", value >= aim)


def most(value, aim, digits=2):
    return "" if value is None else marked(f"{value:.{digits}f}", value <= aim)


def gain(row, peer=POOLED):
    t = row["ms_per_coil"]
    return t[peer] / t["findrho"] if t.get(peer) and t.get("findrho") else None


def aimed_gain(row):
    return GAIN_OF_MANY if row["coils"] >= 8 else GAIN


def lines_of(head, rows):
    text = "| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
    return text + "".join("| " + " | ".join(row) + " |\n" for row in rows) + "\n"


def error_of(pair, name):
    """The larger error of the two types."""
    settled = [row["settled"].get(name) for row in pair]
    if not all(settled):
        return "not reached" if name in pair[0]["settled"] else ""
    double = " double" if settled[0]["precision"] == "double" else ""
    return f"{max(s['errors'][row['type']] for row, s in zip(pair, settled)):.1e}{double}"


def both(pair, cell):
    return " / ".join(cell(row) for row in pair)


def pairs_of(rows):
    """Types 1 and 2 of one problem; a run that was stopped may have left the first alone."""
    same = lambda row: (row["problem"], row["coils"], row["target"])
    return [(a, b) for a, b in zip(rows, rows[1:]) if (a["type"], b["type"]) == ("type1", "type2") and same(a) == same(b)]


def nufft_table(rows):
    cells = []
    for pair in pairs_of(rows):
        row = pair[0]
        times = lambda name: both(pair, lambda r: ms(r["ms_per_coil"].get(name))).strip(" /")
        cells.append([row["problem"], str(row["coils"]), f"{row['target']:.0e}", times("findrho"), error_of(pair, "findrho"),
                      times(POOLED), times(PLAIN), error_of(pair, POOLED), both(pair, lambda r: least(gain(r), aimed_gain(r))).strip(" /")
                      ])
    return lines_of(["problem", "coils", "error wanted", "findrho, type 1 / 2", "error", "FINUFFT pooled", "as it comes", "error",
                     "ratio"], cells)


def plan_table(rows):
    cells = []
    for row in rows:
        if row["type"] != "type1" or row["coils"] > 1 or not row["settled"]["findrho"]:
            continue
        ours, peer = row["settled"]["findrho"]["plan_ms"][0], row["settled"].get(POOLED)
        execution = row["ms_per_coil"]["findrho"]
        cells.append([row["problem"], f"{row['target']:.0e}", row["settled"]["findrho"]["design"], ms(ours), ms(execution),
                      most(ours / execution, PLAN), ms(sum(peer["plan_ms"])) if peer else ""])
    return lines_of(["problem", "error wanted", "findrho's kernel", "plan, ms", "type 1, ms", "plan / type 1",
                     "FINUFFT plan and points, one type"], cells)


def product_table(rows):
    cells = []
    for row in rows:
        ours, name = row["ms_per_coil"]["findrho"], row["problem"].split(",")[0]
        faster = gain(row)
        cells.append([row["problem"], marked(ms(ours), ours <= PRODUCT_MS.get(name, ours)), ms(row["ms_per_coil"].get(POOLED)),
                      least(faster, PRODUCT_GAIN)])
    return lines_of(["Toeplitz product, 8 coils", "ms a coil", "FINUFFT type 2 + type 1, pooled", "ratio"], cells)


def q_table(rows):
    cells = []
    for r in rows:
        aimed = dimensions(r) == "3D"
        cells.append([r["problem"], f"{r['accuracy']:g}", f"{r['oversampling'] or 'chosen'}", ms(r["q_ms"]), ms(r["doubled_ms"]),
                      most(r["q_ms"] / r["doubled_ms"], Q_RATIO if aimed else float("inf")), most(r["mib"], Q_MIB, 0)])
    return lines_of(["Q", "accuracy", "oversampling", "ms", "type 1 onto the doubled grid, ms", "ratio", "MiB"], cells)


def growth_table(rows):
    return lines_of(["8 times the problem", "", "ns per sample and voxel", "of the large one", "growth"],
                    [[r["problem"], r["type"], ms(r["ns_per_element"][0]), ms(r["ns_per_element"][1]),
                      most(r["growth"], GROWTH)] for r in rows])


def recon_seconds(row, program):
    """Without those of an iteration where the longer run was no slower: noise."""
    seconds = row["s"].get(program, {})
    return seconds if seconds.get("iteration", 0) > 0 else {key: seconds[key] for key in seconds if key == "whole"}


def recon_ratio(row, key):
    ours, peer = recon_seconds(row, "findrho"), recon_seconds(row, "BART")
    return peer[key] / ours[key] if key in ours and key in peer else None


def recon_table(rows):
    cells = []
    for row in rows:
        ours, peer, kind = recon_seconds(row, "findrho"), recon_seconds(row, "BART"), dimensions(row)
        iteration = lambda seconds: ms(1e3 * seconds["iteration"]) if "iteration" in seconds else ""
        cells.append([row["problem"], str(row["iterations"]), ms(ours["whole"]), ms(peer.get("whole")),
                      least(recon_ratio(row, "whole"), WHOLE[kind]), iteration(ours), iteration(peer),
                      least(recon_ratio(row, "iteration"), ITERATION[kind]), ms(ours.get("rest")), ms(peer.get("rest")),
                      most(row["mib"]["findrho"], PEAK_MIB, 0), f"{row['mib']['BART']:.0f}" if peer else "",
                      f"{row['difference']:.1e}" if "difference" in row else ""])
    return lines_of(["scan", "iterations", "findrho, s", "BART, s", "ratio", "an iteration, ms", "BART", "ratio",
                     "the rest, s", "BART", "peak, MiB", "BART", "images differ"], cells)


def table(machine, rows):
    group = lambda name: [row for row in rows if row["group"] == name]
    text = (f"{machine['processor']}, {machine['cores_usable']} cores usable, {machine['threads']} thread{'s'[:machine['threads'] > 1]}, "
            f"{'processor time' if machine['clock'] == 'cpu' else 'wall time'}; load "
            f"{machine['load']:.2f} before; {machine['findrho']}, FINUFFT "
            f"{machine['finufft'] or 'missing'}, BART {machine['bart'] or 'missing'}, Python {machine['python']}.\n"
            "Times in ms a coil where there are coils. \\*: misses what is aimed at.\n\n")
    for name, make in (("nufft", nufft_table), ("nufft", plan_table), ("product", product_table), ("q", q_table),
                       ("growth", growth_table), ("recon", recon_table)):
        if group(name):
            text += make(group(name))
    return text


def bars_of(rows):
    """(label, ratio to the peer, ratio to reach) of every row that has a peer."""
    for row in rows:
        if row["group"] == "nufft" and {"findrho", POOLED} <= row["ms_per_coil"].keys():
            label = f"{row['problem']}, {row['coils']} coil{'s'[:row['coils'] > 1]}, {row['target']:.0e}, type {row['type'][-1]}"
            yield label, gain(row), aimed_gain(row)
        if row["group"] == "product" and POOLED in row["ms_per_coil"]:
            yield f"Toeplitz product, {row['problem']}", gain(row), PRODUCT_GAIN
        if row["group"] == "recon":
            for key, aim in (("whole", WHOLE), ("iteration", ITERATION)):
                if recon_ratio(row, key) is not None:
                    yield f"BART: {row['problem']}, {key}", recon_ratio(row, key), aim[dimensions(row)]


def picture(rows, path):
    """One bar a row: how many times faster than the peer, on a logarithmic axis, and a mark where it should be. No file
    where there is no peer or no Pillow."""
    from math import log2

    bars = list(bars_of(rows))
    if not bars:
        return
    try:
        from PIL import Image, ImageDraw, ImageFont
    except ImportError:
        print("no picture: Pillow is not there (Debian: python3-pil)", file=sys.stderr)
        return
    try:
        font = ImageFont.truetype("DejaVuSans.ttf", 13)
    except OSError:
        font = ImageFont.load_default()
    step, left, width, top = 19, 385, 940, 50
    low, high = -1.0, max(4.0, log2(max(bar[1] for bar in bars)) + 0.3)
    at = lambda value: left + (width - left - 60) * (log2(max(value, 0.5)) - low) / (high - low)
    image = Image.new("RGB", (width, top + step * len(bars) + 20), "white")
    draw = ImageDraw.Draw(image)
    draw.text((10, 6), "findrho: times faster than FINUFFT (pooled memory) or BART; | is the aim", "black", font)
    value = 0.5
    while log2(value) <= high:
        draw.line([at(value), top - 6, at(value), image.height - 14], "black" if value == 1 else "#cccccc")
        draw.text((at(value) - 8, top - 22), f"{value:g}", "black", font)
        value *= 2
    for i, (label, speed, goal) in enumerate(bars):
        y = top + step * i
        draw.text((8, y), label, "black", font)
        draw.rectangle([at(0.5), y + 2, at(speed), y + step - 4], "#3a7d44" if speed >= goal else "#c98b2b")
        draw.line([at(goal), y, at(goal), y + step - 2], "black", 2)
        end = at(goal) if 0 <= at(goal) - at(speed) < 40 else at(speed)  # the number beside the mark, not under it
        draw.text((end + 6, y), f"{speed:.2f}", "black", font)
    image.save(path)


def write_report(machine, rows, folder):
    """The names of the files that it wrote."""
    text = table(machine, rows)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "table.md").write_text(text)
    print(text)
    drawn = folder / "speed.png"
    drawn.unlink(missing_ok=True)  # an old one would not be that of this table
    picture(rows, drawn)
    return ["table.md"] + (["speed.png"] if drawn.exists() else [])


def why(error):
    """One line for what the system or a program said."""
    if isinstance(error, OSError) and error.filename:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split()) or type(error).__name__


def main(names):
    if len(names) < 2:
        print("usage: report.py results.json... OUT", file=sys.stderr)
        return 2
    parts, folder = [], Path(names[-1])
    try:
        for name in names[:-1]:
            parts.append(json.loads(Path(name).read_text()))
        written = write_report(parts[0]["machine"], [row for part in parts for row in part["rows"]], folder)
    except OSError as error:
        print(f"report: {why(error)}", file=sys.stderr)
        return 1
    except (KeyError, TypeError, ValueError) as error:
        print(f"report: {name} is not a result of this bench.py ({type(error).__name__}: {why(error)})", file=sys.stderr)
        return 1
    print(f"{folder}: {', '.join(written)}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
