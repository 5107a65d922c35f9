// The only registries of operators and backends in a process.
#include <minirt/backend.h>
#include <minirt/error.h>
#include <minirt/kernel.h>

#include <cstdio>
#include <cstdlib>
#include <mutex>

namespace minirt {
namespace {

struct NamedBackend {
  const char* name;
  const Backend* backend;
};

struct Registry {
  std::mutex mutex;
  std::vector<Kernel> kernels;
  std::vector<NamedBackend> backends;
};

// Libraries register from their static initialisers, so the registry is made by whoever comes first.
Registry& registry() {
  static Registry instance;
  return instance;
}

// Null if there is none.
template <typename Entry>
const Entry* find(const std::vector<Entry>& entries, const std::string& name) {
  for (const Entry& entry : entries) {
    if (name == entry.name) {
      return &entry;
    }
  }
  return nullptr;
}

template <typename Entry>
void add_once(std::vector<Entry>& entries, const Entry& entry, const char* kind) {
  if (find(entries, entry.name) != nullptr) {
    std::fprintf(stderr, "minirt: %s '%s' is registered twice\n", kind, entry.name);
    std::abort();
  }
  entries.push_back(entry);
}

}  // namespace

void register_kernels(const Kernel* kernels, std::size_t count) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  for (std::size_t i = 0; i < count; ++i) {
    add_once(all.kernels, kernels[i], "operator");
  }
}

std::vector<Kernel> get_registered_kernels() {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return all.kernels;
}

KernelFunction find_kernel(const std::string& name) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const Kernel* const kernel = find(all.kernels, name);
  return kernel == nullptr ? nullptr : kernel->function;
}

Delegate::~Delegate() = default;

Backend::~Backend() = default;

void register_backend(const char* name, const Backend* backend) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  add_once(all.backends, NamedBackend{name, backend}, "backend");
}

std::size_t get_num_registered_backends() {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return all.backends.size();
}

const char* get_backend_name(std::size_t index) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (index >= all.backends.size()) {
    throw Error("there is no backend number " + std::to_string(index));
  }
  return all.backends[index].name;
}

const Backend* find_backend(const std::string& name) {
  Registry& all = registry();
  const std::lock_guard<std::mutex> lock(all.mutex);
  const NamedBackend* const found = find(all.backends, name);
  return found == nullptr ? nullptr : found->backend;
}

}  // namespace minirt
