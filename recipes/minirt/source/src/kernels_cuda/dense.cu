#include "../cuda_status.h"

#include <minirt/kernels_cuda.h>

#include <algorithm>

namespace minirt::cuda {

// Named and hidden, not anonymous: the names of an anonymous namespace would differ by the build's folder.
namespace device {

// Edge of a tile of y: a block has a thread for each of its elements.
constexpr unsigned kTile = 16;

// Most blocks that the second dimension of a grid may have (CUDA C++ Programming Guide).
constexpr std::size_t kMostColumns = 65535;

// Rows are the first dimension of the grid, which has room for 2^31 blocks; columns are walked.
__global__ __launch_bounds__(kTile * kTile) void dense(const float* x, const float* weight, const float* bias,
                                                       float* y, std::size_t rows, std::size_t inputs,
                                                       std::size_t outputs, bool relu) {
  __shared__ float x_tile[kTile][kTile];
  __shared__ float weight_tile[kTile][kTile];
  const std::size_t row = static_cast<std::size_t>(blockIdx.x) * kTile + threadIdx.y;
  const std::size_t step = static_cast<std::size_t>(gridDim.y) * kTile;
  for (std::size_t first = static_cast<std::size_t>(blockIdx.y) * kTile; first < outputs; first += step) {
    const std::size_t column = first + threadIdx.x;
    float sum = column < outputs ? bias[column] : 0.0F;
    for (std::size_t start = 0; start < inputs; start += kTile) {
      const std::size_t inner_x = start + threadIdx.x;
      const std::size_t inner_weight = start + threadIdx.y;
      x_tile[threadIdx.y][threadIdx.x] = row < rows && inner_x < inputs ? x[row * inputs + inner_x] : 0.0F;
      weight_tile[threadIdx.y][threadIdx.x] =
          inner_weight < inputs && column < outputs ? weight[inner_weight * outputs + column] : 0.0F;
      __syncthreads();
      for (unsigned k = 0; k < kTile; ++k) {
        sum += x_tile[threadIdx.y][k] * weight_tile[k][threadIdx.x];
      }
      __syncthreads();
    }
    if (row < rows && column < outputs) {
      // A comparison that keeps NaN: a model that went wrong must show it.
      y[row * outputs + column] = relu && sum < 0.0F ? 0.0F : sum;
    }
  }
}

}  // namespace device

void dense(const float* x, const float* weight, const float* bias, float* y, std::size_t rows, std::size_t inputs,
           std::size_t outputs, Activation activation, CUstream_st* stream) {
  if (rows == 0 || outputs == 0) {
    return;
  }
  const auto tiles = [](std::size_t count) { return (count + device::kTile - 1) / device::kTile; };
  const dim3 grid(static_cast<unsigned>(tiles(rows)),
                  static_cast<unsigned>(std::min(tiles(outputs), device::kMostColumns)));
  bool relu = activation == Activation::Relu;
  void* arguments[] = {&x, &weight, &bias, &y, &rows, &inputs, &outputs, &relu};
  detail::require_cuda(cudaLaunchKernel(device::dense, grid, dim3(device::kTile, device::kTile), arguments, 0, stream),
                       "starting a dense layer");
}

}  // namespace minirt::cuda
