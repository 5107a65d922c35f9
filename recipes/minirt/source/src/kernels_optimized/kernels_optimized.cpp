#include <minirt/error.h>
#include <minirt/kernels_optimized.h>
#include <minirt/threadpool.h>

#include <algorithm>
#include <cmath>

namespace minirt::kernels {
namespace {

// Work, in multiplications, below which another thread costs more than it brings.
constexpr std::size_t kSmallestShare = 16384;

void require(bool condition, const char* message) {
  if (!condition) {
    throw Error(message);
  }
}

// Whether `row` is x's shape without its first dimensions, so that it repeats along them.
bool repeats_along(const Shape& x, const Shape& row) {
  return row.size() <= x.size() && std::equal(row.rbegin(), row.rend(), x.rbegin());
}

template <typename Operation>
void elementwise(const Inputs& inputs, Tensor& output, const char* fault, Operation operation) {
  require(inputs.size() == 2 && output.shape() == inputs[0]->shape() &&
              repeats_along(inputs[0]->shape(), inputs[1]->shape()),
          fault);
  const float* const x = inputs[0]->data<float>();
  const float* const y = inputs[1]->data<float>();
  float* const out = output.data<float>();
  const std::size_t row = inputs[1]->count();
  for (std::size_t start = 0; start < output.count(); start += row) {
    for (std::size_t i = 0; i < row; ++i) {
      out[start + i] = operation(x[start + i], y[i]);
    }
  }
}

}  // namespace

void add(const Inputs& inputs, const Attributes&, Tensor& output) {
  elementwise(inputs, output, "add: the shapes do not suit", [](float x, float y) { return x + y; });
}

void mul(const Inputs& inputs, const Attributes&, Tensor& output) {
  elementwise(inputs, output, "mul: the shapes do not suit", [](float x, float y) { return x * y; });
}

void relu(const Inputs& inputs, const Attributes&, Tensor& output) {
  require(inputs.size() == 1 && output.shape() == inputs[0]->shape(), "relu: the shapes do not suit");
  const float* const x = inputs[0]->data<float>();
  // A comparison that keeps NaN: a model that went wrong must show it.
  std::transform(x, x + output.count(), output.data<float>(), [](float value) { return value < 0 ? 0 : value; });
}

void matmul(const Inputs& inputs, const Attributes&, Tensor& output) {
  require(inputs.size() == 2 && inputs[0]->shape().size() == 2 && inputs[1]->shape().size() == 2,
          "matmul: takes two matrices");
  const std::size_t m = inputs[0]->shape()[0];
  const std::size_t k = inputs[0]->shape()[1];
  const std::size_t n = inputs[1]->shape()[1];
  require(inputs[1]->shape()[0] == k && output.shape() == Shape{m, n}, "matmul: the shapes do not suit");
  const float* const a = inputs[0]->data<float>();
  const float* const b = inputs[1]->data<float>();
  float* const out = output.data<float>();
  parallel_for(0, m, kSmallestShare / std::max<std::size_t>(1, k * n) + 1, [=](std::size_t first, std::size_t last) {
    for (std::size_t row = first; row < last; ++row) {
      float* const sums = out + row * n;
      std::fill(sums, sums + n, 0.0F);
      for (std::size_t inner = 0; inner < k; ++inner) {
        const float factor = a[row * k + inner];
        for (std::size_t column = 0; column < n; ++column) {
          sums[column] += factor * b[inner * n + column];
        }
      }
    }
  });
}

void softmax(const Inputs& inputs, const Attributes&, Tensor& output) {
  require(inputs.size() == 1 && output.shape() == inputs[0]->shape() && !output.shape().empty(),
          "softmax: the shapes do not suit");
  const float* const x = inputs[0]->data<float>();
  float* const out = output.data<float>();
  const std::size_t row = output.shape().back();
  for (std::size_t start = 0; start < output.count(); start += row) {
    // The largest exponent is taken out, so that none overflows.
    const float largest = *std::max_element(x + start, x + start + row);
    float sum = 0;
    for (std::size_t i = start; i < start + row; ++i) {
      out[i] = std::exp(x[i] - largest);
      sum += out[i];
    }
    for (std::size_t i = start; i < start + row; ++i) {
      out[i] /= sum;
    }
  }
}

namespace {

constexpr Kernel kKernels[] = {
    {"add", add}, {"matmul", matmul}, {"mul", mul}, {"relu", relu}, {"softmax", softmax},
};

const KernelRegistration registration(kKernels);

}  // namespace

}  // namespace minirt::kernels
