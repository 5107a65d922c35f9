// Loading a program file (docs/format.md) and running it.
#pragma once

#include <minirt/api.h>
#include <minirt/tensor.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace minirt {

// Receives the time that each operator takes; see minirt/profiler.h for one that adds them up.
class MINIRT_API EventSink {
 public:
  virtual ~EventSink();
  virtual void record(const std::string& name, std::chrono::nanoseconds duration) = 0;
};

struct ProgramData;

// A program file, checked from the first byte to the last. Copies share it.
class MINIRT_API Program {
 public:
  // Throws Error if the file cannot be read or is damaged.
  static Program load(const std::string& path);

  // Throws Error if the bytes are not a whole, consistent program.
  static Program parse(const unsigned char* bytes, std::size_t size);

  // What the program takes, in order.
  std::vector<Shape> input_shapes() const;

 private:
  friend class Method;
  explicit Program(std::shared_ptr<const ProgramData> data);

  std::shared_ptr<const ProgramData> data_;
};

// A program with its operators and delegates found and its memory reserved. One thread at a time
// may execute it.
class MINIRT_API Method {
 public:
  // Throws Error, "Missing operator: NAME" or "backend 'NAME' not registered", if no loaded library
  // registered what the program needs.
  explicit Method(const Program& program);
  Method(Method&&) noexcept;
  Method& operator=(Method&&) noexcept;
  ~Method();

  // Throws Error if the inputs are not of the declared number, types and shapes.
  std::vector<Tensor> execute(const std::vector<Tensor>& inputs, EventSink* events = nullptr);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace minirt
