// The 8-bit operators. Linking minirt::kernels_quantized registers them; they can be called too.
// A quantized value q stands for (q - zero_point) * scale.
#pragma once

#include <minirt/api.h>
#include <minirt/kernel.h>

namespace minirt::kernels {

// float -> int8; attributes: scale, zero_point. Rounds half to even and clamps to [-128, 127].
MINIRT_API void quantize(const Inputs& inputs, const Attributes& attributes, Tensor& output);

// int8 -> float; attributes: scale, zero_point.
MINIRT_API void dequantize(const Inputs& inputs, const Attributes& attributes, Tensor& output);

// x int8 [m, k], weight int8 [n, k] with zero point 0, bias float [n] -> int8 [m, n]; attributes:
// scale and zero_point of x, scale of the weight, scale and zero_point of the output. An output
// zero point of -128 clamps at zero, which is a fused relu.
MINIRT_API void linear_q8(const Inputs& inputs, const Attributes& attributes, Tensor& output);

}  // namespace minirt::kernels
