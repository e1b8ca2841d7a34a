// SPDX-License-Identifier: BSD-3-Clause
#include "backend/cuda/line_pass.hpp"
#include "nufft/cuda/box_transform.hpp"

namespace findrho::nufft {

void launch_rows_to_grid(cudaStream_t stream, int length, BoxTransformJob<float> const& job) {
  device::launch_pass<device::kPassBlocks<float>, device::Start::early>(
      stream, length, BoxLengths{},
      [&](auto factors) { return RowsToGrid<float, decltype(factors)>{{job}}; });
}
void launch_rows_to_image(cudaStream_t stream, int length, BoxTransformJob<float> const& job) {
  device::launch_pass<device::kPassBlocks<float>, device::Start::early>(
      stream, length, BoxLengths{},
      [&](auto factors) { return RowsToImage<float, decltype(factors)>{{job}}; });
}

}  // namespace findrho::nufft
