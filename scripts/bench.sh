#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Runs bench/bench.py on a build, with FINUFFT from PyPI in an environment of its own where that can be had.
#   scripts/bench.sh BUILD [OPTIONS OF bench.py]
set -eu
build=${1:-}
case $build in
  "" | -*)
    echo "usage: scripts/bench.sh BUILD [OPTIONS OF bench.py], as scripts/bench.sh build/bench --quick" >&2
    exit 2
    ;;
esac
shift
if [ ! -x "$build/bin/findrho_bench" ]; then
  echo "bench: bin/findrho_bench is not in $build: make bench builds it" >&2
  exit 1
fi
venv=$build/venv
if [ ! -x "$venv/bin/python" ]; then
  python3 -m venv "$venv" || echo "bench: no virtual environment (Debian: python3-venv)" >&2
fi
python=python3
if [ -x "$venv/bin/python" ] && "$venv/bin/python" -m pip install -q finufft h5py pillow; then
  python=$venv/bin/python
else
  echo "bench: finufft cannot be installed; going on with $python and what it has" >&2
fi
exec "$python" "$(dirname "$0")/../bench/bench.py" --build "$build" "$@"
