// Calls a function of the process-wide table by name, on arguments from a JSON file, and compares.
//
//   app CALL REFERENCE TOLERANCE
//
// CALL is {"function": NAME, "arguments": [...]}, REFERENCE holds the number that must come out.
// The program adds "app.dot" to the table, which libtvm_ffi.so owns; all other functions are that
// library's.  Exit codes say how far it came: 0 the result matches, 2 usage or a file, 3 finding
// the function, 4 calling it, 5 the result differs.
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/array.h>
#include <tvm/ffi/container/map.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/function.h>
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/string.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

namespace ffi = tvm::ffi;

namespace {

enum Exit { kMatch = 0, kUsage = 2, kFind = 3, kCall = 4, kMismatch = 5 };

double dot(const ffi::Array<double>& left, const ffi::Array<double>& right) {
  if (left.size() != right.size()) {
    TVM_FFI_THROW(ValueError) << "app.dot: " << left.size() << " and " << right.size() << " numbers";
  }
  double sum = 0;
  for (std::size_t i = 0; i < left.size(); ++i) {
    sum += left[i] * right[i];
  }
  return sum;
}

TVM_FFI_STATIC_INIT_BLOCK() { ffi::reflection::GlobalDef().def("app.dot", dot); }

std::string read(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

int run(const char* call_file, double expected, double tolerance) {
  const auto call = ffi::json::Parse(read(call_file)).cast<ffi::json::Object>();
  const auto name = call["function"].cast<ffi::String>();
  const auto arguments = call["arguments"].cast<ffi::json::Array>();
  const std::optional<ffi::Function> function = ffi::Function::GetGlobal(name);
  if (!function) {
    std::printf("no global function '%s'\n", name.c_str());
    return kFind;
  }
  const std::vector<ffi::AnyView> views(arguments.begin(), arguments.end());
  ffi::Any result;
  function->CallPacked(views.data(), static_cast<std::int32_t>(views.size()), &result);
  const auto difference = std::fabs(result.cast<double>() - expected);
  std::printf("%s: difference %g\n", name.c_str(), difference);
  if (!(difference <= tolerance)) {  // also when it is not a number
    std::printf("mismatch: more than %g\n", tolerance);
    return kMismatch;
  }
  return kMatch;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: app CALL REFERENCE TOLERANCE\n");
    return kUsage;
  }
  const std::string reference = read(argv[2]);
  char* end = nullptr;
  const double expected = std::strtod(reference.c_str(), &end);
  if (end == reference.c_str()) {
    std::fprintf(stderr, "%s holds no number\n", argv[2]);
    return kUsage;
  }
  try {
    return run(argv[1], expected, std::atof(argv[3]));
  } catch (const ffi::Error& error) {
    std::printf("%s: %s\n", error.kind().c_str(), error.message().c_str());
    return kCall;
  }
}
