// A program file, read.
#pragma once

#include <minirt/kernel.h>
#include <minirt/tensor.h>

#include <cstddef>
#include <string>
#include <vector>

namespace minirt {

enum class ValueKind : unsigned char { Input = 0, Constant = 1, Computed = 2 };

struct Value {
  ValueKind kind;
  DType dtype;
  Shape shape;
  Tensor constant;  // Empty unless the kind is Constant.
};

struct DelegateBlob {
  std::string backend;
  std::vector<unsigned char> bytes;
};

// Either one operator, or a delegate as a whole.
struct Instruction {
  bool is_delegate;
  std::string operation;     // Name of the operator.
  std::size_t delegate = 0;  // Index of the blob.
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> outputs;
  Attributes attributes;
};

struct ProgramData {
  std::vector<Value> values;
  std::vector<DelegateBlob> delegates;
  std::vector<Instruction> instructions;
  std::vector<std::size_t> outputs;
};

}  // namespace minirt
