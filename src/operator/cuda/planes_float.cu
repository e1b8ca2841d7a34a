// SPDX-License-Identifier: BSD-3-Clause
#include "operator/cuda/pass_launch.hpp"
#include "operator/cuda/plane_launch.hpp"

namespace findrho::device {

void launch_planes(cudaStream_t stream, int length, PlanesArguments<float> const& a) {
  bool const found = with_factors(length, PlaneLengths{}, [&](auto factors) {
    launch_planes_body<Start::early>(stream, Planes<float, decltype(factors)>{a});
  });
  if (!found)
    throw ModuleFailure(CudaFault::not_supported, "there are no planes of length " + std::to_string(length));
}

}  // namespace findrho::device
