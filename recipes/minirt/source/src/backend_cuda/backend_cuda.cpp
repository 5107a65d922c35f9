#include "../dense_chain.h"
#include "device_scope.h"

#include <minirt/backend_cuda.h>
#include <minirt/device.h>
#include <minirt/extension_cuda.h>
#include <minirt/kernels_cuda.h>

#include <algorithm>
#include <utility>

namespace minirt {
namespace {

using detail::DenseLayer;
using detail::require_cuda;

constexpr const char* kName = "CudaBackend";

// Floats on a device, taken from and given back to the allocator that owns its memory.
class DeviceFloats {
 public:
  DeviceFloats(Device device, std::size_t count)
      : device_(device), count_(count), allocator_(*find_allocator(device.type)) {
    if (count != 0) {
      memory_ = static_cast<float*>(allocator_.allocate(device.index, count * sizeof(float)));
    }
  }
  DeviceFloats(Device device, const std::vector<float>& values) : DeviceFloats(device, values.size()) {
    copy(memory_, device, values.data(), Device{}, values.size() * sizeof(float));
  }
  DeviceFloats(DeviceFloats&& other) noexcept
      : device_(other.device_),
        count_(std::exchange(other.count_, 0)),
        allocator_(other.allocator_),
        memory_(std::exchange(other.memory_, nullptr)) {}
  DeviceFloats& operator=(DeviceFloats&&) = delete;
  ~DeviceFloats() {
    if (memory_ != nullptr) {
      allocator_.deallocate(device_.index, memory_);
    }
  }

  float* data() const { return memory_; }
  std::size_t count() const { return count_; }

 private:
  Device device_;
  std::size_t count_;
  DeviceAllocator& allocator_;
  float* memory_ = nullptr;
};

// The calling thread's current device.
Device current_device() {
  int driver = 0;
  require_cuda(cudaDriverGetVersion(&driver), "finding the driver");
  if (driver == 0) {
    throw Error(std::string(kName) + ": no CUDA device: the machine has no NVIDIA driver");
  }
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status == cudaErrorNoDevice || (status == cudaSuccess && count == 0)) {
    static_cast<void>(cudaGetLastError());  // As in require_cuda.
    throw Error(std::string(kName) + ": no CUDA device: the driver knows of none");
  }
  // A driver that is too old for the runtime says so here.
  require_cuda(status, "counting the devices");
  Device device{DeviceType::Cuda, 0};
  require_cuda(cudaGetDevice(&device.index), "finding the current device");
  return device;
}

struct DeviceLayer {
  DeviceLayer(Device device, const DenseLayer& layer)
      : inputs(layer.inputs),
        outputs(layer.outputs),
        activation(layer.relu ? cuda::Activation::Relu : cuda::Activation::None),
        weight(device, layer.weight),
        bias(device, layer.bias) {}

  std::size_t inputs;
  std::size_t outputs;
  cuda::Activation activation;
  DeviceFloats weight;
  DeviceFloats bias;
};

class CudaChain final : public Delegate {
 public:
  CudaChain(Device device, const std::vector<DenseLayer>& layers) : device_(device) {
    for (const DenseLayer& layer : layers) {
      layers_.emplace_back(device, layer);
    }
  }

  void execute(const Inputs& inputs, const Outputs& outputs) override {
    const std::size_t rows =
        detail::chain_rows(inputs, outputs, layers_.front().inputs, layers_.back().outputs, kName);
    const detail::DeviceScope scope(device_.index);
    reserve(rows);
    const float* source = buffers_[0].data();
    copy(buffers_[0].data(), device_, inputs[0]->data<float>(), Device{}, inputs[0]->byte_size());
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const DeviceLayer& layer = layers_[i];
      float* const target = buffers_[(i + 1) % 2].data();
      cuda::dense(source, layer.weight.data(), layer.bias.data(), target, rows, layer.inputs, layer.outputs,
                  layer.activation, current_cuda_stream());
      source = target;
    }
    copy(outputs[0]->data<float>(), Device{}, source, device_, outputs[0]->byte_size());
  }

 private:
  // Two buffers, each of which holds what any layer takes or gives; kept for the next execution.
  void reserve(std::size_t rows) {
    std::size_t widest = layers_.front().inputs;
    for (const DeviceLayer& layer : layers_) {
      widest = std::max(widest, layer.outputs);
    }
    const std::size_t count = count_elements({rows, widest});
    if (buffers_.size() < 2 || buffers_[0].count() < count) {
      buffers_.clear();
      buffers_.emplace_back(device_, count);
      buffers_.emplace_back(device_, count);
    }
  }

  Device device_;
  std::vector<DeviceLayer> layers_;
  std::vector<DeviceFloats> buffers_;
};

}  // namespace

std::unique_ptr<Delegate> CudaBackend::prepare(const unsigned char* blob, std::size_t size) const {
  const std::vector<DenseLayer> layers = detail::read_dense_chain(blob, size, kName);
  return std::make_unique<CudaChain>(current_device(), layers);
}

namespace {

const bool registered = [] {
  static const CudaBackend backend;
  register_backend(kName, &backend);
  return true;
}();

}  // namespace

}  // namespace minirt
