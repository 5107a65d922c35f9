// Splitting loops over threads.
//
// MINIRT_USE_THREADPOOL selects the process's one pool, in libminirt_threadpool.so. The CMake
// package defines it for every user of the runtime and brings the library along. Without it loops
// run serially in their caller; that variant has a namespace of its own, so that a program which
// mixes both has two functions and not two definitions of one.
#pragma once

#include <minirt/api.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace minirt {

// Handles the indices from the first argument up to, not including, the second.
using LoopBody = std::function<void(std::size_t, std::size_t)>;

#ifdef MINIRT_USE_THREADPOOL

class MINIRT_API ThreadPool {
 public:
  explicit ThreadPool(std::size_t threads);
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;
  ~ThreadPool();

  // Threads that share a loop, the caller's included.
  std::size_t thread_count() const;

  // Calls task(0) to task(count - 1), each once, and returns when all have. Called from inside a
  // task it runs serially. The first exception of a task is thrown again here.
  void run(std::size_t count, const std::function<void(std::size_t)>& task);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

// The process's pool, started by the first call, with one thread for each processor.
MINIRT_API ThreadPool& get_threadpool();

// Threads of the pool; 0 where there is none.
MINIRT_API std::size_t get_thread_count();

// Splits [begin, end) into pieces of at least `grain` indices, one for each thread at most.
MINIRT_API void parallel_for(std::size_t begin, std::size_t end, std::size_t grain, const LoopBody& body);

#else

inline namespace serial {

inline std::size_t get_thread_count() { return 0; }

inline void parallel_for(std::size_t begin, std::size_t end, std::size_t /*grain*/, const LoopBody& body) {
  if (begin < end) {
    body(begin, end);
  }
}

}  // namespace serial

#endif

}  // namespace minirt
