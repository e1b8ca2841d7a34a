// SPDX-License-Identifier: BSD-3-Clause
#include "operator/cuda/pass_launch.hpp"

namespace findrho::device {

void launch_columns_forward(cudaStream_t stream, int length, ColumnsArguments<double> const& a) {
  launch_pass<kPassBlocks<double>>(stream, length, FusedLengths<double>::Type{}, [&](auto factors) {
    return ColumnsForward<double, decltype(factors)>{{a}};
  });
}
void launch_columns_inverse(cudaStream_t stream, int length, ColumnsArguments<double> const& a) {
  launch_pass<kPassBlocks<double>>(stream, length, FusedLengths<double>::Type{}, [&](auto factors) {
    return ColumnsInverse<double, decltype(factors)>{{a}};
  });
}

}  // namespace findrho::device
