#include "sim2d/batch.hpp"

namespace horus::sim2d {

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
  for_each([dt, n](World& world, Scratch& scratch) {
    world.step(dt, n, scratch);
    world.sense();
  });
}

void Batch::sense() {
  for_each([](World& world, Scratch&) { world.sense(); });
}

void Batch::for_each(const Task& task) {
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

void Batch::run_share(int thread, const Task& task) {
  const std::size_t count = worlds.size();
  const std::size_t threads = scratches_.size();
  const std::size_t begin = count * thread / threads;
  const std::size_t end = count * (thread + 1) / threads;
  for (std::size_t i = begin; i < end; ++i) task(worlds[i], *scratches_[thread]);
}

}  // namespace horus::sim2d
