#include <minirt/extension_cuda.h>

namespace minirt {
namespace {

thread_local CUstream_st* current = nullptr;

}  // namespace

CUstream_st* current_cuda_stream() { return current; }

void set_current_cuda_stream(CUstream_st* stream) { current = stream; }

}  // namespace minirt
