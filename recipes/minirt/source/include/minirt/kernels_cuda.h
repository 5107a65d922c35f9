// All device code of minirt. Pointers are to memory of the current CUDA device; calls only put work
// on the stream and throw Error if it cannot be put there. Needs no CUDA toolkit.
#pragma once

#include <minirt/api.h>

#include <cstddef>

struct CUstream_st;  // What cudaStream_t points to.

namespace minirt::cuda {

enum class Activation { None, Relu };

// y = activation(x weight + bias) for x [rows, inputs], weight [inputs, outputs], bias [outputs],
// y [rows, outputs] in row-major order; y overlaps none of the others.
MINIRT_API void dense(const float* x, const float* weight, const float* bias, float* y, std::size_t rows,
                      std::size_t inputs, std::size_t outputs, Activation activation, CUstream_st* stream);

}  // namespace minirt::cuda
