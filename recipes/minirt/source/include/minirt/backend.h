// Delegates: parts of a program that a backend executes as a whole. The registry of backends lives
// in the runtime library and nowhere else.
#pragma once

#include <minirt/api.h>
#include <minirt/kernel.h>
#include <minirt/tensor.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace minirt {

using Outputs = std::vector<Tensor*>;

// One part of a program, ready to run.
class MINIRT_API Delegate {
 public:
  virtual ~Delegate();
  virtual void execute(const Inputs& inputs, const Outputs& outputs) = 0;
};

class MINIRT_API Backend {
 public:
  virtual ~Backend();

  // Reads the blob that the program holds for this backend; it is untrusted, and is gone after the
  // call. Throws Error if it is damaged.
  virtual std::unique_ptr<Delegate> prepare(const unsigned char* blob, std::size_t size) const = 0;
};

// Called by a backend's library when it is loaded; both arguments must live as long as the process.
// A name that is already there ends the process.
MINIRT_API void register_backend(const char* name, const Backend* backend);

MINIRT_API std::size_t get_num_registered_backends();

// Throws Error if the index is not below the number of backends.
MINIRT_API const char* get_backend_name(std::size_t index);

// Null if no loaded library registered the name.
MINIRT_API const Backend* find_backend(const std::string& name);

}  // namespace minirt
