// SPDX-License-Identifier: BSD-3-Clause
// A session on the first GPU, or the sentence with which a GPU test is skipped.
#pragma once
#include <gtest/gtest.h>

#include "findrho/backend/cuda_session.hpp"

#define FINDRHO_NEED_GPU(module)                                  \
  findrho::CudaModule const module = findrho::load_cuda_module(); \
  if (!module.ready()) GTEST_SKIP() << "no GPU to test on: " << module.reason
