// Many worlds of one model, stepped by a few threads. Worlds do not touch each other, so that the number of threads
// changes nothing but the time.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "sim2d/world.hpp"

namespace horus::sim2d {

class Batch {
 public:
  Batch(std::shared_ptr<const Model> model, const std::vector<std::uint64_t>& seeds, int threads);
  ~Batch();
  Batch(const Batch&) = delete;
  Batch& operator=(const Batch&) = delete;

  int size() const { return static_cast<int>(worlds.size()); }
  int threads() const { return static_cast<int>(scratches_.size()); }
  // n steps of every world with the commands that its wheels hold, then the sensors that are due.
  void step(double dt, int n);
  void sense();

  // Calls task(index, scratch) once for each index of a world, in some thread. Tasks of different worlds must not touch
  // the same data.
  template <class Function>
  void for_each(const Function& function) {
    run_all({&function, [](const void* f, std::size_t index, Scratch& scratch) {
               (*static_cast<const Function*>(f))(index, scratch);
             }});
  }

  std::vector<World> worlds;

 private:
  // A reference to a function that outlives the call; unlike std::function it never allocates.
  struct Task {
    const void* function = nullptr;
    void (*call)(const void*, std::size_t, Scratch&) = nullptr;
    void operator()(std::size_t index, Scratch& scratch) const { call(function, index, scratch); }
  };
  void run_all(const Task& task);
  void work(int thread);
  void run_share(int thread, const Task& task);

  std::vector<ScratchPtr> scratches_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  std::atomic<std::size_t> next_ = 0;
  const Task* task_ = nullptr;
  std::uint64_t round_ = 0;
  int unfinished_ = 0;
  bool closing_ = false;
};

}  // namespace horus::sim2d
