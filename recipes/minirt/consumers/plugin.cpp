// A library of operators by a user of the package: one operator, registered when it is loaded.
#include <minirt/error.h>
#include <minirt/kernel.h>

#include <algorithm>

namespace {

void negate(const minirt::Inputs& inputs, const minirt::Attributes&, minirt::Tensor& output) {
  if (inputs.size() != 1 || inputs[0]->shape() != output.shape()) {
    throw minirt::Error("plugin.negate takes one tensor of its output's shape");
  }
  const float* const values = inputs[0]->data<float>();
  std::transform(values, values + inputs[0]->count(), output.data<float>(), [](float value) { return -value; });
}

const minirt::Kernel kernels[] = {{"plugin.negate", negate}};
const minirt::KernelRegistration registration(kernels);

}  // namespace
