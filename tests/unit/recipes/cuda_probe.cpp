// Runs minirt's CUDA delegate on the host's CUDA runtime and prints what it called and computed.
#include "host_cuda/runtime.h"

#include <minirt/backend.h>
#include <minirt/device.h>
#include <minirt/error.h>
#include <minirt/extension_cuda.h>

#include <cstdio>
#include <cstring>
#include <thread>

namespace {

using minirt::Device;
using minirt::DeviceType;
using minirt::Tensor;

void print_calls(const char* what) {
  std::printf("%s:", what);
  for (const std::string& call : host_calls) {
    std::printf(" %s", call.c_str());
  }
  std::printf("\n");
  host_calls.clear();
}

CUstream_st* stream(std::size_t number) { return reinterpret_cast<CUstream_st*>(number); }

// Layers x -> scale * x + bias on one value each.
std::vector<unsigned char> chain(const std::vector<std::pair<float, float>>& layers) {
  std::vector<unsigned char> blob;
  const auto append = [&blob](const auto& value) {
    blob.resize(blob.size() + sizeof value);
    std::memcpy(blob.data() + blob.size() - sizeof value, &value, sizeof value);
  };
  append(static_cast<std::uint32_t>(layers.size()));
  for (const auto& [scale, bias] : layers) {
    append(std::uint32_t{1});
    append(std::uint32_t{1});
    append(std::uint32_t{1});  // relu
    append(scale);
    append(bias);
  }
  return blob;
}

void run() {
  const minirt::Backend* const backend = minirt::find_backend("CudaBackend");
  const std::vector<unsigned char> blob = chain({{2, 1}, {3, -8}});
  cudaSetDevice(1);
  minirt::set_current_cuda_stream(stream(5));
  const std::unique_ptr<minirt::Delegate> delegate = backend->prepare(blob.data(), blob.size());
  print_calls("prepare");

  cudaSetDevice(0);
  const Tensor x({3, 1}, {1, 2, -1});
  Tensor y(minirt::DType::Float32, {3, 1});
  {
    const minirt::CudaStreamScope scope(stream(7));
    delegate->execute({&x}, {&y});
  }
  print_calls("execute");
  std::printf("values: %g %g %g\n", y.data<float>()[0], y.data<float>()[1], y.data<float>()[2]);

  int device = -1;
  cudaGetDevice(&device);
  CUstream_st* of_thread = stream(1);
  std::thread([&of_thread] { of_thread = minirt::current_cuda_stream(); }).join();
  std::printf("after: device %d, stream %zu, of a new thread %zu\n", device,
              reinterpret_cast<std::size_t>(minirt::current_cuda_stream()), reinterpret_cast<std::size_t>(of_thread));

  const Tensor empty(minirt::DType::Float32, {0, 1});
  Tensor nothing(minirt::DType::Float32, {0, 1});
  delegate->execute({&empty}, {&nothing});
  print_calls("no rows");

  minirt::DeviceAllocator& allocator = *minirt::find_allocator(DeviceType::Cuda);
  void* const first = allocator.allocate(0, 4);
  void* const second = allocator.allocate(1, 4);
  std::uint32_t value = 42;
  minirt::copy(first, {DeviceType::Cuda, 0}, &value, Device{}, sizeof value);
  minirt::copy(second, {DeviceType::Cuda, 1}, first, {DeviceType::Cuda, 0}, sizeof value);
  value = 0;
  minirt::copy(&value, Device{}, second, {DeviceType::Cuda, 1}, sizeof value);
  print_calls("copies");
  std::printf("arrived: %u\n", value);
  try {
    minirt::copy(&value, Device{}, second, {DeviceType::Cuda, 0}, sizeof value);
  } catch (const minirt::Error& error) {
    std::printf("wrong device: %s\n", error.what());
  }
  try {
    allocator.allocate(9, 4);
  } catch (const minirt::Error& error) {
    std::printf("no such device: %s\n", error.what());
  }
  allocator.deallocate(0, first);
  allocator.deallocate(1, second);
}

}  // namespace

int main() {
  try {
    run();
  } catch (const minirt::Error& error) {
    std::printf("error: %s\n", error.what());
  }
  std::printf("blocks in use: %zu\n", host_blocks_in_use());
  return 0;
}
