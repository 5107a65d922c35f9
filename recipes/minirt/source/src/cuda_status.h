// Turns what the CUDA runtime answers into minirt's one exception.
#pragma once

#include <minirt/error.h>

#include <cuda_runtime_api.h>

#include <string>

namespace minirt::detail {

inline void require_cuda(cudaError_t status, const char* action) {
  if (status != cudaSuccess) {
    // Taken back from the runtime, which would else report it to the next who asks.
    static_cast<void>(cudaGetLastError());
    throw Error(std::string("CUDA: ") + action + " failed: " + cudaGetErrorString(status) + " (" +
                cudaGetErrorName(status) + ")");
  }
}

}  // namespace minirt::detail
