// Where the time of a program goes. Link minirt::profiler.
#pragma once

#include <minirt/api.h>
#include <minirt/program.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace minirt {

// Adds up the time of each operator over any number of executions.
class MINIRT_API Profiler final : public EventSink {
 public:
  struct Entry {
    std::string name;
    std::size_t calls;
    std::chrono::nanoseconds total;
  };

  Profiler();
  ~Profiler() override;

  void record(const std::string& name, std::chrono::nanoseconds duration) override;

  // In the order in which operators were first seen.
  const std::vector<Entry>& entries() const;

  // A line for each operator: name, calls, microseconds.
  std::string report() const;

 private:
  std::vector<Entry> entries_;
};

}  // namespace minirt
