// The runtime of cuda_runtime_api.h. It refuses pointers that are not where a call says they are.
// HOST_CUDA says which machine to be: "none" without a driver, "empty" without a device, "old" with a
// driver that is too old.
#include "runtime.h"

#include <pthread.h>

#include <cstdlib>
#include <cstring>
#include <map>
#include <thread>

namespace {

struct Block {
  std::size_t bytes;
  int index;
};

std::map<const char*, Block> memory_of_devices;
thread_local int current = 0;
pthread_barrier_t barrier;

bool is(const char* machine) {
  const char* const chosen = std::getenv("HOST_CUDA");
  return chosen != nullptr && std::strcmp(chosen, machine) == 0;
}

// The device that holds all these bytes, -1 for the host.
int holder(const void* pointer, std::size_t bytes) {
  const char* const first = static_cast<const char*>(pointer);
  for (const auto& [start, block] : memory_of_devices) {
    if (first >= start && first + bytes <= start + block.bytes) {
      return block.index;
    }
  }
  return -1;
}

void note(const char* call, cudaStream_t stream) {
  host_calls.push_back(std::string(call) + "@" + std::to_string(current) + "/" +
                       std::to_string(reinterpret_cast<std::size_t>(stream)));
}

}  // namespace

std::vector<std::string> host_calls;

thread_local dim3 blockIdx(0);
thread_local dim3 threadIdx(0);
dim3 gridDim(0);

std::size_t host_blocks_in_use() { return memory_of_devices.size(); }

cudaError_t cudaGetLastError() { return cudaSuccess; }

const char* cudaGetErrorName(cudaError_t) { return "a name"; }

const char* cudaGetErrorString(cudaError_t status) {
  return status == cudaErrorInsufficientDriver ? "the driver is too old" : "refused by the host's runtime";
}

cudaError_t cudaDriverGetVersion(int* version) {
  *version = is("none") ? 0 : 13000;
  return cudaSuccess;
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = is("empty") ? 0 : 2;
  return is("empty") ? cudaErrorNoDevice : is("old") ? cudaErrorInsufficientDriver : cudaSuccess;
}

cudaError_t cudaGetDevice(int* index) {
  *index = current;
  return cudaSuccess;
}

cudaError_t cudaSetDevice(int index) {
  if (index < 0 || index > 1) {
    return cudaErrorInvalidDevice;
  }
  current = index;
  return cudaSuccess;
}

cudaError_t host_malloc(void** memory, std::size_t bytes) {
  if (bytes == 0) {
    return cudaErrorInvalidValue;
  }
  *memory = std::malloc(bytes);
  memory_of_devices[static_cast<char*>(*memory)] = {bytes, current};
  return cudaSuccess;
}

cudaError_t cudaFree(void* memory) {
  if (memory_of_devices.erase(static_cast<char*>(memory)) == 0) {
    return cudaErrorInvalidValue;
  }
  std::free(memory);
  return cudaSuccess;
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream) {
  const bool down = kind == cudaMemcpyHostToDevice;
  note(down ? "down" : "up", stream);
  if (holder(to, bytes) != (down ? current : -1) || holder(from, bytes) != (down ? -1 : current)) {
    return cudaErrorInvalidValue;
  }
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaMemcpyPeerAsync(void* to, int to_index, const void* from, int from_index, std::size_t bytes,
                                cudaStream_t stream) {
  note("across", stream);
  if (holder(to, bytes) != to_index || holder(from, bytes) != from_index) {
    return cudaErrorInvalidValue;
  }
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  note("wait", stream);
  return cudaSuccess;
}

void __syncthreads() { pthread_barrier_wait(&barrier); }

cudaError_t host_launch(const std::function<void()>& body, dim3 grid, dim3 block, cudaStream_t stream) {
  note("launch", stream);
  if (grid.x == 0 || grid.y == 0 || grid.y > 65535 || block.x * block.y > 1024) {
    return cudaErrorInvalidValue;
  }
  gridDim = grid;
  pthread_barrier_init(&barrier, nullptr, block.x * block.y);
  std::vector<std::thread> threads;
  for (unsigned place = 0; place < block.x * block.y; ++place) {
    threads.emplace_back([=] {
      threadIdx = dim3(place % block.x, place / block.x);
      for (unsigned number = 0; number < grid.x * grid.y; ++number) {
        blockIdx = dim3(number % grid.x, number / grid.x);
        body();
        // Blocks share the arrays that are each block's own on a device.
        __syncthreads();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  pthread_barrier_destroy(&barrier);
  return cudaSuccess;
}
