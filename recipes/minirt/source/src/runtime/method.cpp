#include "program_data.h"

#include <minirt/backend.h>
#include <minirt/error.h>
#include <minirt/program.h>

#include <utility>

namespace minirt {
namespace {

// An instruction with everything that it needs at hand.
struct Step {
  std::string name;
  KernelFunction kernel = nullptr;  // Null for a delegate.
  std::unique_ptr<Delegate> delegate;
  Attributes attributes;
  Inputs inputs;
  Outputs outputs;

  void run() const {
    if (delegate) {
      delegate->execute(inputs, outputs);
    } else {
      kernel(inputs, attributes, *outputs.front());
    }
  }
};

void bind_operation(Step& step, const Instruction& instruction) {
  step.name = instruction.operation;
  step.kernel = find_kernel(instruction.operation);
  if (step.kernel == nullptr) {
    throw Error("Missing operator: " + instruction.operation);
  }
}

void bind_delegate(Step& step, const DelegateBlob& blob) {
  step.name = blob.backend;
  const Backend* const backend = find_backend(blob.backend);
  if (backend == nullptr) {
    throw Error("backend '" + blob.backend + "' not registered");
  }
  step.delegate = backend->prepare(blob.bytes.data(), blob.bytes.size());
}

}  // namespace

struct Method::State {
  std::vector<Tensor> values;  // Never resized once steps point into it.
  std::vector<Step> steps;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> outputs;
};

Method::Method(const Program& program) : state_(std::make_unique<State>()) {
  const ProgramData& data = *program.data_;
  for (const Value& value : data.values) {
    if (value.kind == ValueKind::Input) {
      state_->inputs.push_back(state_->values.size());
    }
    state_->values.push_back(value.kind == ValueKind::Constant ? value.constant : Tensor(value.dtype, value.shape));
  }
  state_->outputs = data.outputs;
  for (const Instruction& instruction : data.instructions) {
    Step step;
    if (instruction.is_delegate) {
      bind_delegate(step, data.delegates[instruction.delegate]);
    } else {
      bind_operation(step, instruction);
    }
    step.attributes = instruction.attributes;
    for (const std::size_t index : instruction.inputs) {
      step.inputs.push_back(&state_->values[index]);
    }
    for (const std::size_t index : instruction.outputs) {
      step.outputs.push_back(&state_->values[index]);
    }
    state_->steps.push_back(std::move(step));
  }
}

Method::Method(Method&&) noexcept = default;

Method& Method::operator=(Method&&) noexcept = default;

Method::~Method() = default;

std::vector<Tensor> Method::execute(const std::vector<Tensor>& inputs, EventSink* events) {
  if (inputs.size() != state_->inputs.size()) {
    throw Error("the program takes " + std::to_string(state_->inputs.size()) + " inputs and was given " +
                std::to_string(inputs.size()));
  }
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    Tensor& slot = state_->values[state_->inputs[i]];
    if (inputs[i].dtype() != slot.dtype() || inputs[i].shape() != slot.shape()) {
      throw Error("input " + std::to_string(i) + " has not the type and shape that the program declares");
    }
    slot = inputs[i];
  }
  for (const Step& step : state_->steps) {
    const auto start = std::chrono::steady_clock::now();
    step.run();
    if (events != nullptr) {
      events->record(step.name, std::chrono::steady_clock::now() - start);
    }
  }
  std::vector<Tensor> outputs;
  for (const std::size_t index : state_->outputs) {
    outputs.push_back(state_->values[index]);
  }
  return outputs;
}

}  // namespace minirt
