// Makes a CUDA device the calling thread's current one while it lives.
#pragma once

#include "../cuda_status.h"

namespace minirt::detail {

class DeviceScope {
 public:
  explicit DeviceScope(int index) {
    require_cuda(cudaGetDevice(&before_), "finding the current device");
    if (index != before_) {
      require_cuda(cudaSetDevice(index), "choosing the device");
    }
  }
  DeviceScope(const DeviceScope&) = delete;
  DeviceScope& operator=(const DeviceScope&) = delete;
  ~DeviceScope() { static_cast<void>(cudaSetDevice(before_)); }

 private:
  int before_ = 0;
};

}  // namespace minirt::detail
