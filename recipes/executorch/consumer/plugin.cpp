// A library of operators by a user of the package: one operator, registered when it is loaded.
#include <executorch/extension/kernel_util/make_boxed_from_unboxed_functor.h>
#include <executorch/runtime/kernel/kernel_includes.h>

#include <algorithm>

namespace {

executorch::aten::Tensor& negate_out(executorch::runtime::KernelRuntimeContext&, const executorch::aten::Tensor& in,
                                     executorch::aten::Tensor& out) {
  const float* const values = in.const_data_ptr<float>();
  std::transform(values, values + in.numel(), out.mutable_data_ptr<float>(), [](float value) { return -value; });
  return out;
}

EXECUTORCH_LIBRARY(plugin, "negate.out", negate_out);

} // namespace
