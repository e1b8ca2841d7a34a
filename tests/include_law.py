#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Holds the tree to its laws: includes point downward, public headers stay light, files stay small and carry an
SPDX line. Usage: include_law.py ROOT, or include_law.py --self-test, which shows that each breach is found."""
import os
import re
import sys
import tempfile

ONLY_CORE = {"trajectory", "phantom", "io"}  # these folders see nothing but core
HEAVY = re.compile(r"(hdf5|H5\w+|fmt/|spdlog/|CLI/|nlohmann/|cuda|cufft|Eigen/|hwy/|pugixml|fftw3|png\.h|zlib\.h)")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
CODE = (".cpp", ".hpp", ".cu", ".cuh", ".h")
WITH_SPDX = CODE + (".py", ".sh", ".cmake", "CMakeLists.txt", "Makefile")
SPDX = "SPDX-License-Identifier: BSD-3-Clause"
MOST_LINES = 400


def layers(root):
    """Folders of src/, lowest first, as src/CMakeLists.txt lists them."""
    with open(os.path.join(root, "src", "CMakeLists.txt"), encoding="utf-8") as lists:
        return re.findall(r"^add_subdirectory\((\w+)\)", lists.read(), re.MULTILINE)


def files(root, *tops):
    for top in tops:
        path = os.path.join(root, top)
        if os.path.isfile(path):
            yield top
        for folder, _, names in os.walk(path):
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), root)


def folder_of(path):
    """The layer that a file belongs to: src/nufft/x.cpp and include/findrho/nufft/x.hpp are of nufft."""
    parts = path.split(os.sep)
    if parts[0] == "src" and len(parts) > 2:
        return parts[1]
    if parts[:2] == ["include", "findrho"] and len(parts) > 3:
        return parts[2]
    return None


def check_include(path, included, order):
    folder = folder_of(path)
    target = included.split("/")
    target = target[1] if target[0] == "findrho" and len(target) > 2 else target[0]
    if folder not in order or target not in order or target == folder:
        return None
    if folder in ONLY_CORE and target != "core":
        return f"{folder} may see only core, not {target} ({included})"
    if order.index(target) > order.index(folder):
        return f"{folder} lies below {target} and may not include {included}"
    return None


def breaches(root):
    order = layers(root)
    for path in files(root, "include", "src", "apps", "tests", "bench", "scripts", "cmake", "CMakeLists.txt", "Makefile"):
        if not path.endswith(WITH_SPDX):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        if not any(SPDX in line for line in lines[:2]):
            yield f"{path}:1: no line '{SPDX}' at the top"
        if not path.endswith(CODE):
            continue
        if len(lines) > MOST_LINES:
            yield f"{path}:{len(lines)}: {len(lines)} lines; more than {MOST_LINES} are two ideas in one file"
        for number, line in enumerate(lines, 1):
            match = INCLUDE.match(line)
            if not match:
                continue
            included = match.group(1)
            if path.startswith("include") and HEAVY.match(included):
                yield f"{path}:{number}: a public header includes {included}; move it to the .cpp file"
            problem = check_include(path, included, order)
            if problem:
                yield f"{path}:{number}: {problem}"


def self_test():
    """A small sound tree passes; each breach put into it is found, and nothing else."""
    head = f"// {SPDX}\n"
    sound = {
        "src/CMakeLists.txt": f"# {SPDX}\nadd_subdirectory(core)\nadd_subdirectory(backend)\nadd_subdirectory(io)\n",
        "src/core/a.cpp": head + '#include "findrho/core/a.hpp"\n#include <vector>\n',
        "src/backend/b.cpp": head + '#include "findrho/core/a.hpp"\n#include "core/private.hpp"\n#include <hdf5.h>\n',
        "include/findrho/core/a.hpp": head + "#include <string>\n",
        "apps/main.cpp": head + '#include "findrho/io/c.hpp"\n#include <CLI/CLI.hpp>\n',
    }
    bad = {
        "upward include": ("src/core/bad.cpp", head + '#include "findrho/backend/b.hpp"\n', "lies below backend"),
        "upward private include": ("src/core/bad.cpp", head + '# include "backend/b.hpp"\n', "lies below backend"),
        "upward public header": ("include/findrho/core/bad.hpp", head + '#include "findrho/io/c.hpp"\n', "lies below io"),
        "io sees backend": ("src/io/bad.cpp", head + '#include "findrho/backend/b.hpp"\n', "only core"),
        "heavy header": ("include/findrho/io/bad.hpp", head + "#include <fmt/format.h>\n", "public header"),
        "no licence": ("src/io/bad.cpp", "int x;\n", "SPDX"),
        "no licence in a script": ("scripts/bad.sh", "#!/bin/sh\ntrue\n", "SPDX"),
        "long file": ("src/io/bad.cpp", head + "\n" * MOST_LINES, "two ideas"),
    }
    for title, extra in [("sound tree", None), *bad.items()]:
        with tempfile.TemporaryDirectory() as root:
            tree = dict(sound)
            if extra:
                tree[extra[0]] = extra[1]
            for path, text in tree.items():
                os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
                with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                    file.write(text)
            found = list(breaches(root))
            right = not found if extra is None else len(found) == 1 and extra[0] in found[0] and extra[2] in found[0]
            if not right:
                return f"self-test '{title}' found: {found}"
    return None


def main():
    if sys.argv[1:] == ["--self-test"]:
        return self_test()
    found = list(breaches(sys.argv[1]))
    for breach in found:
        print(breach)
    return f"{len(found)} breaches" if found else None


if __name__ == "__main__":
    sys.exit(main())
