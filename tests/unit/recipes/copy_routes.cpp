// Shows which calls of which allocator minirt::copy makes. Prints a line for each case: its name, then
// what it called, or the message of the error.
#include <minirt/device.h>
#include <minirt/error.h>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>

namespace {

using minirt::Device;
using minirt::DeviceType;

constexpr DeviceType kFirst{128};
constexpr DeviceType kSecond{129};
constexpr DeviceType kNobodys{130};

std::string calls;

// Its "device memory" is memory of this process; it writes down each call.
class Counting final : public minirt::DeviceAllocator {
 public:
  explicit Counting(const char* name) : name_(name) {}

  void* allocate(int, std::size_t) override { return note("allocate"); }
  void deallocate(int, void*) noexcept override { note("deallocate"); }
  void copy_from_host(void* destination, int index, const void* source, std::size_t bytes) override {
    note("from_host", index, bytes);
    std::memcpy(destination, source, bytes);
  }
  void copy_to_host(void* destination, const void* source, int index, std::size_t bytes) override {
    note("to_host", index, bytes);
    std::memcpy(destination, source, bytes);
  }
  void copy_on_device(void* destination, int destination_index, const void* source, int source_index,
                      std::size_t bytes) override {
    note("on_device", 10 * source_index + destination_index, bytes);
    std::memcpy(destination, source, bytes);
  }

 private:
  void* note(const char* call, int index = 0, std::size_t bytes = 0) {
    calls += std::string(" ") + name_ + "." + call + "(" + std::to_string(index) + "," + std::to_string(bytes) + ")";
    return nullptr;
  }

  const char* name_;
};

void attempt(const char* name, Device to, Device from, bool empty = false) {
  calls.clear();
  const char source[5] = "abcd";
  char destination[5] = "";
  try {
    minirt::copy(empty ? nullptr : destination, to, empty ? nullptr : source, from, empty ? 0 : sizeof source);
    const bool arrived = empty || std::strcmp(source, destination) == 0;
    std::printf("%s:%s%s\n", name, calls.c_str(), arrived ? "" : " but nothing arrived");
  } catch (const minirt::Error& error) {
    std::printf("%s:%s %s\n", name, calls.c_str(), error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  static Counting first("first");
  static Counting second("second");
  minirt::register_allocator(kFirst, &first);
  minirt::register_allocator(kSecond, &second);
  if (argc == 2) {
    minirt::register_allocator(std::strcmp(argv[1], "twice") == 0 ? kFirst : DeviceType::Cpu, &second);
    return 0;
  }
  const Device host;
  attempt("host to host", host, host);
  attempt("host to device", {kFirst, 3}, host);
  attempt("device to host", host, {kFirst, 3});
  attempt("device to device", {kFirst, 1}, {kFirst, 1});
  attempt("device to another of its type", {kSecond, 1}, {kSecond, 2});
  attempt("nothing from host to host", host, host, true);
  attempt("nothing to a device", {kFirst, 0}, host, true);
  attempt("nothing to the host", host, {kFirst, 0}, true);
  attempt("nothing on a device", {kFirst, 0}, {kFirst, 0}, true);
  attempt("two owners", {kSecond, 0}, {kFirst, 7});
  attempt("nothing between two owners", {kSecond, 0}, {kFirst, 7}, true);
  attempt("to a device of nobody", {kNobodys, 4}, host);
  attempt("from a device of nobody", host, {DeviceType::Cuda, 2});
  attempt("nothing to a device of nobody", {kNobodys, 4}, host, true);
  std::printf("owner of the host's memory: %s\n", minirt::find_allocator(DeviceType::Cpu) == nullptr ? "none" : "one");
  std::printf("owner of the first's: %s\n", minirt::find_allocator(kFirst) == &first ? "first" : "another");
  return 0;
}
