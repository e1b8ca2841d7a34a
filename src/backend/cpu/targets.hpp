// SPDX-License-Identifier: BSD-3-Clause
// Instruction sets that findrho's Highway files are compiled for; include before hwy/ (private header).
// Left out: SSSE3 (machines that old take the baseline), and targets whose vector length is unknown when
// compiling.
#pragma once
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
