#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Formats the C++ code (fix) or lists what is not formatted (check). Usage: scripts/format.sh fix|check
# Versions of clang-format disagree, so it is version 14 and no other.
set -eu
cd "$(dirname "$0")/.."

case "${1:-}" in
  fix) action="-i" ;;
  check) action="--dry-run --Werror" ;;
  *)
    echo "usage: scripts/format.sh fix|check" >&2
    exit 2
    ;;
esac

scripts/setup.sh tests
tool=""
for candidate in clang-format-14 clang-format; do
  if command -v "$candidate" >/dev/null && "$candidate" --version | grep -q 'version 14\.'; then
    tool=$candidate
    break
  fi
done
if [ -z "$tool" ]; then
  echo "format: clang-format 14 was not found; install the package clang-format-14" >&2
  exit 1
fi
# shellcheck disable=SC2086  # two words
find apps bench include src tests -type f \( -name '*.cpp' -o -name '*.hpp' -o -name '*.cu' \) -print0 |
  xargs -0 "$tool" $action
