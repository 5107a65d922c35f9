#include "../dense_chain.h"

#include <minirt/backend_blocked.h>
#include <minirt/threadpool.h>

#include <algorithm>
#include <utility>

namespace minirt {
namespace {

using detail::DenseLayer;

constexpr const char* kName = "BlockedBackend";

// Edge of a block: three blocks of floats fit a first-level cache of 48 KiB.
constexpr std::size_t kBlock = 64;

class BlockedChain final : public Delegate {
 public:
  explicit BlockedChain(std::vector<DenseLayer> layers) : layers_(std::move(layers)) {}

  void execute(const Inputs& inputs, const Outputs& outputs) override {
    const std::size_t rows =
        detail::chain_rows(inputs, outputs, layers_.front().inputs, layers_.back().outputs, kName);
    const float* const x = inputs[0]->data<float>();
    std::vector<float> current(x, x + inputs[0]->count());
    for (const DenseLayer& layer : layers_) {
      current = apply(layer, current, rows);
    }
    std::copy(current.begin(), current.end(), outputs[0]->data<float>());
  }

 private:
  static std::vector<float> apply(const DenseLayer& layer, const std::vector<float>& x, std::size_t rows) {
    std::vector<float> result;
    result.reserve(rows * layer.outputs);
    for (std::size_t row = 0; row < rows; ++row) {
      result.insert(result.end(), layer.bias.begin(), layer.bias.end());
    }
    blocked_matmul(x.data(), layer.weight.data(), result.data(), rows, layer.inputs, layer.outputs);
    if (layer.relu) {
      // A comparison that keeps NaN: a model that went wrong must show it.
      std::replace_if(result.begin(), result.end(), [](float value) { return value < 0; }, 0.0F);
    }
    return result;
  }

  std::vector<DenseLayer> layers_;
};

}  // namespace

void blocked_matmul(const float* a, const float* b, float* c, std::size_t m, std::size_t k, std::size_t n) {
  const std::size_t strips = (m + kBlock - 1) / kBlock;
  parallel_for(0, strips, 1, [=](std::size_t first, std::size_t last) {
    const std::size_t end_row = std::min(m, last * kBlock);
    for (std::size_t block_k = 0; block_k < k; block_k += kBlock) {
      const std::size_t end_k = std::min(k, block_k + kBlock);
      for (std::size_t block_n = 0; block_n < n; block_n += kBlock) {
        const std::size_t end_n = std::min(n, block_n + kBlock);
        for (std::size_t row = first * kBlock; row < end_row; ++row) {
          for (std::size_t inner = block_k; inner < end_k; ++inner) {
            const float factor = a[row * k + inner];
            for (std::size_t column = block_n; column < end_n; ++column) {
              c[row * n + column] += factor * b[inner * n + column];
            }
          }
        }
      }
    }
  });
}

std::unique_ptr<Delegate> BlockedBackend::prepare(const unsigned char* blob, std::size_t size) const {
  return std::make_unique<BlockedChain>(detail::read_dense_chain(blob, size, kName));
}

namespace {

const bool registered = [] {
  static const BlockedBackend backend;
  register_backend(kName, &backend);
  return true;
}();

}  // namespace

}  // namespace minirt
