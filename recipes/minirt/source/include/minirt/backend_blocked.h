// A delegate for chains of dense layers on the CPU. Linking minirt::backend_blocked registers it
// under the name "BlockedBackend".
#pragma once

#include <minirt/api.h>
#include <minirt/backend.h>

#include <cstddef>
#include <memory>

namespace minirt {

// c += a b for a [m, k], b [k, n], c [m, n] in row-major order, in blocks that fit the cache.
MINIRT_API void blocked_matmul(const float* a, const float* b, float* c, std::size_t m, std::size_t k, std::size_t n);

class MINIRT_API BlockedBackend final : public Backend {
 public:
  // The blob is described in docs/format.md.
  std::unique_ptr<Delegate> prepare(const unsigned char* blob, std::size_t size) const override;
};

}  // namespace minirt
