// Sums are exact integers and everything else is double, rounded once: results are the same on
// every processor.
#include <minirt/error.h>
#include <minirt/kernels_quantized.h>
#include <minirt/threadpool.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace minirt::kernels {
namespace {

// Work, in multiplications, below which another thread costs more than it brings.
constexpr std::size_t kSmallestShare = 32768;

// Longest row whose sum of products still fits 32 bits.
constexpr std::size_t kLongestRow = 1 << 15;

void require(bool condition, const char* message) {
  if (!condition) {
    throw Error(message);
  }
}

std::int32_t zero_point(float attribute) {
  require(attribute >= -128 && attribute <= 127 && attribute == std::nearbyint(attribute),
          "a zero point must be a whole number in [-128, 127]");
  return static_cast<std::int32_t>(attribute);
}

double scale(float attribute) {
  require(std::isfinite(attribute) && attribute > 0, "a scale must be positive and finite");
  return attribute;
}

// Rounds half to even; NaN becomes the smallest value.
std::int8_t to_int8(double value) {
  return static_cast<std::int8_t>(std::min(127.0, std::max(-128.0, std::nearbyint(value))));
}

}  // namespace

void quantize(const Inputs& inputs, const Attributes& attributes, Tensor& output) {
  require(inputs.size() == 1 && attributes.size() == 2, "quantize: takes x; scale, zero point");
  require(inputs[0]->shape() == output.shape(), "quantize: the shapes do not suit");
  const double step = scale(attributes[0]);
  const std::int32_t zero = zero_point(attributes[1]);
  const float* const x = inputs[0]->data<float>();
  std::transform(x, x + output.count(), output.data<std::int8_t>(),
                 [=](float value) { return to_int8(value / step + zero); });
}

void dequantize(const Inputs& inputs, const Attributes& attributes, Tensor& output) {
  require(inputs.size() == 1 && attributes.size() == 2, "dequantize: takes x; scale, zero point");
  require(inputs[0]->shape() == output.shape(), "dequantize: the shapes do not suit");
  const double step = scale(attributes[0]);
  const std::int32_t zero = zero_point(attributes[1]);
  const std::int8_t* const x = inputs[0]->data<std::int8_t>();
  std::transform(x, x + output.count(), output.data<float>(),
                 [=](std::int8_t value) { return static_cast<float>((value - zero) * step); });
}

void linear_q8(const Inputs& inputs, const Attributes& attributes, Tensor& output) {
  require(inputs.size() == 3 && attributes.size() == 5 && inputs[0]->shape().size() == 2,
          "linear_q8: takes x, weight, bias; two scales and zero points and the weight's scale");
  const std::size_t m = inputs[0]->shape()[0];
  const std::size_t k = inputs[0]->shape()[1];
  const std::size_t n = inputs[2]->count();
  require(inputs[1]->shape() == Shape{n, k} && output.shape() == Shape{m, n} && k < kLongestRow,
          "linear_q8: the shapes do not suit");
  const std::int32_t zero_in = zero_point(attributes[1]);
  const std::int32_t zero_out = zero_point(attributes[4]);
  const double step_of_sum = scale(attributes[0]) * scale(attributes[2]);
  const double step_out = scale(attributes[3]);
  const std::int8_t* const x = inputs[0]->data<std::int8_t>();
  const std::int8_t* const weight = inputs[1]->data<std::int8_t>();
  const float* const bias = inputs[2]->data<float>();
  std::int8_t* const out = output.data<std::int8_t>();
  parallel_for(0, m, kSmallestShare / std::max<std::size_t>(1, k * n) + 1, [=](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      for (std::size_t column = 0; column < n; ++column) {
        std::int32_t sum = 0;
        for (std::size_t i = 0; i < k; ++i) {
          sum += (x[row * k + i] - zero_in) * weight[column * k + i];
        }
        out[row * n + column] = to_int8((sum * step_of_sum + bias[column]) / step_out + zero_out);
      }
    }
  });
}

namespace {

constexpr Kernel kKernels[] = {
    {"dequantize", dequantize},
    {"linear_q8", linear_q8},
    {"quantize", quantize},
};

const KernelRegistration registration(kKernels);

}  // namespace

}  // namespace minirt::kernels
