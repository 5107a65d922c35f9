#include <minirt/threadpool.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace minirt {
namespace {

using Task = std::function<void(std::size_t)>;

// Whether this thread is inside a task: loops within loops run serially.
thread_local bool inside_task = false;

// One loop, shared by the threads that work on it.
struct Loop {
  const Task& task;
  const std::size_t count;
  std::atomic<std::size_t> next{0};
  std::mutex mutex{};
  std::exception_ptr failure = nullptr;

  // Takes tasks until none is left.
  void work() {
    inside_task = true;
    for (std::size_t index = next++; index < count; index = next++) {
      try {
        task(index);
      } catch (...) {
        const std::lock_guard<std::mutex> lock(mutex);
        if (!failure) {
          failure = std::current_exception();
        }
      }
    }
    inside_task = false;
  }
};

}  // namespace

struct ThreadPool::State {
  std::mutex one_loop;  // Held by the caller whose loop is running.
  std::mutex mutex;     // Guards what follows.
  std::condition_variable wake;
  std::condition_variable idle;
  Loop* loop = nullptr;
  std::size_t loops = 0;    // How many there have been: tells a new one from one that is done.
  std::size_t working = 0;  // Threads that hold the loop, the caller aside.
  bool stop = false;
  std::vector<std::thread> threads;

  void serve() {
    std::size_t seen = 0;
    std::unique_lock<std::mutex> lock(mutex);
    while (true) {
      wake.wait(lock, [&] { return stop || (loop != nullptr && loops != seen); });
      if (stop) {
        return;
      }
      Loop* const current = loop;
      seen = loops;
      ++working;
      lock.unlock();
      current->work();
      lock.lock();
      if (--working == 0) {
        idle.notify_one();
      }
    }
  }
};

ThreadPool::ThreadPool(std::size_t threads) : state_(std::make_unique<State>()) {
  for (std::size_t i = 1; i < threads; ++i) {
    state_->threads.emplace_back([state = state_.get()] { state->serve(); });
  }
}

ThreadPool::~ThreadPool() {
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->stop = true;
  }
  state_->wake.notify_all();
  for (std::thread& thread : state_->threads) {
    thread.join();
  }
}

std::size_t ThreadPool::thread_count() const { return state_->threads.size() + 1; }

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& task) {
  if (count <= 1 || inside_task || state_->threads.empty()) {
    for (std::size_t index = 0; index < count; ++index) {
      task(index);
    }
    return;
  }
  const std::lock_guard<std::mutex> turn(state_->one_loop);
  Loop loop{task, count};
  {
    const std::lock_guard<std::mutex> lock(state_->mutex);
    state_->loop = &loop;
    ++state_->loops;
  }
  state_->wake.notify_all();
  loop.work();
  {
    std::unique_lock<std::mutex> lock(state_->mutex);
    state_->loop = nullptr;
    state_->idle.wait(lock, [&] { return state_->working == 0; });
  }
  if (loop.failure) {
    std::rethrow_exception(loop.failure);
  }
}

ThreadPool& get_threadpool() {
  // Never destroyed: in a forked child the threads do not exist, and joining them would not return.
  static ThreadPool* const pool = new ThreadPool(std::max(1U, std::thread::hardware_concurrency()));
  return *pool;
}

std::size_t get_thread_count() { return get_threadpool().thread_count(); }

void parallel_for(std::size_t begin, std::size_t end, std::size_t grain, const LoopBody& body) {
  if (begin >= end) {
    return;
  }
  const std::size_t length = end - begin;
  const std::size_t most = std::max<std::size_t>(1, length / std::max<std::size_t>(1, grain));
  const std::size_t pieces = most == 1 ? 1 : std::min(most, get_thread_count());
  if (pieces == 1) {
    body(begin, end);
    return;
  }
  get_threadpool().run(pieces, [&](std::size_t piece) {
    body(begin + length * piece / pieces, begin + length * (piece + 1) / pieces);
  });
}

}  // namespace minirt
