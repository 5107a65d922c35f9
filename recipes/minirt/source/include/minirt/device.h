// Memory that is not the host's. Whoever owns the memory of a kind of device registers one allocator
// for it, and copies go through it; the registry lives in the runtime library and nowhere else.
#pragma once

#include <minirt/api.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace minirt {

// Values from 128 on are for applications.
enum class DeviceType : std::uint8_t { Cpu = 0, Cuda = 1 };

struct Device {
  DeviceType type = DeviceType::Cpu;
  int index = 0;  // Which one of its type; 0 for the host.
};

// For messages: "cpu", "cuda:0", "device type 128:0".
MINIRT_API std::string device_name(Device device);

// Owns the memory of all devices of one type. Counts of bytes are not 0, and pointers not null,
// when minirt::copy calls. Every function but deallocate throws Error if it fails.
class MINIRT_API DeviceAllocator {
 public:
  virtual ~DeviceAllocator();

  virtual void* allocate(int index, std::size_t bytes) = 0;
  virtual void deallocate(int index, void* memory) noexcept = 0;

  // When these two return, the bytes have arrived and `source` may change.
  virtual void copy_from_host(void* destination, int index, const void* source, std::size_t bytes) = 0;
  virtual void copy_to_host(void* destination, const void* source, int index, std::size_t bytes) = 0;

  // Need not have happened when this returns; what the same thread gives the destination's device next
  // comes after it.
  virtual void copy_on_device(void* destination, int destination_index, const void* source, int source_index,
                              std::size_t bytes) = 0;
};

// Called by a backend's library when it is loaded; the allocator must live as long as the process.
// A type that has one already, or the host's, ends the process.
MINIRT_API void register_allocator(DeviceType type, DeviceAllocator* allocator);

// Null if no loaded library registered one; always for the host, whose memory needs none.
MINIRT_API DeviceAllocator* find_allocator(DeviceType type);

// Copies between host and device, or between devices of one type, by exactly one call of the
// allocator that owns the device's memory; from host to host it copies itself. Zero bytes are a copy
// that is done already: pointers may be null, and no allocator is called.
//
// Throws Error, for zero bytes too, if a device has no allocator, or if the two have different ones.
MINIRT_API void copy(void* destination, Device destination_device, const void* source, Device source_device,
                     std::size_t bytes);

}  // namespace minirt
