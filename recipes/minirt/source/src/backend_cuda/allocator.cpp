// The allocator of CUDA memory. Copies run on the thread's current stream (minirt/extension_cuda.h).
#include "device_scope.h"

#include <minirt/device.h>
#include <minirt/extension_cuda.h>

namespace minirt {
namespace {

using detail::DeviceScope;
using detail::require_cuda;

class CudaAllocator final : public DeviceAllocator {
 public:
  void* allocate(int index, std::size_t bytes) override {
    const DeviceScope scope(index);
    void* memory = nullptr;
    require_cuda(cudaMalloc(&memory, bytes), "reserving memory");
    return memory;
  }

  void deallocate(int /*index*/, void* memory) noexcept override {
    // The address says which device it is of. A failure is of earlier work, and cannot be told from here.
    static_cast<void>(cudaFree(memory));
  }

  void copy_from_host(void* destination, int index, const void* source, std::size_t bytes) override {
    copy_and_wait(destination, source, bytes, cudaMemcpyHostToDevice, index, "copying to the device");
  }

  void copy_to_host(void* destination, const void* source, int index, std::size_t bytes) override {
    copy_and_wait(destination, source, bytes, cudaMemcpyDeviceToHost, index, "copying to the host");
  }

  void copy_on_device(void* destination, int destination_index, const void* source, int source_index,
                      std::size_t bytes) override {
    const DeviceScope scope(destination_index);
    require_cuda(cudaMemcpyPeerAsync(destination, destination_index, source, source_index, bytes,
                                     current_cuda_stream()),
                 "copying on the device");
  }

 private:
  static void copy_and_wait(void* destination, const void* source, std::size_t bytes, cudaMemcpyKind kind, int index,
                            const char* action) {
    const DeviceScope scope(index);
    CUstream_st* const stream = current_cuda_stream();
    require_cuda(cudaMemcpyAsync(destination, source, bytes, kind, stream), action);
    require_cuda(cudaStreamSynchronize(stream), action);
  }
};

const bool registered = [] {
  static CudaAllocator allocator;
  register_allocator(DeviceType::Cuda, &allocator);
  return true;
}();

}  // namespace
}  // namespace minirt
