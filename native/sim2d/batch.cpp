#include "sim2d/batch.hpp"

#include <algorithm>

namespace horus::sim2d {
namespace {

constexpr std::size_t kChunksPerThread = 16;

}  // namespace

Batch::Batch(std::shared_ptr<const Model> model, const std::vector<std::uint64_t>& seeds, int threads) {
  worlds.reserve(seeds.size());
  for (const std::uint64_t seed : seeds) worlds.emplace_back(model, seed);
  for (int k = 0; k < threads; ++k) scratches_.push_back(make_scratch());
  // The calling thread takes the first share.
  for (int k = 1; k < threads; ++k) workers_.emplace_back([this, k] { work(k); });
}

Batch::~Batch() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  begin_.notify_all();
  for (std::thread& worker : workers_) worker.join();
}

void Batch::step(double dt, int n) {
  for_each([this, dt, n](std::size_t i, Scratch& scratch) {
    worlds[i].step(dt, n, scratch);
    worlds[i].sense();
  });
}

void Batch::sense() {
  for_each([this](std::size_t i, Scratch&) { worlds[i].sense(); });
}

void Batch::run_all(const Task& task) {
  next_.store(0, std::memory_order_relaxed);
  if (!workers_.empty()) {
    const std::lock_guard lock(mutex_);
    task_ = &task;
    unfinished_ = static_cast<int>(workers_.size());
    ++round_;
  }
  begin_.notify_all();
  run_share(0, task);
  if (workers_.empty()) return;
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return unfinished_ == 0; });
}

void Batch::work(int thread) {
  std::uint64_t done = 0;
  while (true) {
    const Task* task = nullptr;
    {
      std::unique_lock lock(mutex_);
      begin_.wait(lock, [&] { return closing_ || round_ != done; });
      if (closing_) return;
      done = round_;
      task = task_;
    }
    run_share(thread, *task);
    {
      const std::lock_guard lock(mutex_);
      --unfinished_;
    }
    end_.notify_one();
  }
}

// Threads take the next few worlds whenever they are done, so that a busy core does not hold up the others.
void Batch::run_share(int thread, const Task& task) {
  const std::size_t count = worlds.size();
  const std::size_t chunk = std::max<std::size_t>(1, count / (kChunksPerThread * scratches_.size()));
  while (true) {
    const std::size_t begin = next_.fetch_add(chunk, std::memory_order_relaxed);
    if (begin >= count) return;
    const std::size_t end = std::min(count, begin + chunk);
    for (std::size_t i = begin; i < end; ++i) task(i, *scratches_[thread]);
  }
}

}  // namespace horus::sim2d
