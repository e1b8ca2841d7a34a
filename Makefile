# SPDX-License-Identifier: BSD-3-Clause
# Every target works by itself from a bare clone: set-up, configuration and build are part of it.
JOBS ?= $(shell nproc)

.PHONY: help demo test bench asan tsan cuda format check-format

help:
	@echo "make demo          build the program, simulate a scan, reconstruct it, show the pictures"
	@echo "make test          build everything, run all tests"
	@echo "make bench         measure beside FINUFFT and BART (BENCH=\"--quick\" for a glance): a table, JSON, a picture"
	@echo "make asan, tsan    the same under AddressSanitizer and UBSan, under ThreadSanitizer"
	@echo "make cuda          the program with its CUDA module, where nvcc is found (no GPU needed)"
	@echo "make format        format the C++ code; make check-format only checks it"

demo:
	scripts/setup.sh program
	cmake --preset demo
	cmake --build --preset demo -j $(JOBS)
	scripts/demo.sh build/demo/bin/findrho

test:
	scripts/setup.sh tests
	cmake --preset release
	cmake --build --preset release -j $(JOBS)
	ctest --preset release -j 2

bench:
	scripts/setup.sh program
	cmake --preset bench
	cmake --build --preset bench -j $(JOBS) --target findrho findrho_bench
	scripts/bench.sh build/bench $(BENCH)

asan tsan:
	scripts/setup.sh tests
	cmake --preset $@
	cmake --build --preset $@ -j $(JOBS)
	ctest --preset $@ -j 2

cuda:
	@nvcc=$$(command -v nvcc || ls /usr/local/cuda/bin/nvcc 2>/dev/null); \
	if [ -z "$$nvcc" ]; then echo "nvcc not found: the CUDA backend is not compiled"; exit 0; fi; \
	set -ex; \
	scripts/setup.sh program; \
	CUDACXX=$$nvcc cmake --preset cuda-compile; \
	cmake --build --preset cuda-compile -j $(JOBS)

format:
	scripts/format.sh fix

check-format:
	scripts/format.sh check
