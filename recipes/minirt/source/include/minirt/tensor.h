// A dense tensor in row-major order.
#pragma once

#include <minirt/api.h>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace minirt {

enum class DType : std::uint8_t { Float32 = 0, Int8 = 1 };

// Bytes that one element takes.
MINIRT_API std::size_t element_size(DType dtype);

using Shape = std::vector<std::size_t>;

// Product of the dimensions; throws Error if it does not fit.
MINIRT_API std::size_t count_elements(const Shape& shape);

namespace detail {
template <typename T>
struct TypeOf;
template <>
struct TypeOf<float> {
  static constexpr DType value = DType::Float32;
};
template <>
struct TypeOf<std::int8_t> {
  static constexpr DType value = DType::Int8;
};
}  // namespace detail

// Owns its elements; copying copies them.
class MINIRT_API Tensor {
 public:
  Tensor() = default;

  // Elements are zero.
  Tensor(DType dtype, Shape shape);

  // Throws Error if the number of values is not that of the shape.
  Tensor(Shape shape, const std::vector<float>& values);

  DType dtype() const { return dtype_; }
  const Shape& shape() const { return shape_; }
  std::size_t count() const { return storage_.size() / element_size(dtype_); }
  std::size_t byte_size() const { return storage_.size(); }
  unsigned char* bytes() { return storage_.data(); }
  const unsigned char* bytes() const { return storage_.data(); }

  // Throws Error if T is not the element type.
  template <typename T>
  T* data() {
    require(detail::TypeOf<T>::value);
    return reinterpret_cast<T*>(storage_.data());
  }
  template <typename T>
  const T* data() const {
    require(detail::TypeOf<T>::value);
    return reinterpret_cast<const T*>(storage_.data());
  }

 private:
  void require(DType dtype) const;

  DType dtype_ = DType::Float32;
  Shape shape_ = {0};
  std::vector<unsigned char> storage_;
};

}  // namespace minirt
