// Reads a program file and refuses every one that docs/format.md does not allow.
#include "program_data.h"

#include "../byte_reader.h"

#include <minirt/error.h>
#include <minirt/program.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

namespace minirt {
namespace {

using detail::ByteReader;

constexpr unsigned char kMagic[4] = {'M', 'R', 'T', 'P'};
constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kLargestRank = 8;

// Bound on what a small file can make the runtime reserve, in bytes over all values.
constexpr std::size_t kLargestMemory = std::size_t{1} << 30;

class Parser {
 public:
  Parser(const unsigned char* bytes, std::size_t size) : reader_(bytes, size, "the program") {}

  ProgramData parse() {
    if (std::memcmp(reader_.take(sizeof kMagic), kMagic, sizeof kMagic) != 0) {
      reader_.fail("it does not begin with MRTP");
    }
    const std::uint32_t version = reader_.u32();
    if (version != kVersion) {
      reader_.fail("its format is version " + std::to_string(version) + ", this library reads " +
                   std::to_string(kVersion));
    }
    read_values();
    read_delegates();
    read_instructions();
    data_.outputs = read_indices();
    for (const std::size_t index : data_.outputs) {
      require_ready(index);
    }
    reader_.finish();
    return std::move(data_);
  }

 private:
  void read_values() {
    const std::size_t count = reader_.count(3);
    for (std::size_t i = 0; i < count; ++i) {
      data_.values.push_back(read_value());
      ready_.push_back(data_.values.back().kind != ValueKind::Computed);
    }
  }

  Value read_value() {
    const std::uint8_t kind = reader_.u8();
    const std::uint8_t dtype = reader_.u8();
    const std::size_t rank = reader_.u8();
    if (kind > static_cast<std::uint8_t>(ValueKind::Computed)) {
      reader_.fail("a value has the unknown kind " + std::to_string(kind));
    }
    if (dtype > static_cast<std::uint8_t>(DType::Int8)) {
      reader_.fail("a value has the unknown type " + std::to_string(dtype));
    }
    if (rank > kLargestRank) {
      reader_.fail("a value has " + std::to_string(rank) + " dimensions");
    }
    Value value{static_cast<ValueKind>(kind), static_cast<DType>(dtype), {}, {}};
    for (std::size_t i = 0; i < rank; ++i) {
      value.shape.push_back(reader_.u32());
    }
    const std::size_t size = reserve(value);
    if (value.kind == ValueKind::Constant) {
      const unsigned char* const bytes = reader_.take(size);
      value.constant = Tensor(value.dtype, value.shape);
      std::copy(bytes, bytes + size, value.constant.bytes());
    }
    return value;
  }

  // Bytes of a value, counted against what the program may use.
  std::size_t reserve(const Value& value) {
    const std::size_t elements = count_elements(value.shape);
    if (elements > (kLargestMemory - memory_) / element_size(value.dtype)) {
      reader_.fail("its values take more than " + std::to_string(kLargestMemory) + " bytes");
    }
    const std::size_t size = elements * element_size(value.dtype);
    memory_ += size;
    return size;
  }

  void read_delegates() {
    const std::size_t count = reader_.count(5);
    for (std::size_t i = 0; i < count; ++i) {
      std::string backend = reader_.name();
      const std::size_t size = reader_.count(1);
      const unsigned char* const bytes = reader_.take(size);
      data_.delegates.push_back({std::move(backend), {bytes, bytes + size}});
    }
  }

  void read_instructions() {
    const std::size_t count = reader_.count(13);
    for (std::size_t i = 0; i < count; ++i) {
      data_.instructions.push_back(read_instruction());
    }
  }

  Instruction read_instruction() {
    Instruction instruction{};
    const std::uint8_t kind = reader_.u8();
    if (kind > 1) {
      reader_.fail("an instruction has the unknown kind " + std::to_string(kind));
    }
    instruction.is_delegate = kind == 1;
    if (instruction.is_delegate) {
      instruction.delegate = reader_.u32();
      if (instruction.delegate >= data_.delegates.size()) {
        reader_.fail("an instruction names a delegate that is not there");
      }
    } else {
      instruction.operation = reader_.name();
    }
    instruction.inputs = read_indices();
    for (const std::size_t index : instruction.inputs) {
      require_ready(index);
    }
    instruction.outputs = read_indices();
    if (instruction.outputs.empty() || (!instruction.is_delegate && instruction.outputs.size() != 1)) {
      reader_.fail("an instruction has " + std::to_string(instruction.outputs.size()) + " outputs");
    }
    for (const std::size_t index : instruction.outputs) {
      if (ready_[index]) {
        reader_.fail("value " + std::to_string(index) + " is written a second time");
      }
      ready_[index] = true;
    }
    const std::size_t attributes = reader_.count(sizeof(float));
    for (std::size_t i = 0; i < attributes; ++i) {
      instruction.attributes.push_back(reader_.f32());
    }
    return instruction;
  }

  std::vector<std::size_t> read_indices() {
    std::vector<std::size_t> indices(reader_.count(sizeof(std::uint32_t)));
    for (std::size_t& index : indices) {
      index = reader_.u32();
      if (index >= data_.values.size()) {
        reader_.fail("it names value " + std::to_string(index) + " of " + std::to_string(data_.values.size()));
      }
    }
    return indices;
  }

  void require_ready(std::size_t index) const {
    if (!ready_[index]) {
      reader_.fail("value " + std::to_string(index) + " is read before it is written");
    }
  }

  ByteReader reader_;
  ProgramData data_;
  std::vector<bool> ready_;  // For each value, whether the instructions so far have written it.
  std::size_t memory_ = 0;   // Bytes of all values so far.
};

}  // namespace

EventSink::~EventSink() = default;

Program::Program(std::shared_ptr<const ProgramData> data) : data_(std::move(data)) {}

Program Program::load(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  std::vector<unsigned char> bytes;
  if (file) {
    unsigned char chunk[1 << 14];
    while (const std::size_t got = std::fread(chunk, 1, sizeof chunk, file.get())) {
      bytes.insert(bytes.end(), chunk, chunk + got);
    }
  }
  if (!file || std::ferror(file.get()) != 0) {
    throw Error("cannot read the program file " + path + ": " + std::strerror(errno));
  }
  return parse(bytes.data(), bytes.size());
}

Program Program::parse(const unsigned char* bytes, std::size_t size) {
  return Program(std::make_shared<const ProgramData>(Parser(bytes, size).parse()));
}

std::vector<Shape> Program::input_shapes() const {
  std::vector<Shape> shapes;
  for (const Value& value : data_->values) {
    if (value.kind == ValueKind::Input) {
      shapes.push_back(value.shape);
    }
  }
  return shapes;
}

}  // namespace minirt
