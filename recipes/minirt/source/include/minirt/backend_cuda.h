// A delegate for chains of dense layers on a CUDA device. Linking minirt::backend_cuda registers it
// under the name "CudaBackend", and the allocator of CUDA memory (minirt/device.h). Work runs on the
// stream of minirt/extension_cuda.h. Needs no CUDA toolkit.
#pragma once

#include <minirt/api.h>
#include <minirt/backend.h>

#include <cstddef>
#include <memory>

namespace minirt {

class MINIRT_API CudaBackend final : public Backend {
 public:
  // The blob is described in docs/format.md. Weights go to the CUDA device that is current, and the
  // delegate runs there. Throws Error, with "no CUDA device", on a machine that has none.
  std::unique_ptr<Delegate> prepare(const unsigned char* blob, std::size_t size) const override;
};

}  // namespace minirt
