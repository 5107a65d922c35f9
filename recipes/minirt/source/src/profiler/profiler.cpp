#include <minirt/profiler.h>

#include <algorithm>

namespace minirt {

Profiler::Profiler() = default;

Profiler::~Profiler() = default;

void Profiler::record(const std::string& name, std::chrono::nanoseconds duration) {
  const auto found =
      std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.name == name; });
  if (found == entries_.end()) {
    entries_.push_back({name, 1, duration});
  } else {
    ++found->calls;
    found->total += duration;
  }
}

const std::vector<Profiler::Entry>& Profiler::entries() const { return entries_; }

std::string Profiler::report() const {
  std::string text;
  for (const Entry& entry : entries_) {
    const auto microseconds = std::chrono::duration_cast<std::chrono::microseconds>(entry.total).count();
    text += entry.name + " " + std::to_string(entry.calls) + " " + std::to_string(microseconds) + "\n";
  }
  return text;
}

}  // namespace minirt
