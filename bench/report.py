# SPDX-License-Identifier: BSD-3-Clause
# The rows as a table in Markdown and as a picture of ratios; of several results as one:
#   report.py results.json... OUT
import json
import sys
from pathlib import Path

from peers import PLAIN, POOLED


def ms(value):
    return "" if value is None else f"{value:.3g}"


def ratio(peer, ours):
    return "" if peer is None or ours is None else f"{peer / ours:.2f}"


def lines_of(head, rows):
    text = "| " + " | ".join(head) + " |\n|" + "---|" * len(head) + "\n"
    return text + "".join("| " + " | ".join(row) + " |\n" for row in rows) + "\n"


def error_of(row, name):
    settled = row["settled"].get(name)
    if not settled:
        return "not reached" if name in row["settled"] else ""
    return f"{settled['errors'][row['type']]:.1e}" + (" (double)" if settled["precision"] == "double" else "")


def nufft_table(rows):
    cells = []
    for row in rows:
        t = row["ms_per_coil"]
        cells.append([row["problem"], str(row["coils"]), f"{row['target']:.0e}", row["type"][-1], ms(t.get("findrho")),
                      error_of(row, "findrho"), ms(t.get(POOLED)), ms(t.get(PLAIN)), error_of(row, POOLED),
                      ratio(t.get(POOLED), t.get("findrho"))])
    return lines_of(["problem", "coils", "error wanted", "type", "findrho, ms a coil", "error", "FINUFFT pooled", "as it comes",
                     "error", "pooled / findrho"], cells)


def plan_table(rows):
    cells = []
    for row in rows:
        if row["type"] != "type1" or row["coils"] > 1 or not row["settled"]["findrho"]:
            continue
        ours, peer = row["settled"]["findrho"]["plan_ms"][0], row["settled"].get(POOLED)
        execution = row["ms_per_coil"]["findrho"] * row["coils"]
        cells.append([row["problem"], str(row["coils"]), f"{row['target']:.0e}", row["settled"]["findrho"]["design"], ms(ours),
                      ratio(ours, execution), ms(peer["plan_ms"][0]) if peer else "", ms(peer["plan_ms"][1]) if peer else ""])
    return lines_of(["problem", "coils", "error wanted", "findrho's design", "plan, ms (both types)", "plan / type 1",
                     "FINUFFT plans", "FINUFFT points"], cells)


def recon_table(rows):
    cells = []
    for row in rows:
        ours, peer = row["s"]["findrho"], row["s"].get("BART")
        get = lambda key: ms(peer[key] if peer else None)
        cells.append([row["problem"], str(row["iterations"]), f"{ours['whole']:.3g}", get("whole"), ratio(peer and peer["whole"], ours["whole"]),
                      ms(1e3 * ours["iteration"]), ms(1e3 * peer["iteration"]) if peer else "",
                      ratio(peer and peer["iteration"], ours["iteration"]), ms(ours["rest"]), get("rest"),
                      f"{row['mib']['findrho']:.0f}", f"{row['mib']['BART']:.0f}" if peer else "",
                      f"{row['difference']:.1e}" if peer else ""])
    return lines_of(["scan", "iterations", "findrho, s", "BART, s", "ratio", "an iteration, ms", "BART", "ratio",
                     "the rest, s", "BART", "peak, MiB", "BART", "images differ"], cells)


def table(machine, rows):
    group = lambda name: [row for row in rows if row["group"] == name]
    text = (f"{machine['processor']}, {machine['cores_usable']} cores usable, {machine['threads']} thread{'s'[:machine['threads'] > 1]}, "
            f"{'processor time' if machine['clock'] == 'cpu' else 'wall time'}; load "
            f"{machine['load']:.2f} before; {machine['findrho']}, FINUFFT "
            f"{machine['finufft'] or 'missing'}, BART {machine['bart'] or 'missing'}, Python {machine['python']}.\n\n")
    if group("nufft"):
        text += nufft_table(group("nufft")) + plan_table(group("nufft"))
    if group("product"):
        text += lines_of(["Toeplitz product, 8 coils", "ms a coil", "FINUFFT type 2 + type 1, pooled", "ratio"],
                         [[r["problem"], ms(r["ms_per_coil"]["findrho"]), ms(r["ms_per_coil"].get(POOLED)),
                           ratio(r["ms_per_coil"].get(POOLED), r["ms_per_coil"]["findrho"])] for r in group("product")])
        text += lines_of(["Q", "accuracy", "oversampling", "ms", "type 1 onto the doubled grid, ms", "ratio", "MiB"],
                         [[r["problem"], f"{r['accuracy']:g}", f"{r['oversampling'] or 'chosen'}", ms(r["q_ms"]), ms(r["doubled_ms"]), ratio(r["q_ms"], r["doubled_ms"]),
                           f"{r['mib']:.0f}"] for r in group("q")])
    if group("growth"):
        text += lines_of(["8 times the problem", "", "ns per sample and voxel", "of the large one", "growth"],
                         [[r["problem"], r["type"], ms(r["ns_per_element"][0]), ms(r["ns_per_element"][1]),
                           f"{r['growth']:.2f}"] for r in group("growth")])
    if group("recon"):
        text += recon_table(group("recon"))
    return text


def bars_of(rows):
    """(label, ratio to the peer, ratio to reach) of every row that has a peer."""
    for row in rows:
        if row["group"] == "nufft" and {"findrho", POOLED} <= row["ms_per_coil"].keys():
            label = f"{row['problem']}, {row['coils']} coil{'s'[:row['coils'] > 1]}, {row['target']:.0e}, type {row['type'][-1]}"
            yield label, row["ms_per_coil"][POOLED] / row["ms_per_coil"]["findrho"], 1 if row["coils"] == 1 else 2.5
        if row["group"] == "product" and POOLED in row["ms_per_coil"]:
            yield f"Toeplitz product, {row['problem']}", row["ms_per_coil"][POOLED] / row["ms_per_coil"]["findrho"], 2
        if row["group"] == "recon" and "BART" in row["s"]:
            flat = "2D" in row["problem"]
            for key, goal in (("whole", 15 if flat else 8), ("iteration", 6 if flat else 4)):
                yield f"BART: {row['problem']}, {key}", row["s"]["BART"][key] / row["s"]["findrho"][key], goal


def picture(rows, path):
    """One bar a row: how many times faster than the peer, on a logarithmic axis, and a mark where it should be."""
    from math import log2

    from PIL import Image, ImageDraw, ImageFont
    bars = list(bars_of(rows))
    if not bars:
        return
    try:
        font = ImageFont.truetype("DejaVuSans.ttf", 13)
    except OSError:
        font = ImageFont.load_default()
    step, left, width, top = 19, 385, 940, 50
    least, most = -1.0, max(4.0, log2(max(bar[1] for bar in bars)) + 0.3)
    at = lambda value: left + (width - left - 60) * (log2(max(value, 0.5)) - least) / (most - least)
    image = Image.new("RGB", (width, top + step * len(bars) + 20), "white")
    draw = ImageDraw.Draw(image)
    draw.text((10, 6), "findrho: times faster than FINUFFT (pooled memory) or BART; | is the aim", "black", font)
    value = 0.5
    while log2(value) <= most:
        draw.line([at(value), top - 6, at(value), image.height - 14], "black" if value == 1 else "#cccccc")
        draw.text((at(value) - 8, top - 22), f"{value:g}", "black", font)
        value *= 2
    for i, (label, speed, goal) in enumerate(bars):
        y = top + step * i
        draw.text((8, y), label, "black", font)
        draw.rectangle([at(0.5), y + 2, at(speed), y + step - 4], "#3a7d44" if speed >= goal else "#c98b2b")
        draw.line([at(goal), y, at(goal), y + step - 2], "black", 2)
        draw.text((at(speed) + 6, y), f"{speed:.2f}", "black", font)
    image.save(path)


def write_report(machine, rows, folder):
    folder.mkdir(parents=True, exist_ok=True)
    text = table(machine, rows)
    (folder / "table.md").write_text(text)
    print(text)
    try:
        picture(rows, folder / "speed.png")
    except ImportError:
        print("no picture: python3-pil is not installed", file=sys.stderr)
    print(f"{folder}/table.md, results.json, speed.png", file=sys.stderr)


if __name__ == "__main__":
    parts = [json.loads(Path(name).read_text()) for name in sys.argv[1:-1]]
    write_report(parts[0]["machine"], [row for part in parts for row in part["rows"]], Path(sys.argv[-1]))
