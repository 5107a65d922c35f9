#include <minirt/error.h>
#include <minirt/tensor.h>

#include <cstring>
#include <limits>
#include <utility>

namespace minirt {

std::size_t element_size(DType dtype) { return dtype == DType::Float32 ? sizeof(float) : sizeof(std::int8_t); }

std::size_t count_elements(const Shape& shape) {
  std::size_t count = 1;
  for (const std::size_t dimension : shape) {
    if (dimension != 0 && count > std::numeric_limits<std::size_t>::max() / sizeof(float) / dimension) {
      throw Error("a tensor has more elements than memory can hold");
    }
    count *= dimension;
  }
  return count;
}

Tensor::Tensor(DType dtype, Shape shape)
    : dtype_(dtype), shape_(std::move(shape)), storage_(count_elements(shape_) * element_size(dtype)) {}

Tensor::Tensor(Shape shape, const std::vector<float>& values) : Tensor(DType::Float32, std::move(shape)) {
  if (values.size() != count()) {
    throw Error("a tensor of " + std::to_string(count()) + " elements was given " + std::to_string(values.size()) +
                " values");
  }
  if (!values.empty()) {
    std::memcpy(storage_.data(), values.data(), storage_.size());
  }
}

void Tensor::require(DType dtype) const {
  if (dtype != dtype_) {
    throw Error(dtype == DType::Float32 ? "a tensor of int8 was used as float" : "a tensor of float was used as int8");
  }
}

}  // namespace minirt
