// The stream on which this thread's CUDA work runs. It lives in libminirt_extension_cuda.so and
// nowhere else, so that what a program chooses is what backends use. Needs no CUDA toolkit.
#pragma once

#include <minirt/api.h>

struct CUstream_st;  // What cudaStream_t points to.

namespace minirt {

// Null, the device's default stream, until the calling thread sets another.
MINIRT_API CUstream_st* current_cuda_stream();

// For the calling thread. The stream must belong to the device that the work runs on and outlive
// that work; it is not owned.
MINIRT_API void set_current_cuda_stream(CUstream_st* stream);

// Sets a stream while it lives, then the one before.
class CudaStreamScope {
 public:
  explicit CudaStreamScope(CUstream_st* stream) : before_(current_cuda_stream()) { set_current_cuda_stream(stream); }
  CudaStreamScope(const CudaStreamScope&) = delete;
  CudaStreamScope& operator=(const CudaStreamScope&) = delete;
  ~CudaStreamScope() { set_current_cuda_stream(before_); }

 private:
  CUstream_st* before_;
};

}  // namespace minirt
