// SPDX-License-Identifier: BSD-3-Clause
#include "operator/cuda/pass_launch.hpp"

namespace findrho::device {

void launch_multiply(cudaStream_t stream, int length, ColumnsArguments<float> const& a) {
  launch_pass<kMultiplyBlocks<float>>(stream, length, FusedLengths<float>::Type{},
                                      [&](auto factors) { return Multiply<float, decltype(factors)>{{a}}; });
}

}  // namespace findrho::device
