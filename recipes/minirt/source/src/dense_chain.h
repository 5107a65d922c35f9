// Chains of dense layers, which all delegates of minirt compute: the blob of docs/format.md, read,
// and what a chain takes and gives.
#pragma once

#include "byte_reader.h"

#include <minirt/backend.h>
#include <minirt/error.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <vector>

namespace minirt::detail {

struct DenseLayer {
  std::size_t inputs;
  std::size_t outputs;
  bool relu;
  std::vector<float> weight;  // [inputs, outputs]
  std::vector<float> bias;    // [outputs]
};

inline std::vector<float> read_floats(ByteReader& reader, std::size_t count) {
  if (count > reader.remaining() / sizeof(float)) {
    reader.fail("a layer is larger than what is left");
  }
  std::vector<float> values(count);
  if (count != 0) {
    std::memcpy(values.data(), reader.take(count * sizeof(float)), count * sizeof(float));
  }
  return values;
}

inline DenseLayer read_dense_layer(ByteReader& reader) {
  DenseLayer layer{};
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

// At least one layer, each of which takes what the layer before gives; throws Error if the blob is
// damaged. `backend` names it in messages.
inline std::vector<DenseLayer> read_dense_chain(const unsigned char* blob, std::size_t size,
                                                const std::string& backend) {
  const std::string what = "the " + backend + " blob";
  ByteReader reader(blob, size, what.c_str());
  std::vector<DenseLayer> layers;
  const std::size_t count = reader.count(3 * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < count; ++i) {
    layers.push_back(read_dense_layer(reader));
    if (i != 0 && layers[i].inputs != layers[i - 1].outputs) {
      reader.fail("layer " + std::to_string(i) + " does not take what the layer before gives");
    }
  }
  if (layers.empty()) {
    reader.fail("it has no layers");
  }
  reader.finish();
  return layers;
}

// The rows of the one matrix that goes in; throws Error unless it and what comes out suit the chain.
inline std::size_t chain_rows(const Inputs& inputs, const Outputs& outputs, std::size_t first_inputs,
                              std::size_t last_outputs, const std::string& backend) {
  if (inputs.size() != 1 || outputs.size() != 1 || inputs[0]->shape().size() != 2) {
    throw Error(backend + ": a chain takes one matrix and gives one");
  }
  const std::size_t rows = inputs[0]->shape()[0];
  if (inputs[0]->shape()[1] != first_inputs || outputs[0]->shape() != Shape{rows, last_outputs}) {
    throw Error(backend + ": the shapes do not suit");
  }
  return rows;
}

}  // namespace minirt::detail
