#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
# Reads the machine code of the ladder's kernels (cuobjdump -sass libfindrho_cuda.so | loop_counts.py SRC_DFT) and
# writes what their inner loops hold: compiled_counts.cpp (per rung) and tuned_counts.hpp (per configuration).
# A loop is a backward branch; the step's loop is the smallest one that holds the step's arithmetic. The loop of the
# library's argument reduction inside it, which runs for angles beyond 105,615 only, does not count.
import collections
import re
import sys

RUNGS = {
    "pair": "PairBody", "scatter": "ScatterBody", "scatter_fissioned": "ScatterFissionedBody", "gather": "GatherBody",
    "gather_registers": "GatherRegistersBody", "gather_constant": "GatherConstantBody",
    "gather_constant_aos": "GatherConstantAosBody", "gather_constant_padded": "GatherConstantPaddedBody",
    "gather_readonly": "GatherReadonlyBody", "gather_fast_trig": "GatherFastTrigBody",
    "gather_coarse": "GatherCoarseBodyILi4E", "tuned": "9TunedBodyILi8ELi4E",
}
HEADER = "// SPDX-License-Identifier: BSD-3-Clause\n// Written by bench/loop_counts.py from the machine code of nvcc 13.0 for sm_90a.\n"


def functions(lines):
    name, code = None, []
    for line in lines:
        if match := re.search(r"Function : (\S+)", line):
            if name:
                yield name, code
            name, code = match.group(1), []
        elif name and (match := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?);", line)):
            code.append((int(match.group(1), 16), re.sub(r"^@!?U?P\w+\s+", "", match.group(2).strip())))
    if name:
        yield name, code


def loops(code):
    for address, text in code:
        target = re.match(r"BRA.*?(0x[0-9a-f]+)", text)
        if target and int(target.group(1), 16) < address:
            yield int(target.group(1), 16), address


def count(code, first, last, without=None):
    kinds = collections.Counter()
    for address, text in code:
        if first <= address <= last and not (without and without[0] <= address <= without[1]):
            kinds[text.split()[0].split(".")[0]] += 1
    return kinds


def arithmetic(kinds):
    return kinds["FADD"] + kinds["FMUL"] + kinds["FFMA"]


def step_loop(code):
    """The smallest loop with the step's arithmetic, and the loop inside it that has none."""
    found = sorted(loops(code), key=lambda l: l[1] - l[0])
    best = next(l for l in found if arithmetic(count(code, *l)) >= 9)
    inner = [l for l in found if best[0] < l[0] and l[1] < best[1] and arithmetic(count(code, *l)) == 0]
    return best, inner[0] if inner else None


def rung_counts(all_functions):
    for rung, body in RUNGS.items():
        name, code = next((n, c) for n, c in all_functions if body in n and "FhdSum" in n and "BodyIdN" not in n)
        loop, inner = step_loop(code)
        kinds = count(code, *loop, without=inner)
        pairs = kinds["MUFU"] / 2 if kinds["MUFU"] >= 2 else 1
        per = lambda n: n / pairs
        atomics = kinds["RED"] + kinds["REDG"] + kinds["ATOM"] + kinds["ATOMG"]
        loads = kinds["LDG"] + kinds["STG"] + 2 * atomics
        # Uniform loads bring kernel parameters too, which only the loops without library calls keep in registers.
        constant = kinds["LDC"] + (kinds["ULDC"] if kinds["MUFU"] >= 2 else 0)
        yield rung, [per(loads), per(constant), per(arithmetic(kinds)), per(kinds["MUFU"]), per(sum(kinds.values()))]


def tuned_counts(all_functions):
    for name, code in all_functions:
        match = re.search(r"Tuned(Shared)?BodyILi(\d)ELi(\d)ENS0_6FhdSumE(.*)", name)
        if not match:
            continue
        memory = 2 if match.group(1) else 0 if "PaddedChunk" in match.group(4) else 1
        voxels, unroll = int(match.group(2)), int(match.group(3))
        main = [count(code, *l) for l in loops(code)]
        fitting = [k for k in main if k["MUFU"] == 2 * voxels * unroll]
        yield memory, voxels, unroll, min(sum(k.values()) for k in fitting)


def main():
    code = list(functions(sys.stdin))
    folder = sys.argv[1]
    with open(folder + "/compiled_counts.cpp", "w") as out:
        out.write(HEADER + '#include "findrho/dft/measure.hpp"\n\nnamespace findrho {\n\n')
        out.write("std::optional<CompiledCount> compiled_count(Rung rung) {\n  switch (rung) {\n")
        for rung, numbers in rung_counts(code):
            out.write(f"    case Rung::{rung}:\n      return CompiledCount{{{', '.join(f'{n:.4g}' for n in numbers)}}};\n")
        out.write("    default:\n      return {};\n  }\n}\n\n}  // namespace findrho\n")
    table = {(m, r, u): n for m, r, u, n in tuned_counts(code)}
    with open(folder + "/tuned_counts.hpp", "w") as out:
        out.write(HEADER + '#pragma once\n#include "findrho/dft/rung.hpp"\n\nnamespace findrho {\n\n')
        out.write("/// Instructions of one turn of the tuned rung's loop for F^H d: unroll samples, per_thread voxels.\n")
        out.write("inline double tuned_loop_instructions(RungOptions const& o) {\n")
        out.write("  // [constant, global, shared][voxels 1 2 4 8][unroll 1 2 4 8]\n  static constexpr int kCounts[3][4][4] = {\n")
        for m in range(3):
            rows = ", ".join("{" + ", ".join(str(table[m, r, u]) for u in (1, 2, 4, 8)) + "}" for r in (1, 2, 4, 8))
            out.write("      {" + rows + "},\n")
        out.write("  };\n  auto const log2 = [](int n) { return n >= 8 ? 3 : n >= 4 ? 2 : n >= 2 ? 1 : 0; };\n")
        out.write("  return kCounts[static_cast<int>(o.memory)][log2(o.per_thread)][log2(o.unroll)];\n}\n\n}  // namespace findrho\n")


main()
