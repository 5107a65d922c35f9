// The one exception that minirt throws.
#pragma once

#include <minirt/api.h>

#include <stdexcept>
#include <string>

namespace minirt {

// Says what is wrong with a program file, its inputs or the libraries that are loaded.
class MINIRT_API Error : public std::runtime_error {
 public:
  explicit Error(const std::string& message);
  Error(const Error&) = default;
  Error& operator=(const Error&) = default;
  ~Error() override;  // Defined in the runtime, so that every library catches one and the same type.
};

}  // namespace minirt
