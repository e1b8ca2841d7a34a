// SPDX-License-Identifier: BSD-3-Clause
#include "operator/cuda/pass_launch.hpp"

namespace findrho::device {

void launch_multiply(cudaStream_t stream, int length, ColumnsArguments<double> const& a) {
  launch_pass<kMultiplyBlocks<double>>(stream, length, FusedLengths<double>::Type{}, [&](auto factors) {
    return Multiply<double, decltype(factors)>{{a}};
  });
}

}  // namespace findrho::device
