#include "../byte_reader.h"

#include <minirt/backend_blocked.h>
#include <minirt/error.h>
#include <minirt/threadpool.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace minirt {
namespace {

// Edge of a block: three blocks of floats fit a first-level cache of 48 KiB.
constexpr std::size_t kBlock = 64;

struct Layer {
  std::size_t inputs;
  std::size_t outputs;
  bool relu;
  std::vector<float> weight;  // [inputs, outputs]
  std::vector<float> bias;    // [outputs]
};

class DenseChain final : public Delegate {
 public:
  explicit DenseChain(std::vector<Layer> layers) : layers_(std::move(layers)) {}

  void execute(const Inputs& inputs, const Outputs& outputs) override {
    if (inputs.size() != 1 || outputs.size() != 1 || inputs[0]->shape().size() != 2) {
      throw Error("BlockedBackend: a chain takes one matrix and gives one");
    }
    const std::size_t rows = inputs[0]->shape()[0];
    if (inputs[0]->shape()[1] != layers_.front().inputs || outputs[0]->shape() != Shape{rows, layers_.back().outputs}) {
      throw Error("BlockedBackend: the shapes do not suit");
    }
    const float* const x = inputs[0]->data<float>();
    std::vector<float> current(x, x + inputs[0]->count());
    for (const Layer& layer : layers_) {
      current = apply(layer, current, rows);
    }
    std::copy(current.begin(), current.end(), outputs[0]->data<float>());
  }

 private:
  static std::vector<float> apply(const Layer& layer, const std::vector<float>& x, std::size_t rows) {
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

  std::vector<Layer> layers_;
};

std::vector<float> read_floats(detail::ByteReader& reader, std::size_t count) {
  if (count > reader.remaining() / sizeof(float)) {
    reader.fail("a layer is larger than what is left");
  }
  std::vector<float> values(count);
  if (count != 0) {
    std::memcpy(values.data(), reader.take(count * sizeof(float)), count * sizeof(float));
  }
  return values;
}

Layer read_layer(detail::ByteReader& reader) {
  Layer layer{};
  layer.inputs = reader.u32();
  layer.outputs = reader.u32();
  const std::uint32_t activation = reader.u32();
  if (activation > 1) {
    reader.fail("a layer has the unknown activation " + std::to_string(activation));
  }
  layer.relu = activation == 1;
  // Two 32-bit factors: their product fits std::size_t.
  layer.weight = read_floats(reader, layer.inputs * layer.outputs);
  layer.bias = read_floats(reader, layer.outputs);
  return layer;
}

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
  detail::ByteReader reader(blob, size, "the BlockedBackend blob");
  std::vector<Layer> layers;
  const std::size_t count = reader.count(3 * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < count; ++i) {
    layers.push_back(read_layer(reader));
    if (i != 0 && layers[i].inputs != layers[i - 1].outputs) {
      reader.fail("layer " + std::to_string(i) + " does not take what the layer before gives");
    }
  }
  if (layers.empty()) {
    reader.fail("it has no layers");
  }
  reader.finish();
  return std::make_unique<DenseChain>(std::move(layers));
}

namespace {

const bool registered = [] {
  static const BlockedBackend backend;
  register_backend("BlockedBackend", &backend);
  return true;
}();

}  // namespace

}  // namespace minirt
