// Many worlds of one model, stepped by a few threads. Worlds do not touch each other, so that the number of threads
// changes nothing but the time.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "parallel/crew.hpp"
#include "sim2d/world.hpp"

namespace horus::sim2d {

class Batch {
 public:
  static constexpr std::size_t kChunksPerThread = 16;

  Batch(std::shared_ptr<const Model> model, const std::vector<std::uint64_t>& seeds, int threads);

  int size() const { return static_cast<int>(worlds.size()); }
  int threads() const { return static_cast<int>(scratches_.size()); }
  // n steps of every world with the commands that its wheels hold, then the sensors that are due.
  void step(double dt, int n);

  // Calls task(index, scratch) once for each index of a world, in some thread. Tasks of different worlds must not touch
  // the same data.
  template <class Function>
  void for_each(const Function& function) {
    const std::size_t count = worlds.size();
    const std::size_t chunk = std::max<std::size_t>(1, count / (kChunksPerThread * scratches_.size()));
    next_.store(0, std::memory_order_relaxed);
    // Threads take the next few worlds whenever they are done, so that a busy core does not hold up the others.
    crew_.run([&](int share) {
      while (true) {
        const std::size_t begin = next_.fetch_add(chunk, std::memory_order_relaxed);
        if (begin >= count) return;
        const std::size_t end = std::min(count, begin + chunk);
        for (std::size_t i = begin; i < end; ++i) function(i, *scratches_[share]);
      }
    });
  }

  std::vector<World> worlds;

 private:
  std::vector<ScratchPtr> scratches_;
  std::atomic<std::size_t> next_ = 0;
  Crew crew_;
};

}  // namespace horus::sim2d
