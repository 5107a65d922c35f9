// Just enough of the CUDA runtime's interface to compile minirt's CUDA sources with the host's compiler
// and run them on its threads: two devices, whose memory is this process's, and kernels whose blocks
// run one after another with a thread for each of theirs.
#pragma once

#include <cstddef>
#include <functional>
#include <tuple>
#include <utility>

struct CUstream_st;
using cudaStream_t = CUstream_st*;

enum cudaError_t {
  cudaSuccess = 0,
  cudaErrorInvalidValue = 1,
  cudaErrorMemoryAllocation = 2,
  cudaErrorInsufficientDriver = 35,
  cudaErrorNoDevice = 100,
  cudaErrorInvalidDevice = 101,
};
enum cudaMemcpyKind { cudaMemcpyHostToDevice = 1, cudaMemcpyDeviceToHost = 2 };

cudaError_t cudaGetLastError();
const char* cudaGetErrorName(cudaError_t status);
const char* cudaGetErrorString(cudaError_t status);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaGetDevice(int* index);
cudaError_t cudaSetDevice(int index);
cudaError_t host_malloc(void** memory, std::size_t bytes);
template <typename T>
cudaError_t cudaMalloc(T** memory, std::size_t bytes) {
  return host_malloc(reinterpret_cast<void**>(memory), bytes);
}
cudaError_t cudaFree(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpyPeerAsync(void* to, int to_index, const void* from, int from_index, std::size_t bytes,
                                cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);

#define __global__
#define __shared__ static
#define __launch_bounds__(threads)

struct dim3 {
  constexpr dim3(unsigned first, unsigned second = 1, unsigned third = 1) : x(first), y(second), z(third) {}
  unsigned x, y, z;
};

extern thread_local dim3 blockIdx;
extern thread_local dim3 threadIdx;
extern dim3 gridDim;
void __syncthreads();

cudaError_t host_launch(const std::function<void()>& body, dim3 grid, dim3 block, cudaStream_t stream);

template <typename... Parameters, std::size_t... Places>
void host_call(void (*kernel)(Parameters...), void** arguments, std::index_sequence<Places...>) {
  kernel(*static_cast<Parameters*>(arguments[Places])...);
}

template <typename... Parameters>
cudaError_t cudaLaunchKernel(void (*kernel)(Parameters...), dim3 grid, dim3 block, void** arguments, std::size_t,
                             cudaStream_t stream) {
  return host_launch([=] { host_call(kernel, arguments, std::index_sequence_for<Parameters...>()); }, grid, block,
                     stream);
}
