// SPDX-License-Identifier: BSD-3-Clause
#include "operator/cuda/pass_launch.hpp"

namespace findrho::device {

void launch_rows_forward(cudaStream_t stream, int length, RowsArguments<float> const& a) {
  launch_pass<kPassBlocks<float>>(stream, length, FusedLengths<float>::Type{},
                                  [&](auto factors) { return RowsForward<float, decltype(factors)>{a}; });
}
void launch_rows_inverse(cudaStream_t stream, int length, RowsArguments<float> const& a) {
  launch_pass<kPassBlocks<float>>(stream, length, FusedLengths<float>::Type{},
                                  [&](auto factors) { return RowsInverse<float, decltype(factors)>{a}; });
}

}  // namespace findrho::device
