// The float operators. Linking minirt::kernels_optimized registers them; they can be called too.
#pragma once

#include <minirt/api.h>
#include <minirt/kernel.h>

namespace minirt::kernels {

// x + y and x * y, where y has x's shape, or is one row that is repeated.
MINIRT_API void add(const Inputs& inputs, const Attributes& attributes, Tensor& output);
MINIRT_API void mul(const Inputs& inputs, const Attributes& attributes, Tensor& output);

// max(x, 0)
MINIRT_API void relu(const Inputs& inputs, const Attributes& attributes, Tensor& output);

// [m, k] x [k, n] -> [m, n]
MINIRT_API void matmul(const Inputs& inputs, const Attributes& attributes, Tensor& output);

// Along the last dimension.
MINIRT_API void softmax(const Inputs& inputs, const Attributes& attributes, Tensor& output);

}  // namespace minirt::kernels
