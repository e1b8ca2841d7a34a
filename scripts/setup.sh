#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Installs what findrho is built from, where it is missing. Usage: scripts/setup.sh program|tests
# Debian and Ubuntu: apt-get, with sudo when not root. Elsewhere: prints the list and exits with status 3.
set -eu

program="g++ cmake make ninja-build pkg-config libfftw3-dev libhdf5-dev libpng-dev zlib1g-dev libeigen3-dev
  libboost-dev libfmt-dev nlohmann-json3-dev libcli11-dev libpugixml-dev libhwy-dev libssl-dev"
tests="libgtest-dev python3 python3-numpy python3-h5py python3-nibabel groff-base"
# Witnesses that not every release has; tests that want them say so and are skipped.
optional="librapidcheck-dev libismrmrd-dev bart clang-format-14"

case "${1:-}" in
  program) wanted=$program; extra="" ;;
  tests) wanted="$program $tests"; extra=$optional ;;
  *)
    echo "usage: scripts/setup.sh program|tests" >&2
    exit 2
    ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  {
    echo "setup: this system has no apt-get; findrho is built from the following, in Debian's names:"
    for package in $wanted $extra; do echo "  $package"; done
    echo "setup: install them by your package manager (g++ 12 or newer, CMake 3.24 or newer), then run"
    echo "  cmake --preset release && cmake --build --preset release"
  } >&2
  exit 3
fi

# Prints those of its arguments that are not installed.
missing_of() {
  for package in "$@"; do
    case "$(dpkg-query -W -f='${Status}' "$package" 2>/dev/null)" in
      "install ok installed") ;;
      *) echo "$package" ;;
    esac
  done
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo >/dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    echo "setup: packages are missing and there is no sudo; run as root: scripts/setup.sh" >&2
    exit 4
  fi
}

# shellcheck disable=SC2086  # lists of words
missing=$(missing_of $wanted)
# shellcheck disable=SC2086
missing_extra=$(missing_of $extra)
[ -n "$missing$missing_extra" ] || exit 0

# shellcheck disable=SC2086
echo "setup: installing" $missing $missing_extra
as_root apt-get -qq -o DPkg::Lock::Timeout=300 update
found_extra=""
for package in $missing_extra; do
  if apt-cache show "$package" >/dev/null 2>&1; then
    found_extra="$found_extra $package"
  else
    echo "setup: this release has no package $package; tests that need it are left out"
  fi
done
# shellcheck disable=SC2086
set -- $missing $found_extra
[ $# -eq 0 ] || as_root apt-get -qq -o DPkg::Lock::Timeout=300 install --no-install-recommends "$@" >/dev/null
