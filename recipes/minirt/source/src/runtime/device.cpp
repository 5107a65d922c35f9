// The only registry of allocators in a process, and the choice of the one that copies.
#include <minirt/device.h>
#include <minirt/error.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

namespace minirt {
namespace {

struct OwnedType {
  DeviceType type;
  DeviceAllocator* allocator;
};

struct Owners {
  std::mutex mutex;
  std::vector<OwnedType> entries;
};

// Libraries register from their static initialisers, so the registry is made by whoever comes first.
Owners& owners() {
  static Owners instance;
  return instance;
}

DeviceAllocator* find(const std::vector<OwnedType>& entries, DeviceType type) {
  for (const OwnedType& entry : entries) {
    if (entry.type == type) {
      return entry.allocator;
    }
  }
  return nullptr;
}

[[noreturn]] void refuse_registration(DeviceType type, const char* reason) {
  std::fprintf(stderr, "minirt: an allocator for '%s' %s\n", device_name({type, 0}).c_str(), reason);
  std::abort();
}

DeviceAllocator& owner_of(Device device) {
  DeviceAllocator* const allocator = find_allocator(device.type);
  if (allocator == nullptr) {
    throw Error("cannot copy: no loaded library registered an allocator for " + device_name(device));
  }
  return *allocator;
}

}  // namespace

std::string device_name(Device device) {
  switch (device.type) {
    case DeviceType::Cpu:
      return "cpu";
    case DeviceType::Cuda:
      return "cuda:" + std::to_string(device.index);
  }
  return "device type " + std::to_string(static_cast<int>(device.type)) + ":" + std::to_string(device.index);
}

DeviceAllocator::~DeviceAllocator() = default;

void register_allocator(DeviceType type, DeviceAllocator* allocator) {
  if (type == DeviceType::Cpu) {
    refuse_registration(type, "was registered, but the host's memory needs none");
  }
  Owners& all = owners();
  const std::lock_guard<std::mutex> lock(all.mutex);
  if (find(all.entries, type) != nullptr) {
    refuse_registration(type, "is registered twice");
  }
  all.entries.push_back({type, allocator});
}

DeviceAllocator* find_allocator(DeviceType type) {
  Owners& all = owners();
  const std::lock_guard<std::mutex> lock(all.mutex);
  return find(all.entries, type);
}

void copy(void* destination, Device destination_device, const void* source, Device source_device, std::size_t bytes) {
  const bool to_host = destination_device.type == DeviceType::Cpu;
  const bool from_host = source_device.type == DeviceType::Cpu;
  // Owners first: a missing one is a mistake that must not wait for the first copy that is not empty.
  DeviceAllocator* const receiving = to_host ? nullptr : &owner_of(destination_device);
  DeviceAllocator* const giving = from_host ? nullptr : &owner_of(source_device);
  if (!to_host && !from_host && receiving != giving) {
    throw Error("cannot copy from " + device_name(source_device) + " to " + device_name(destination_device) +
                ": different allocators own them; copy through the host");
  }
  if (bytes == 0) {
    return;
  }
  if (to_host && from_host) {
    std::memcpy(destination, source, bytes);
  } else if (from_host) {
    receiving->copy_from_host(destination, destination_device.index, source, bytes);
  } else if (to_host) {
    giving->copy_to_host(destination, source, source_device.index, bytes);
  } else {
    receiving->copy_on_device(destination, destination_device.index, source, source_device.index, bytes);
  }
}

}  // namespace minirt
