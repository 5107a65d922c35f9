#include <minirt/error.h>

namespace minirt {

Error::Error(const std::string& message) : std::runtime_error(message) {}

Error::~Error() = default;

}  // namespace minirt
