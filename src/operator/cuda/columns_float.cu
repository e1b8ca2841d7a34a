// SPDX-License-Identifier: BSD-3-Clause
#include "operator/cuda/pass_launch.hpp"

namespace findrho::device {

void launch_columns_forward(cudaStream_t stream, int length, ColumnsArguments<float> const& a) {
  launch_pass<kPassBlocks<float>>(stream, length, FusedLengths<float>::Type{}, [&](auto factors) {
    return ColumnsForward<float, decltype(factors)>{{a}};
  });
}
void launch_columns_inverse(cudaStream_t stream, int length, ColumnsArguments<float> const& a) {
  launch_pass<kPassBlocks<float>>(stream, length, FusedLengths<float>::Type{}, [&](auto factors) {
    return ColumnsInverse<float, decltype(factors)>{{a}};
  });
}

}  // namespace findrho::device
