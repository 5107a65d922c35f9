// Reads the little-endian fields of docs/format.md from bytes that nobody vouches for.
#pragma once

#include <minirt/error.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

namespace minirt::detail {

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "minirt reads its files in place and needs a little-endian processor"
#endif

class ByteReader {
 public:
  // `what` names the bytes in messages.
  ByteReader(const unsigned char* bytes, std::size_t size, const char* what)
      : position_(bytes), end_(bytes + size), size_(size), what_(what) {}

  std::size_t remaining() const { return static_cast<std::size_t>(end_ - position_); }

  const unsigned char* take(std::size_t count) {
    if (count > remaining()) {
      fail("it ends where " + std::to_string(count) + " more bytes should be");
    }
    const unsigned char* const start = position_;
    position_ += count;
    return start;
  }

  std::uint8_t u8() { return *take(1); }
  std::uint32_t u32() { return scalar<std::uint32_t>(); }
  float f32() { return scalar<float>(); }

  // A count of things that take at least `least` bytes each: more than could follow are refused
  // before anything is allocated for them.
  std::size_t count(std::size_t least) {
    const std::size_t value = u32();
    if (value > remaining() / least) {
      fail("it announces " + std::to_string(value) + " entries, more than it can hold");
    }
    return value;
  }

  // A name: 1 to 255 printable ASCII characters without spaces.
  std::string name() {
    const std::size_t length = u8();
    const unsigned char* const characters = take(length);
    if (length == 0) {
      fail("a name is empty");
    }
    for (std::size_t i = 0; i < length; ++i) {
      if (characters[i] <= ' ' || characters[i] > '~') {
        fail("a name has a character that is not printable");
      }
    }
    return std::string(characters, characters + length);
  }

  void finish() {
    if (remaining() != 0) {
      fail(std::to_string(remaining()) + " bytes follow its end");
    }
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(std::string(what_) + " is damaged at byte " + std::to_string(size_ - remaining()) + ": " + reason);
  }

 private:
  template <typename T>
  T scalar() {
    T value;
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }

  const unsigned char* position_;
  const unsigned char* end_;
  std::size_t size_;
  const char* what_;
};

}  // namespace minirt::detail
