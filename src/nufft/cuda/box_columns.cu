// SPDX-License-Identifier: BSD-3-Clause
#include "backend/cuda/line_pass.hpp"
#include "nufft/cuda/box_transform.hpp"

namespace findrho::nufft {

void launch_columns_to_grid(cudaStream_t stream, int length, ColumnsJob<float> const& job) {
  device::launch_pass<device::kPassBlocks<float>, device::Start::early>(
      stream, length, BoxLengths{},
      [&](auto factors) { return ColumnsToGrid<float, decltype(factors)>{{job}}; });
}
void launch_columns_to_image(cudaStream_t stream, int length, ColumnsJob<float> const& job) {
  device::launch_pass<device::kPassBlocks<float>, device::Start::early>(
      stream, length, BoxLengths{},
      [&](auto factors) { return ColumnsToImage<float, decltype(factors)>{{job}}; });
}

}  // namespace findrho::nufft
