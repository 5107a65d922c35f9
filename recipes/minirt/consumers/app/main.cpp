// Runs a program file on the inputs of a reference file and compares what comes out.
//
//   app --registry                  prints what the linked libraries registered
//   app MODEL REFERENCE TOLERANCE   does that too, then runs; prints the largest difference
//   app --outputs MODEL REFERENCE   runs, and prints the bits of the outputs alone
//   app --threads MODEL REFERENCE   loops with parallel_for, then runs; prints which threads there are
//   app --operators [LIBRARY]       prints the names of all operators, a line each, with LIBRARY loaded
//   app --duplicate                 registers an operator twice, which ends the process
//
// Exit codes say how far it came: 0 the outputs match, 2 usage or reference file, 3 loading the
// program, 4 finding its operators and delegates, 5 running it, 6 the outputs differ.
#include <minirt/backend.h>
#include <minirt/error.h>
#include <minirt/kernel.h>
#include <minirt/program.h>
#include <minirt/threadpool.h>

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
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

using Use = std::function<Exit(const std::vector<minirt::Tensor>& outputs, const std::vector<minirt::Tensor>& expected)>;

// Runs the model on the reference's inputs and gives what comes out, and what should, to `use`.
Exit run(const std::string& model, const std::string& reference, const Use& use) {
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
  return outputs ? use(*outputs, expected) : kExecute;
}

// A line for each output: its shape, then the bits of its floats, so that equal lines are equal numbers.
Exit print_bits(const std::vector<minirt::Tensor>& outputs) {
  for (const minirt::Tensor& output : outputs) {
    for (const std::size_t dimension : output.shape()) {
      std::printf("%zu ", dimension);
    }
    std::printf(":");
    for (std::size_t i = 0; i < output.count(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, output.data<float>() + i, sizeof bits);
      std::printf(" %08x", bits);
    }
    std::printf("\n");
  }
  return kMatch;
}

// How many threads share a loop: each piece waits until as many are at work as the pool says that it
// has, or for a second, so that a quick one does not take the pieces of the others.
std::size_t threads_of_a_loop() {
  constexpr std::size_t kIndices = 1024;
  const std::size_t pool = minirt::get_thread_count();
  std::mutex mutex;
  std::condition_variable arrived;
  std::set<std::thread::id> threads;
  minirt::parallel_for(0, kIndices, 1, [&](std::size_t, std::size_t) {
    std::unique_lock<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
    arrived.notify_all();
    arrived.wait_for(lock, std::chrono::seconds(1), [&] { return threads.size() >= pool; });
  });
  return threads.size();
}

// Threads of this process (proc(5)).
std::ptrdiff_t count_tasks() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

Exit print_threads(const std::string& model, const std::string& reference) {
  const std::size_t sharing = threads_of_a_loop();
  const Exit ran = run(model, reference, [](const auto&, const auto&) { return kMatch; });
  std::printf("threads=%zu tasks=%td\n", sharing, count_tasks());
  return ran;
}

Exit print_operators(const char* library) {
  if (library != nullptr && dlopen(library, RTLD_NOW) == nullptr) {
    std::printf("cannot load: %s\n", dlerror());
    return kLoad;
  }
  for (const minirt::Kernel& kernel : minirt::get_registered_kernels()) {
    std::printf("%s\n", kernel.name);
  }
  return kMatch;
}

void register_twice() {
  const minirt::Kernel kernel = {"app.twice", [](const minirt::Inputs&, const minirt::Attributes&, minirt::Tensor&) {}};
  minirt::register_kernels(&kernel, 1);
  minirt::register_kernels(&kernel, 1);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const std::string first = arguments.empty() ? "" : arguments[0];
  if (first == "--registry" && arguments.size() == 1) {
    print_registry();
    return kMatch;
  }
  if (first == "--operators" && arguments.size() <= 2) {
    return print_operators(arguments.size() == 2 ? arguments[1].c_str() : nullptr);
  }
  if (first == "--duplicate" && arguments.size() == 1) {
    register_twice();
    std::printf("an operator was registered twice\n");
    return kMatch;
  }
  if (first == "--outputs" && arguments.size() == 3) {
    return run(arguments[1], arguments[2], [](const auto& outputs, const auto&) { return print_bits(outputs); });
  }
  if (first == "--threads" && arguments.size() == 3) {
    return print_threads(arguments[1], arguments[2]);
  }
  if (arguments.size() != 3) {
    std::printf("usage: app MODEL REFERENCE TOLERANCE | --outputs MODEL REFERENCE | --threads MODEL REFERENCE\n"
                "     | --operators [LIBRARY] | --registry | --duplicate\n");
    return kUsage;
  }
  print_registry();
  const double tolerance = std::atof(arguments[2].c_str());
  return run(first, arguments[1], [tolerance](const auto& outputs, const auto& expected) {
    return compare(outputs, expected, tolerance);
  });
}
