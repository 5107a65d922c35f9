// A C++ application of the installed package.
//
//   app --registry                        what the linked libraries registered
//   app MODEL.pte REFERENCE.txt TOLERANCE  runs the model and compares with the reference
//   app --outputs MODEL.pte REFERENCE.txt  runs, and prints the bits of the outputs alone
//   app --threads MODEL.pte REFERENCE.txt  loops with parallel_for, then runs; which threads there are
//   app --operators [LIBRARY]             the names of all operators, a line each, with LIBRARY loaded
//   app --duplicate                       registers an operator twice, which ends the process
//
// Exit status: 0 the outputs match; 2 bad usage or reference; 3 the program does not load;
// 4 its method does not load; 5 it does not execute; 6 the outputs differ or are not finite.

#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/kernel/thread_parallel_interface.h>
#include <executorch/runtime/platform/runtime.h>

#include <dlfcn.h>

#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace executorch::extension {

// What a package before 1.5.1 lacks: how many threads its pool has, one a processor. A function of the package's own,
// which is no template, is preferred.
template <int = 0>
std::int64_t get_thread_count() {
  return static_cast<std::int64_t>(std::thread::hardware_concurrency());
}

} // namespace executorch::extension

namespace extension = executorch::extension;
namespace runtime = executorch::runtime;

namespace {

enum Status { kOk = 0, kUsage = 2, kLoad = 3, kMethod = 4, kExecute = 5, kMismatch = 6 };

using Outputs = std::vector<runtime::EValue>;

struct Values {
  std::vector<executorch::aten::SizesType> shape;
  std::vector<float> data;
};

// Streams do not read "nan" and "inf"; strtof does.
bool read_float(std::istream& in, float& value) {
  std::string word;
  if (!(in >> word)) {
    return false;
  }
  char* end = nullptr;
  value = std::strtof(word.c_str(), &end);
  return end != word.c_str() && *end == '\0';
}

// One section: NAME COUNT, then for each tensor its rank, its sizes and its values.
bool read_section(std::istream& in, const std::string& name, std::vector<Values>& tensors) {
  std::string word;
  std::size_t count = 0;
  if (!(in >> word >> count) || word != name) {
    return false;
  }
  for (std::size_t i = 0; i < count; ++i) {
    Values tensor;
    std::size_t rank = 0;
    if (!(in >> rank)) {
      return false;
    }
    std::size_t elements = 1;
    for (std::size_t d = 0; d < rank; ++d) {
      int size = 0;
      if (!(in >> size) || size < 0) {
        return false;
      }
      tensor.shape.push_back(size);
      elements *= static_cast<std::size_t>(size);
    }
    tensor.data.resize(elements);
    for (float& value : tensor.data) {
      if (!read_float(in, value)) {
        return false;
      }
    }
    tensors.push_back(std::move(tensor));
  }
  return true;
}

void print_registry() {
  std::string names;
  const std::size_t backends = runtime::get_num_registered_backends();
  for (std::size_t i = 0; i < backends; ++i) {
    const auto name = runtime::get_backend_name(i);
    names += (names.empty() ? "" : ",") + std::string(name.ok() ? *name : "?");
  }
#ifdef ET_USE_THREADPOOL
  const long threads = static_cast<long>(extension::get_thread_count());
#else
  const long threads = -1; // the serial fallback of the header was compiled in
#endif
  std::printf("backends=%zu [%s] kernels=%zu threads=%ld\n", backends, names.c_str(),
              runtime::get_registered_kernels().size(), threads);
}

// The largest absolute difference; false, with a message, where the two cannot be compared.
bool compare(const Outputs& outputs, const std::vector<Values>& expected, double tolerance) {
  if (outputs.size() != expected.size()) {
    std::printf("mismatch: %zu outputs, the reference has %zu\n", outputs.size(), expected.size());
    return false;
  }
  double worst = 0;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    const auto tensor = outputs[o].toTensor();
    if (static_cast<std::size_t>(tensor.numel()) != expected[o].data.size()) {
      std::printf("mismatch: output %zu has another number of elements\n", o);
      return false;
    }
    const float* values = tensor.const_data_ptr<float>();
    for (std::size_t i = 0; i < expected[o].data.size(); ++i) {
      const double difference = std::fabs(static_cast<double>(values[i]) - static_cast<double>(expected[o].data[i]));
      if (!std::isfinite(difference)) { // asked for by itself: a comparison with NaN is always false
        std::printf("mismatch: output %zu element %zu is not finite\n", o, i);
        return false;
      }
      worst = difference > worst ? difference : worst;
    }
  }
  std::printf("largest difference %.3g\n", worst);
  if (worst > tolerance) {
    std::printf("mismatch: more than %.3g\n", tolerance);
    return false;
  }
  return true;
}

using Use = std::function<int(const Outputs& outputs, const std::vector<Values>& expected)>;

// Runs the program on the reference's inputs and gives what comes out, and what should, to `use`.
int run(const char* program, const char* reference, const Use& use) {
  std::ifstream in(reference);
  std::vector<Values> inputs;
  std::vector<Values> expected;
  if (!read_section(in, "inputs", inputs) || !read_section(in, "outputs", expected)) {
    std::printf("cannot read the reference %s\n", reference);
    return kUsage;
  }
  extension::Module module(program);
  if (const auto error = module.load(); error != runtime::Error::Ok) {
    std::printf("the program does not load: error 0x%x\n", static_cast<unsigned>(error));
    return kLoad;
  }
  if (const auto error = module.load_forward(); error != runtime::Error::Ok) {
    std::printf("the method does not load: error 0x%x\n", static_cast<unsigned>(error));
    return kMethod;
  }
  std::vector<extension::TensorPtr> tensors; // keeps alive what the values refer to
  std::vector<runtime::EValue> values;
  for (Values& input : inputs) {
    tensors.push_back(extension::make_tensor_ptr(input.shape, input.data.data()));
    values.emplace_back(tensors.back());
  }
  const auto result = module.forward(values);
  if (!result.ok()) {
    std::printf("the method does not execute: error 0x%x\n", static_cast<unsigned>(result.error()));
    return kExecute;
  }
  return use(*result, expected);
}

// A line for each output: its shape, then the bits of its floats, so that equal lines are equal numbers.
int print_bits(const Outputs& outputs) {
  for (const runtime::EValue& output : outputs) {
    const auto tensor = output.toTensor();
    for (const auto size : tensor.sizes()) {
      std::printf("%ld ", static_cast<long>(size));
    }
    std::printf(":");
    for (ssize_t i = 0; i < tensor.numel(); ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, tensor.const_data_ptr<float>() + i, sizeof bits);
      std::printf(" %08x", bits);
    }
    std::printf("\n");
  }
  return kOk;
}

// How many threads share a loop: each piece waits until as many are at work as the pool says that it
// has, or for a second, so that a quick one does not take the pieces of the others.
std::size_t threads_of_a_loop() {
  constexpr std::int64_t kIndices = 1024;
  const auto pool = static_cast<std::size_t>(extension::get_thread_count());
  std::mutex mutex;
  std::condition_variable arrived;
  std::set<std::thread::id> threads;
  const auto body = [&](std::int64_t, std::int64_t) {
    std::unique_lock<std::mutex> lock(mutex);
    threads.insert(std::this_thread::get_id());
    arrived.notify_all();
    arrived.wait_for(lock, std::chrono::seconds(1), [&] { return threads.size() >= pool; });
  };
  extension::parallel_for(0, kIndices, 1, body);
  return threads.size();
}

// Threads of this process (proc(5)).
std::ptrdiff_t count_tasks() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/task"), std::filesystem::directory_iterator());
}

int print_threads(const char* program, const char* reference) {
  const std::size_t sharing = threads_of_a_loop();
  const int ran = run(program, reference, [](const auto&, const auto&) { return kOk; });
  std::printf("threads=%zu tasks=%td\n", sharing, count_tasks());
  return ran;
}

int print_operators(const char* library) {
  if (library != nullptr && dlopen(library, RTLD_NOW) == nullptr) {
    std::printf("cannot load: %s\n", dlerror());
    return kLoad;
  }
  for (const runtime::Kernel& kernel : runtime::get_registered_kernels()) {
    std::printf("%s\n", kernel.name_);
  }
  return kOk;
}

void register_twice() {
  const runtime::Kernel kernel("app::twice.out", [](runtime::KernelRuntimeContext&, runtime::Span<runtime::EValue*>) {});
  for (int i = 0; i < 2; ++i) {
    static_cast<void>(runtime::register_kernel(kernel));
  }
}

} // namespace

int main(int argc, char** argv) {
  runtime::runtime_init();
  const std::string first = argc > 1 ? argv[1] : "";
  if (first == "--registry" && argc == 2) {
    print_registry();
    return kOk;
  }
  if (first == "--operators" && argc <= 3) {
    return print_operators(argc == 3 ? argv[2] : nullptr);
  }
  if (first == "--duplicate" && argc == 2) {
    register_twice();
    std::printf("an operator was registered twice\n");
    return kOk;
  }
  if (first == "--outputs" && argc == 4) {
    return run(argv[2], argv[3], [](const auto& outputs, const auto&) { return print_bits(outputs); });
  }
  if (first == "--threads" && argc == 4) {
    return print_threads(argv[2], argv[3]);
  }
  if (argc != 4) {
    std::printf("usage: app MODEL.pte REFERENCE.txt TOLERANCE | --outputs MODEL.pte REFERENCE.txt\n"
                "     | --threads MODEL.pte REFERENCE.txt | --operators [LIBRARY] | --registry | --duplicate\n");
    return kUsage;
  }
  const double tolerance = std::atof(argv[3]);
  return run(argv[1], argv[2], [tolerance](const auto& outputs, const auto& expected) {
    return compare(outputs, expected, tolerance) ? kOk : kMismatch;
  });
}
