// SPDX-License-Identifier: BSD-3-Clause
#include "operator/cuda/pass_launch.hpp"

namespace findrho::device {

void launch_rows_forward(cudaStream_t stream, int length, RowsArguments<double> const& a) {
  launch_pass<kPassBlocks<double>>(stream, length, FusedLengths<double>::Type{},
                                   [&](auto factors) { return RowsForward<double, decltype(factors)>{a}; });
}
void launch_rows_inverse(cudaStream_t stream, int length, RowsArguments<double> const& a) {
  launch_pass<kPassBlocks<double>>(stream, length, FusedLengths<double>::Type{},
                                   [&](auto factors) { return RowsInverse<double, decltype(factors)>{a}; });
}

}  // namespace findrho::device
