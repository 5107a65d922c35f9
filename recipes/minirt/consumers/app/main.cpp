// Runs a program file on the inputs of a reference file and compares what comes out.
//
//   app --registry                  prints what the linked libraries registered
//   app MODEL REFERENCE TOLERANCE   does that too, then runs; prints the largest difference
//
// Exit codes say how far it came: 0 the outputs match, 2 usage or reference file, 3 loading the
// program, 4 finding its operators and delegates, 5 running it, 6 the outputs differ.
#include <minirt/backend.h>
#include <minirt/error.h>
#include <minirt/kernel.h>
#include <minirt/program.h>
#include <minirt/threadpool.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace {

enum Exit { kMatch = 0, kUsage = 2, kLoad = 3, kPrepare = 4, kExecute = 5, kMismatch = 6 };

void print_registry() {
  std::string names;
  for (std::size_t i = 0; i < minirt::get_num_registered_backends(); ++i) {
    names += (names.empty() ? "" : ",") + std::string(minirt::get_backend_name(i));
  }
  std::printf("backends=%zu [%s] kernels=%zu threads=%zu\n", minirt::get_num_registered_backends(), names.c_str(),
              minirt::get_registered_kernels().size(), minirt::get_thread_count());
}

// Streams do not read "nan" and "inf"; strtof does.
bool read_float(std::ifstream& file, float& value) {
  std::string word;
  if (!(file >> word)) {
    return false;
  }
  char* end = nullptr;
  value = std::strtof(word.c_str(), &end);
  return end != word.c_str() && *end == '\0';
}

// Reads `WORD count {rank dimensions... values...}`; false if the file says something else.
bool read_tensors(std::ifstream& file, const char* expected_word, std::vector<minirt::Tensor>& tensors) {
  std::string word;
  std::size_t count = 0;
  if (!(file >> word >> count) || word != expected_word) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t rank = 0;
    file >> rank;
    minirt::Shape shape(file ? rank : 0);
    for (std::size_t& dimension : shape) {
      file >> dimension;
    }
    std::vector<float> values(file ? minirt::count_elements(shape) : 0);
    for (float& value : values) {
      if (!read_float(file, value)) {
        return false;
      }
    }
    if (!file) {
      return false;
    }
    tensors.emplace_back(shape, values);
  }
  return true;
}

Exit compare(const std::vector<minirt::Tensor>& outputs, const std::vector<minirt::Tensor>& expected, double tolerance) {
  if (outputs.size() != expected.size()) {
    std::printf("mismatch: %zu outputs, expected %zu\n", outputs.size(), expected.size());
    return kMismatch;
  }
  double largest = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].shape() != expected[i].shape()) {
      std::printf("mismatch: output %zu has another shape\n", i);
      return kMismatch;
    }
    const float* const got = outputs[i].data<float>();
    const float* const want = expected[i].data<float>();
    for (std::size_t k = 0; k < outputs[i].count(); ++k) {
      const double difference = std::fabs(static_cast<double>(got[k]) - want[k]);
      // A NaN is no difference that could be compared, and must not pass for a small one.
      if (!std::isfinite(difference)) {
        std::printf("mismatch: output %zu is not finite at %zu\n", i, k);
        return kMismatch;
      }
      largest = std::max(largest, difference);
    }
  }
  std::printf("maxdiff=%.3g\n", largest);
  if (largest > tolerance) {
    std::printf("mismatch: more than %.3g\n", tolerance);
    return kMismatch;
  }
  return kMatch;
}

// Does one stage; empty, with the reason printed, if it throws.
template <typename Result>
std::optional<Result> attempt(const char* stage, const std::function<Result()>& action) {
  try {
    return action();
  } catch (const minirt::Error& error) {
    std::printf("%s: %s\n", stage, error.what());
    return std::nullopt;
  }
}

Exit run(const std::string& model, const std::string& reference, double tolerance) {
  std::ifstream file(reference);
  std::vector<minirt::Tensor> inputs;
  std::vector<minirt::Tensor> expected;
  if (!read_tensors(file, "inputs", inputs) || !read_tensors(file, "outputs", expected)) {
    std::printf("cannot read the reference %s\n", reference.c_str());
    return kUsage;
  }
  const auto program = attempt<minirt::Program>("load", [&] { return minirt::Program::load(model); });
  if (!program) {
    return kLoad;
  }
  auto method = attempt<minirt::Method>("prepare", [&] { return minirt::Method(*program); });
  if (!method) {
    return kPrepare;
  }
  const auto outputs = attempt<std::vector<minirt::Tensor>>("execute", [&] { return method->execute(inputs); });
  return outputs ? compare(*outputs, expected, tolerance) : kExecute;
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  if (arguments.size() == 1 && arguments[0] == "--registry") {
    print_registry();
    return kMatch;
  }
  if (arguments.size() != 3) {
    std::printf("usage: app MODEL REFERENCE TOLERANCE | app --registry\n");
    return kUsage;
  }
  print_registry();
  return run(arguments[0], arguments[1], std::atof(arguments[2].c_str()));
}
