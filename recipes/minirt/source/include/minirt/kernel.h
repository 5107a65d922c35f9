// The registry of operators. It lives in the runtime library and nowhere else.
#pragma once

#include <minirt/api.h>
#include <minirt/tensor.h>

#include <cstddef>
#include <string>
#include <vector>

namespace minirt {

using Inputs = std::vector<const Tensor*>;
using Attributes = std::vector<float>;

// Computes one operator. The output has the type and shape that the program declares: the kernel
// checks that they suit and throws Error otherwise.
using KernelFunction = void (*)(const Inputs& inputs, const Attributes& attributes, Tensor& output);

struct Kernel {
  const char* name;  // Must live as long as the process.
  KernelFunction function;
};

// Called by a library of kernels when it is loaded. A name that is already there ends the process:
// two libraries that claim an operator cannot both be right, and nobody catches an exception here.
MINIRT_API void register_kernels(const Kernel* kernels, std::size_t count);

// In the order of registration.
MINIRT_API std::vector<Kernel> get_registered_kernels();

// Null if no loaded library registered the name.
MINIRT_API KernelFunction find_kernel(const std::string& name);

// Registers in its constructor: a library of kernels has one, of static lifetime.
class KernelRegistration {
 public:
  template <std::size_t Count>
  explicit KernelRegistration(const Kernel (&kernels)[Count]) {
    register_kernels(kernels, Count);
  }
};

}  // namespace minirt
